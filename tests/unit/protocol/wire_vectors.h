// SPDX-License-Identifier: Apache-2.0
// The golden wire vectors (tests/golden/wire_vectors.md): every message of Kafka 4.4 in every
// version, as bytes and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "milena/protocol/message_type.h"

namespace milena::protocol {

struct WireVector {
    const MessageType* type = nullptr;
    std::int16_t version = 0;
    std::string json;
    std::vector<std::byte> bytes;

    /// "ProduceRequest version 9: {…}"
    std::string name() const;
};

/// All of them; a message that we do not have fails the test that asks.
const std::vector<WireVector>& wire_vectors();

}  // namespace milena::protocol
