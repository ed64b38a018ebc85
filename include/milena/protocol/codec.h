// SPDX-License-Identifier: Apache-2.0
// Messages to bytes and back, for every message struct under milena/protocol/messages and
// milena/protocol/records.
//
// Bytes from a peer: every length is compared with the bytes at hand before anything is taken for
// it; what does not fit is INVALID_REQUEST with the field's name, and so is a null where the
// version knows none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "milena/base/bytes.h"
#include "milena/base/result.h"
#include "milena/protocol/arena.h"
#include "milena/protocol/message_type.h"
#include "milena/protocol/types.h"

namespace milena::protocol {

/// No array of a decoded message is longer, and no tag section has more entries.
inline constexpr std::size_t kArrayElementsMax = 1'000'000;
inline constexpr std::size_t kTagsMax = 10'000;
/// No string is longer, in any version.
inline constexpr std::size_t kStringBytesMax = 32'767;

/// A message's struct: it knows its type.
template <class T>
concept Message = requires {
    { T::kType } -> std::same_as<const MessageType&>;
};

/// Reads one message and leaves `reader` behind it. The result views the reader's bytes and
/// `arena`. UNSUPPORTED_VERSION if the message has no such version.
template <Message T>
Result<T> decode(ByteReader& reader, std::int16_t version, Arena& arena) {
    Result<T> message;
    Result<void> done = decode_message(T::kType, reader, version, arena, &*message);
    if (!done.has_value()) [[unlikely]]
        message = std::unexpected(std::move(done).error());
    return message;
}

/// The message at the front of `bytes`; what follows it is not looked at.
template <Message T>
Result<T> decode(BytesView bytes, std::int16_t version, Arena& arena) {
    ByteReader reader(bytes);
    return decode<T>(reader, version, arena);
}

/// Bytes that write() will write (without external records). UNSUPPORTED_VERSION if the message has
/// no such version, or if the version can't carry what is in it: a value other than the default in
/// a field that the version lacks and that is not marked ignorable, or a null where it knows none.
/// INVALID_REQUEST for a string beyond kStringBytesMax.
template <Message T>
Result<std::size_t> encoded_size(const T& message, std::int16_t version) {
    return encoded_message_size(T::kType, &message, version);
}

/// Writes a message for which encoded_size() succeeded, into at least that many bytes. External
/// records are noted in `splices`; without it there may be none.
template <Message T>
void write(const T& message, std::int16_t version, ByteWriter& writer,
           std::vector<Splice>* splices = nullptr) {
    write_message(T::kType, &message, version, writer, splices);
}

/// Sizes and writes: appends the message to `bytes`.
template <Message T>
Result<void> append(const T& message, std::int16_t version, std::vector<std::byte>& bytes,
                    std::vector<Splice>* splices = nullptr) {
    return append_message(T::kType, &message, version, bytes, splices);
}

/// The message alone.
template <Message T>
Result<std::vector<std::byte>> encode(const T& message, std::int16_t version,
                                      std::vector<Splice>* splices = nullptr) {
    std::vector<std::byte> bytes;
    TRY_VOID(append(message, version, bytes, splices));
    return bytes;
}

/// The message as JSON in the form of Kafka's own tools (kafka-dump-log): lower camel names, bytes
/// as base64, ids as their text; fields that the version lacks and tagged fields that have their
/// default are left out.
template <Message T>
std::string to_json(const T& message, std::int16_t version) {
    return message_to_json(T::kType, &message, version);
}

}  // namespace milena::protocol
