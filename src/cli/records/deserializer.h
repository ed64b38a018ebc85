// SPDX-License-Identifier: Apache-2.0
// How bytes become text: Kafka's deserializers, and what Java prints of what they give.
#pragma once

#include <string>

#include "milena/record/records.h"

namespace milena::cli {

enum class Deserializer {
    bytes,
    int16,
    int32,
    int64,
    float32,
    float64,
    uuid,
    boolean,
    escaped,
    buffer,
    none
};

/// By the name of its class, with or without Kafka's package; "" is bytes as they are. `key` is the
/// property that said so, for the error.
Result<Deserializer> parse_deserializer(std::string_view key, std::string_view name);

/// Appends the text of the bytes; the error is Kafka's SerializationException.
Result<void> append_deserialized(BytesView bytes, Deserializer how, std::string& text);

}  // namespace milena::cli
