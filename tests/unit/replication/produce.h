// SPDX-License-Identifier: Apache-2.0
// A whole produce in the calling thread, for tests to which it does not matter where it is done.
#pragma once

#include <optional>
#include <utility>

#include "milena/replication/partition.h"

namespace milena::replication {

/// The answer; nothing if it is parked.
inline std::optional<ProduceAnswer> produce_in(Partition& partition, MutableBytes records,
                                               Acks acks, env::Instant deadline, ProduceDone done) {
    Production batch{
        .records = records, .acks = acks, .deadline = deadline, .done = std::move(done)};
    ProduceStep step = partition.produce(batch, ProducePlace::core);
    while (step == ProduceStep::needs_compute || step == ProduceStep::needs_disk) {
        if (step == ProduceStep::needs_compute) partition.prepare(batch);
        step = partition.produce(
            batch, step == ProduceStep::needs_disk ? ProducePlace::disk_pool : ProducePlace::core);
    }
    if (step == ProduceStep::parked) return std::nullopt;
    return std::move(batch.answer);
}

}  // namespace milena::replication
