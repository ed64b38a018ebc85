// SPDX-License-Identifier: Apache-2.0
// Batches of producers with an id, and the markers that end their transactions, for tests.
#pragma once

#include "support/batches.h"

namespace milena::support {

struct Sent {
    std::int64_t producer = 7;
    std::int16_t epoch = 0;
    std::int32_t sequence = 0;
    int records = 1;
    bool is_transactional = false;
    std::int64_t timestamp = 1000;
};

/// What the producer sends, at the offset where the leader puts it.
inline std::vector<std::byte> sent_batch(std::int64_t base_offset, const Sent& sent) {
    BatchSpec spec{.base_offset = base_offset,
                   .attributes = static_cast<std::int16_t>(sent.is_transactional ? 0x10 : 0),
                   .producer_id = sent.producer,
                   .producer_epoch = sent.epoch,
                   .base_sequence = sent.sequence};
    for (int record = 0; record < sent.records; ++record)
        spec.records.push_back({.timestamp = sent.timestamp, .value = "value"});
    return make_batch(spec);
}

struct Marker {
    std::int64_t producer = 7;
    std::int16_t epoch = 0;
    bool is_abort = false;
    std::int32_t coordinator_epoch = 0;
    std::int64_t timestamp = 1000;
};

inline std::vector<std::byte> marker_batch(std::int64_t offset, const Marker& marker) {
    const auto text = [](const Encoder& encoded) { return std::string(as_text(encoded.bytes)); };
    Encoder key;
    key.number<std::int16_t>(0);
    key.number<std::int16_t>(marker.is_abort ? 0 : 1);
    Encoder value;
    value.number<std::int16_t>(0);
    value.number(marker.coordinator_epoch);
    return make_batch(
        {.base_offset = offset,
         .attributes = 0x30,
         .producer_id = marker.producer,
         .producer_epoch = marker.epoch,
         .records = {{.timestamp = marker.timestamp, .key = text(key), .value = text(value)}}});
}

}  // namespace milena::support
