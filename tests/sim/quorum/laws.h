// SPDX-License-Identifier: Apache-2.0
// I19: what must hold among all replicas of the metadata quorum at every moment of a run. It is
// told what lies on their disks and what they answered each other, and knows by itself what is
// committed: what a majority of the voters has durably, in the newest epoch, while it is in that
// epoch. From then on it must be in every log of a leader, and no replica may show anything beyond.
//
//   one leader an epoch | one vote an epoch, crashes included | an epoch that was seen stays
//   logs with one batch in common have all before it in common | a new leader has all that is
//   committed
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "milena/raft/quorum_state_file.h"
#include "sim/workload/history.h"

namespace milena::sim {

/// One batch of a metadata log, as it lies on a disk.
struct SeenBatch {
    std::int64_t base_offset = 0;
    std::int64_t end_offset = 0;
    std::int32_t epoch = 0;
    /// Who begins its epoch with it; −1 if it is no such batch.
    std::int32_t leader = -1;
    std::shared_ptr<const std::vector<std::byte>> bytes;
};

class QuorumLaws {
public:
    QuorumLaws(std::vector<std::int32_t> voters, std::vector<Violation>& found)
        : voters_(std::move(voters)), found_(found) {}

    /// quorum-state of `node`, as a loss of power would leave it.
    void state_is_durable(std::int32_t node, const raft::QuorumState& state);
    /// `node` has said that it votes for `candidate`.
    void vote_is_given(std::int32_t node, std::int32_t epoch, std::int32_t candidate);
    /// Somebody says that `leader` leads `epoch`.
    void leads(std::int32_t leader, std::int32_t epoch);

    /// The log of `node` begins at `offset`.
    void begins_at(std::int32_t node, std::int64_t offset);
    /// It has lost what lies at `offset` and beyond.
    void is_cut(std::int32_t node, std::int64_t offset);
    void is_appended(std::int32_t node, SeenBatch batch);
    /// All below `end` would outlive a loss of power.
    void is_durable(std::int32_t node, std::int64_t end);
    /// To be called when the rest has been told.
    void find_committed();

    /// What is committed, from the first batch on.
    const std::vector<SeenBatch>& committed() const { return committed_; }
    std::int64_t committed_end() const {
        return committed_.empty() ? 0 : committed_.back().end_offset;
    }
    /// The log of `node` as it was told.
    const std::vector<SeenBatch>& log_of(std::int32_t node) const;
    /// Who leads the newest epoch, by its own quorum-state; −1 if that is nobody.
    std::int32_t newest_leader() const;
    std::int32_t newest_epoch() const { return newest_epoch_; }

    void complain(std::string what);

private:
    /// One batch of one epoch at one offset, whoever has it.
    struct Known {
        std::shared_ptr<const std::vector<std::byte>> bytes;
        std::int32_t epoch_before = kUnknown;
    };
    struct Seen {
        std::int32_t epoch = 0;
        std::int32_t leader = -1;
        std::vector<SeenBatch> log;
        std::int64_t durable_end = 0;
    };
    static constexpr std::int32_t kUnknown = -2;
    static constexpr std::size_t kFoundMax = 20;

    void check_same(std::int32_t node, const std::vector<SeenBatch>& log, const SeenBatch& batch);
    void check_complete(std::int32_t node, const SeenBatch& begin);
    std::int64_t acknowledged_by(std::int32_t node) const;
    void commit_up_to(std::int64_t end, const std::vector<SeenBatch>& log);

    const std::vector<std::int32_t> voters_;
    std::vector<Violation>& found_;
    std::size_t complaints_ = 0;
    std::map<std::int32_t, Seen> nodes_;
    std::map<std::int32_t, std::int32_t> leaders_;                         ///< by epoch
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> votes_;  ///< by node and epoch
    std::map<std::pair<std::int64_t, std::int32_t>, Known> batches_;  ///< by base offset and epoch
    std::vector<SeenBatch> committed_;
    std::int32_t newest_epoch_ = 0;
    bool is_changed_ = false;
};

}  // namespace milena::sim
