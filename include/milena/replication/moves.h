// SPDX-License-Identifier: Apache-2.0
// Moves of replicas between the log directories of this node (KIP-113): a copy is made in the other
// directory, from the log beside it, until it has caught up; then the controller is told (KIP-858),
// and when the metadata says so the copy takes the replica over. Clients notice nothing.
//
//   place() ──► copying ──► caught up, announced ──► the metadata says so ──► finish()
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "milena/base/uuid.h"
#include "milena/env/write_lane.h"
#include "milena/storage/log_directory.h"

namespace milena::replication {

struct MoveKey {
    Uuid topic;
    PartitionIndex partition;

    auto operator<=>(const MoveKey&) const = default;
};

/// What a step of a copy has come to.
struct CopyStep {
    std::uint64_t bytes = 0;
    bool is_caught_up = false;
    /// For the first time: the controller is to be told where the replica will lie, see
    /// Replicas::misplaced().
    bool is_news = false;
    /// Caught up, and the metadata says that the replica lies there.
    bool may_finish = false;
};

/// Thread-safe.
class Moves {
public:
    virtual ~Moves() = default;

    /// The replica is to lie in that entry of log.dirs (AlterReplicaLogDirs): where it does already
    /// a move that is on its way ends. INVALID_TOPIC_EXCEPTION where the name leaves no room for
    /// that of a copy, LOG_DIR_NOT_FOUND, KAFKA_STORAGE_ERROR if a directory or the replica is
    /// offline, REPLICA_NOT_AVAILABLE if this node has no such replica: should it get one, it will
    /// be made there. Blocks.
    virtual ErrorCode place(Uuid topic_id, const storage::TopicPartition& name,
                            std::string_view directory) = 0;

    virtual std::vector<MoveKey> under_way() const = 0;
    /// Copies a piece; in the disk pool, in the turn of lane_of_copy(). What fails is logged, and
    /// tried again by the next call.
    virtual CopyStep copy(const MoveKey& key) = 0;
    /// After CopyStep::may_finish: the copy becomes the replica's log, and the old one's directory
    /// is deleted after its delay. Nothing if something is in the way for the moment. In the disk
    /// pool, in the turn of lane_of_log().
    virtual void finish(const MoveKey& key) = 0;
    /// Null: the move has ended.
    virtual env::WriteLane* lane_of_copy(const MoveKey& key) const = 0;
    virtual env::WriteLane* lane_of_log(const MoveKey& key) const = 0;

    /// Topics of moves that were announced and have ended without their copy, since the last call:
    /// the controller is to be told where the replicas do lie, see Replicas::misplaced().
    virtual std::vector<Uuid> take_ended() = 0;

    /// From now on `tell` hears, on any thread, that a move has begun, may finish or was ended.
    virtual void when_due(std::function<void()> tell) = 0;
};

}  // namespace milena::replication
