// SPDX-License-Identifier: Apache-2.0
// A message as a value: what its struct says at compile time, for those who learn at run time which
// one they meet (tools that print a log, tests and fuzzers that go through all of them), and for
// codec.h, whose templates are a thin cover over the functions here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "milena/base/bytes.h"
#include "milena/base/result.h"
#include "milena/protocol/arena.h"
#include "milena/protocol/types.h"

namespace milena::protocol {

class Inspector;
struct StructType;

enum class MessageKind : std::uint8_t {
    request,
    response,
    header,
    data,
    metadata,
    coordinator_key,
    coordinator_value
};

struct MessageType {
    std::string_view name;  // of the struct
    MessageKind kind{};
    std::int16_t key = -1;  // API key or record type; −1 where a message has none
    std::int16_t min_version = 0;
    std::int16_t max_version = 0;
    std::int16_t first_flexible_version = kNoVersion;
    const StructType* body = nullptr;  // size and walks, known inside the protocol library

    constexpr bool has_version(std::int16_t version) const {
        return min_version <= version && version <= max_version;
    }
    constexpr bool is_flexible(std::int16_t version) const {
        return version >= first_flexible_version;
    }
};

/// Message structs as a type. The header of each record family ends in one of all its records, such
/// as MetadataRecords, so that a table of them can't miss any.
template <class... Messages>
struct MessageList {};

/// In the order of the schema files: by API key, then headers, embedded data, and the records.
std::span<const MessageType* const> message_types();

/// By the struct's name, "ProduceRequest"; null if there is none.
const MessageType* find_message_type(std::string_view name);

/// A message with defaults, in the arena. For these functions a `void*` is a struct of the given
/// type.
void* make_message(const MessageType& type, Arena& arena);
bool messages_equal(const MessageType& type, const void* a, const void* b);
/// Shows its fields in the inspector's version.
void inspect_message(const MessageType& type, void* message, Inspector& inspector);

// As their namesakes in codec.h.
Result<void> decode_message(const MessageType& type, ByteReader& reader, std::int16_t version,
                            Arena& arena, void* message);
Result<std::size_t> encoded_message_size(const MessageType& type, const void* message,
                                         std::int16_t version);
void write_message(const MessageType& type, const void* message, std::int16_t version,
                   ByteWriter& writer, std::vector<Splice>* splices);
/// Sizes and writes: appends the message to `bytes`.
Result<void> append_message(const MessageType& type, const void* message, std::int16_t version,
                            std::vector<std::byte>& bytes, std::vector<Splice>* splices);
std::string message_to_json(const MessageType& type, const void* message, std::int16_t version);

}  // namespace milena::protocol
