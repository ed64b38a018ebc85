// SPDX-License-Identifier: Apache-2.0
// The door's side of the quorum: opens what is on disk and checks that this node can take part.
#include "milena/drivers/quorum.h"

#include <fmt/format.h>

#include "quorum_node.h"

namespace milena::drivers {

namespace {

class QuorumHandle final : public Quorum {
public:
    explicit QuorumHandle(std::shared_ptr<QuorumNode> node) : node_(std::move(node)) {}
    ~QuorumHandle() override { node_->abandon(); }

    void start(std::vector<QuorumListener*> listeners) override {
        node_->start(std::move(listeners));
    }
    Result<AppendedRange> schedule(LeaderEpoch expected_epoch,
                                   std::vector<std::vector<std::byte>> record_values) override {
        return node_->schedule(expected_epoch, std::move(record_values));
    }
    env::Task<Result<Offset>> append(LeaderEpoch expected_epoch,
                                     std::vector<std::vector<std::byte>> record_values) override {
        return node_->append(expected_epoch, std::move(record_values));
    }
    env::Task<Result<std::uint64_t>> write_snapshot(SnapshotContent content) override {
        return node_->write_snapshot(std::move(content));
    }
    std::optional<StoredMetadataSnapshot> newest_snapshot() const override {
        return node_->newest_snapshot();
    }
    QuorumStatus status() const override { return node_->status(); }
    env::Task<void> stop() override { return node_->stop(); }

private:
    std::shared_ptr<QuorumNode> node_;
};

/// The voters that hold at the log's end must be this node alone: requests between voters are not
/// served yet.
Result<void> check_voters(const raft::RecoveredState& recovered, const QuorumOptions& options) {
    const raft::VoterSet& voters = recovered.voters.back().voters;
    const raft::ReplicaKey self{options.node_id, options.directory_id};
    if (voters.is_only(self)) return ok();
    return fail(ErrorCode::invalid_config,
                fmt::format("{}: the voters of the metadata quorum are {}, but only a quorum whose "
                            "one voter is this node, "
                            "{}, can be run",
                            options.directory, voters.text(), self.text()));
}

}  // namespace

Result<std::unique_ptr<Quorum>> Quorum::open(env::Env& env, Logger logger, QuorumOptions options) {
    raft::MetadataLogOptions log_options{.directory = options.directory,
                                         .static_voters = raft::VoterSet(options.static_voters),
                                         .segment_bytes = options.segment_bytes,
                                         .segment_ms = options.segment_ms,
                                         .retention_bytes = options.retention_bytes,
                                         .retention_ms = options.retention_ms};
    TRY(auto log, raft::MetadataLog::open(env, logger, std::move(log_options)));
    TRY_VOID(check_voters(log->recovered(), options));
    return std::make_unique<QuorumHandle>(
        std::make_shared<QuorumNode>(env, std::move(logger), std::move(options), std::move(log)));
}

}  // namespace milena::drivers
