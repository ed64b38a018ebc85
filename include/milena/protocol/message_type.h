// SPDX-License-Identifier: Apache-2.0
// All messages as rows of a table, for those who learn at run time which one they meet: tools that print a log, tests
// and fuzzers that go through every message. The hot paths name their type instead.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "milena/base/bytes.h"
#include "milena/base/result.h"
#include "milena/protocol/arena.h"
#include "milena/protocol/inspector.h"

namespace milena::protocol {

enum class MessageKind : std::uint8_t { request, response, header, data, metadata, coordinator_key, coordinator_value };

struct MessageType {
    std::string_view name;
    MessageKind kind{};
    std::int16_t key = -1;  // API key or record type; −1 where a message has none
    std::int16_t min_version = 0;
    std::int16_t max_version = 0;
    std::int16_t first_flexible_version = kNoVersion;

    /// A message with defaults, in the arena.
    void* (*make)(Arena& arena);
    /// As codec.h's, the message in the arena.
    Result<void*> (*decode)(ByteReader& reader, std::int16_t version, Arena& arena);
    Result<std::vector<std::byte>> (*encode)(const void* message, std::int16_t version);
    void (*inspect)(void* message, Inspector& inspector);
    bool (*equal)(const void* a, const void* b);
};

/// In the order of the schema files: by API key, then headers, embedded data, and the records.
std::span<const MessageType* const> message_types();

/// By the struct's name, "ProduceRequest"; null if there is none.
const MessageType* find_message_type(std::string_view name);

}  // namespace milena::protocol
