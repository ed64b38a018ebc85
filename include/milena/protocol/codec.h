// SPDX-License-Identifier: Apache-2.0
// Messages to bytes and back, for every message struct under milena/protocol/messages and milena/protocol/records. The
// functions are compiled once per message, in the protocol library; using them costs a declaration.
//
// Bytes from a peer: every length is compared with the bytes at hand before anything is taken for it; what does not fit
// is INVALID_REQUEST with the field's name, and so is a null where the version knows none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "milena/base/bytes.h"
#include "milena/base/result.h"
#include "milena/protocol/arena.h"
#include "milena/protocol/types.h"

namespace milena::protocol {

/// No array of a decoded message is longer, and no tag section has more entries.
inline constexpr std::size_t kArrayElementsMax = 1'000'000;
inline constexpr std::size_t kTagsMax = 10'000;
/// No string is longer, in any version.
inline constexpr std::size_t kStringBytesMax = 32'767;

/// Reads one message and leaves `reader` behind it. The result views the reader's bytes and `arena`. UNSUPPORTED_VERSION
/// if the message has no such version.
template <class T>
Result<T> decode(ByteReader& reader, std::int16_t version, Arena& arena);

/// The message at the front of `bytes`; what follows it is not looked at.
template <class T>
Result<T> decode(BytesView bytes, std::int16_t version, Arena& arena) {
    ByteReader reader(bytes);
    return decode<T>(reader, version, arena);
}

/// Bytes that write() will write (without external records). UNSUPPORTED_VERSION if the message has no such version, or
/// if the version can't carry what is in it: a value other than the default in a field that the version lacks and that
/// is not marked ignorable, or a null where it knows none. INVALID_REQUEST for a string beyond kStringBytesMax.
template <class T>
Result<std::size_t> encoded_size(const T& message, std::int16_t version);

/// Writes a message for which encoded_size() succeeded, into at least that many bytes. External records are noted in
/// `splices`; without it there may be none.
template <class T>
void write(const T& message, std::int16_t version, ByteWriter& writer, std::vector<Splice>* splices = nullptr);

/// Sizes and writes: appends the message to `bytes`.
template <class T>
Result<void> append(const T& message, std::int16_t version, std::vector<std::byte>& bytes,
                    std::vector<Splice>* splices = nullptr) {
    TRY(const std::size_t size, encoded_size(message, version));
    const std::size_t before = bytes.size();
    bytes.resize(before + size);
    ByteWriter writer(MutableBytes(bytes).subspan(before));
    const std::size_t splices_before = splices ? splices->size() : 0;
    write(message, version, writer, splices);
    for (std::size_t i = splices_before; splices && i < splices->size(); ++i) (*splices)[i].position += before;
    return ok();
}

/// The message alone.
template <class T>
Result<std::vector<std::byte>> encode(const T& message, std::int16_t version,
                                      std::vector<Splice>* splices = nullptr) {
    std::vector<std::byte> bytes;
    TRY_VOID(append(message, version, bytes, splices));
    return bytes;
}

/// The message as JSON in the form of Kafka's own tools (kafka-dump-log): lower camel names, bytes as base64, ids as
/// their text; fields that the version lacks and tagged fields that have their default are left out.
template <class T>
std::string to_json(const T& message, std::int16_t version);

}  // namespace milena::protocol
