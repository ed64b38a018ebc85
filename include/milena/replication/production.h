// SPDX-License-Identifier: Apache-2.0
// One produced batch on its way into one partition, and what came of it. A thread that serves
// connections does what takes microseconds; what may take longer (much to decompress or to compress
// anew, a disk that is not calm) it is told to have done elsewhere, and goes on then.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "milena/base/ids.h"
#include "milena/env/clock.h"
#include "milena/record/compression.h"
#include "milena/record/validate.h"

namespace milena::replication {

using env::Timestamp;

/// Who leads now, for NOT_LEADER_OR_FOLLOWER and FENCED_LEADER_EPOCH answers (KIP-951).
struct CurrentLeader {
    BrokerId leader = kNoBroker;
    LeaderEpoch epoch = kNoLeaderEpoch;
};

/// The answer to one partition's part of a Produce.
struct ProduceAnswer {
    ErrorCode code = ErrorCode::none;
    Offset base_offset{-1};
    Timestamp log_append_time{-1};  ///< −1 unless LogAppendTime
    Offset log_start_offset{-1};
    std::string why;
    std::vector<record::RecordError> record_errors;
    CurrentLeader current_leader;  ///< set with NOT_LEADER_OR_FOLLOWER
};

/// How many must have a batch before its producer hears of it.
enum class Acks : std::int16_t { none = 0, leader = 1, all = -1 };

/// Takes the answer of a parked produce, once, on any thread, with no guard held.
using ProduceDone = std::function<void(ProduceAnswer)>;

/// A produced batch that has been looked at without the guard.
struct PreparedBatch {
    /// What is to be appended: the frame's bytes, or `recompressed`. Of a batch that is refused
    /// they mean nothing.
    MutableBytes bytes;
    std::int64_t records = 0;
    /// −1 unless LogAppendTime; then the batch is stamped with it.
    Timestamp log_append_time{-1};
    /// What `bytes` are of, if the topic stores another codec than the producer has sent.
    std::vector<std::byte> recompressed{};
    /// It will not be taken.
    std::optional<record::Refusal> refusal{};
    /// The refusal counts before role and in-sync replicas do: it is not one batch at all.
    bool is_no_batch = false;
};

/// Kept by its caller, in its place, until it is decided.
struct Production {
    /// The bytes that hold the one batch; they are written into.
    MutableBytes records;
    Acks acks = Acks::leader;
    /// When it is given up; parked, when Partition::expire() is to be called, which may be sooner.
    env::Instant deadline;
    ProduceDone done;
    /// Saves the memory that a compressed batch takes; of the thread that calls produce().
    record::Scratch* scratch = nullptr;

    // What Partition::produce() and prepare() make of it:
    std::optional<PreparedBatch> prepared{};
    /// The batch is new in the log: it was not refused, and not one that was there before.
    bool is_appended = false;
    ProduceAnswer answer{};
};

/// What a Production needs next.
enum class ProduceStep : std::uint8_t {
    answered,       ///< nothing: `answer` is known (errors, acks 0 and 1, committed already)
    parked,         ///< nothing: `done` will be called
    needs_compute,  ///< Partition::prepare() in the compute pool, then produce() again
    needs_disk,     ///< produce() in the disk pool, in the turn that Partition::write_lane() gives
};

/// Whether the thread that calls may wait for a disk.
enum class ProducePlace : std::uint8_t { core, disk_pool };

}  // namespace milena::replication
