// SPDX-License-Identifier: Apache-2.0
// The records of one decision on their way into the log: one batch, written with acks=all where its
// coroutine runs while the disk is calm, else in the pools, as any producer's batch is.
#pragma once

#include <memory>
#include <span>

#include "milena/coordinator/record.h"
#include "milena/record/compression.h"
#include "milena/replication/partition.h"

namespace milena::drivers {

struct AppendPlace {
    env::Env& env;
    env::Executor owner;
    const std::shared_ptr<replication::Partition>& partition;
};

struct AppendRules {
    /// offsets.topic.compression.codec
    record::Codec codec = record::Codec::none;
    /// offsets.commit.timeout.ms: how long a batch may wait for its replicas.
    env::Duration timeout = std::chrono::seconds(5);
};

struct Appended {
    Offset base_offset;
    /// When Partition::expire() is to be called; never if the batch is committed already.
    env::Instant expires_at = env::kNever;
};

/// Appends `records`, at least one. `done` is called only if that succeeds and the batch is not
/// committed then, as a Production's is. The codes are those of Partition::produce().
env::Task<Result<Appended>> append_records(AppendPlace place, AppendRules rules,
                                           std::span<const coordinator::Record> records,
                                           replication::ProduceDone done);

/// The log does not take so much at once (max.message.bytes, segment.bytes).
constexpr bool is_too_large(ErrorCode of_append) {
    return of_append == ErrorCode::message_too_large ||
           of_append == ErrorCode::record_list_too_large;
}

/// What a coordinator's client is told of such a code, as Kafka's coordinator does.
ErrorCode coordinator_code(ErrorCode of_append);

}  // namespace milena::drivers
