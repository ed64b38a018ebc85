// SPDX-License-Identifier: Apache-2.0
// The door's side of the quorum: opens what is on disk and checks that this node can take part in
// it.
#include "milena/drivers/quorum.h"

#include <fmt/format.h>

#include "quorum_node.h"

namespace milena::drivers {

namespace {

class QuorumHandle final : public Quorum {
public:
    QuorumHandle(env::Env& env, std::shared_ptr<QuorumNode> node)
        : env_(env), node_(std::move(node)) {}
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
    env::Task<server::QuorumAnswer> ask(raft::Request request, std::uint64_t bytes_max) override {
        return env::run_on(env_.control(),
                           QuorumNode::answer(node_, std::move(request), bytes_max));
    }
    QuorumStatus status() const override { return node_->status(); }
    std::vector<raft::ReplicaProgress> progress() const override { return node_->progress(); }
    env::Task<void> stop() override { return node_->stop(); }

private:
    env::Env& env_;
    std::shared_ptr<QuorumNode> node_;
};

/// Who is no voter follows, unless it takes the place of one.
Result<void> check_voters(const raft::RecoveredState& recovered, const QuorumOptions& options) {
    const raft::VoterSet& voters = recovered.voters.back().voters;
    const raft::ReplicaKey self{options.node_id, options.directory_id};
    if (voters.empty()) {
        return fail(ErrorCode::invalid_config,
                    fmt::format("{}: no voter of the metadata quorum is known; name them in "
                                "controller.quorum.voters, or format with --initial-controllers",
                                options.directory));
    }
    if (voters.find(self.id) == nullptr || voters.contains(self)) return ok();
    return fail(ErrorCode::invalid_config,
                fmt::format("{}: the voters of the metadata quorum are {}, this is {}: its "
                            "directory was exchanged, and can't vote for the one before",
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
        env,
        std::make_shared<QuorumNode>(env, std::move(logger), std::move(options), std::move(log)));
}

}  // namespace milena::drivers
