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
    std::int16_t kraft_version() const override { return node_->kraft_version(); }
    QuorumStatus status() const override { return node_->status(); }
    std::vector<raft::ReplicaProgress> progress() const override { return node_->progress(); }
    env::Task<void> stop() override { return node_->stop(); }

private:
    env::Env& env_;
    std::shared_ptr<QuorumNode> node_;
};

/// Who is no voter follows, and must know somebody to ask.
Result<void> check_voters(const Logger& logger, const raft::RecoveredState& recovered,
                          const QuorumOptions& options) {
    const raft::VoterSet& voters = recovered.voters.back().voters;
    const raft::ReplicaKey self{options.node_id, options.directory_id};
    if (voters.empty() && options.bootstrap_servers.empty()) {
        return fail(ErrorCode::invalid_config,
                    fmt::format("{}: no voter of the metadata quorum is known; name some in "
                                "controller.quorum.bootstrap.servers, or all in "
                                "controller.quorum.voters",
                                options.directory));
    }
    const bool is_replaced = voters.find(self.id) != nullptr && !voters.contains(self);
    if (is_replaced && voters.size() == 1) {
        return fail(ErrorCode::invalid_config,
                    fmt::format("{}: the only voter of the metadata quorum is {}, this is {}: its "
                                "directory was exchanged, and nobody else can vote",
                                options.directory, voters.text(), self.text()));
    }
    if (is_replaced) {
        LOG_WARN(logger, "the voter of this node's id has another directory: this one only follows",
                 kv("voters", voters.text()), kv("replica", self.text()));
    }
    return ok();
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
    TRY_VOID(check_voters(logger, log->recovered(), options));
    return std::make_unique<QuorumHandle>(
        env,
        std::make_shared<QuorumNode>(env, std::move(logger), std::move(options), std::move(log)));
}

}  // namespace milena::drivers
