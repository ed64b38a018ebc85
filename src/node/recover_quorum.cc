// SPDX-License-Identifier: Apache-2.0
// Checks, the copy, and the call to raft.
#include "milena/node/recover_quorum.h"

#include <algorithm>

#include <fmt/format.h>

#include "format.h"
#include "milena/storage/log_directory.h"

namespace milena::node {
namespace {

constexpr std::uint64_t kCopyBytes = 1 << 20;
constexpr int kBackupsMax = 1000;

std::unexpected<Error> refused(std::string why) {
    return fail(ErrorCode::invalid_request, std::move(why));
}

Result<void> copy_file(env::FileSystem& files, const std::string& from, const std::string& to) {
    TRY(const auto source, files.open(from, env::OpenMode::read_only));
    TRY(const auto copy, files.open(to, env::OpenMode::create_empty));
    TRY(const std::uint64_t size, source->size());
    std::vector<std::byte> piece;
    for (std::uint64_t at = 0; at < size; at += piece.size()) {
        piece.resize(std::min(kCopyBytes, size - at));
        TRY(const std::size_t read, source->read_at(at, piece));
        if (read != piece.size())
            return fail(ErrorCode::kafka_storage_error, fmt::format("{} became shorter", from));
        TRY_VOID(copy->write_at(at, BytesView(piece)));
    }
    return copy->sync();
}

std::string parent_of(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

/// All files of a directory, durably, under a name that appears when all are there.
Result<void> copy_directory(env::FileSystem& files, const std::string& from,
                            const std::string& to) {
    const std::string part = to + ".part";
    TRY_VOID(files.remove(part));
    TRY_VOID(env::create_durable_directories(files, part));
    TRY(const auto entries, files.list(from));
    for (const auto& entry : entries) {
        if (entry.is_directory) continue;
        TRY_VOID(copy_file(files, from + "/" + entry.name, part + "/" + entry.name));
    }
    TRY_VOID(files.sync_directory(part));
    TRY_VOID(files.rename(part, to));
    return files.sync_directory(parent_of(to));
}

class RealQuorumRecovery final : public QuorumRecovery {
public:
    RealQuorumRecovery(env::Env& env, Logger log) : env_(env), log_(std::move(log)) {}

    Result<void> look(const config::BrokerConfig& config);

    const std::string& cluster_id() const override { return meta_.cluster_id; }
    const std::string& directory() const override { return directory_; }
    const raft::Voter& self() const override { return self_; }
    const raft::DirectoryReport& found() const override { return found_; }
    std::vector<raft::Voter> lost() const override;
    Result<Done> run() override;

private:
    Result<void> check_voters(const config::BrokerConfig& config) const;
    Result<std::string> free_backup_name() const;

    env::Env& env_;
    Logger log_;
    std::unique_ptr<storage::LogDirectory> lock_;
    storage::MetaProperties meta_;
    std::string directory_;
    raft::Voter self_;
    raft::DirectoryReport found_;
};

Result<void> RealQuorumRecovery::check_voters(const config::BrokerConfig& config) const {
    const raft::VoterSet& voters = found_.voters.voters;
    if (found_.voters.kraft_version < 1) {
        std::string own;
        for (const auto& endpoint : controller_endpoints(config)) {
            own = fmt::format("{}@{}:{}", config.node_id, endpoint.host, endpoint.port);
            break;
        }
        return refused(fmt::format(
            "The voters of this quorum are configuration (kraft.version 0), they stand in no log. "
            "To go on without those that are lost, set controller.quorum.voters to the ones that "
            "are left, the same on every node (here alone: controller.quorum.voters={}), and start "
            "them. Choose the node whose log is longest: {} ends at {} in epoch {}",
            own, directory_, found_.log_end_offset, found_.last_epoch));
    }
    if (found_.log_end_offset == Offset(0) && voters.empty()) {
        return refused(fmt::format(
            "{} has no records: this node has never heard of its quorum, there is nothing to go on "
            "with",
            directory_));
    }
    if (voters.is_only(self_.key)) {
        return refused(
            fmt::format("Node {} is the only voter already ({}): it needs nobody else, start it",
                        self_.key.id, directory_));
    }
    return ok();
}

Result<void> RealQuorumRecovery::look(const config::BrokerConfig& config) {
    if (!config.is_controller)
        return refused("This node is no controller (process.roles): it can't vote");
    const std::string& path = config.metadata_log_dir;
    TRY(const auto formatted, storage::read_meta(env_.files(), path));
    if (!formatted) return refused(fmt::format("{} is not formatted", path));
    meta_ = *formatted;
    if (meta_.node_id != config.node_id) {
        return refused(fmt::format("{} belongs to node.id={}, the configuration says node.id={}",
                                   path, meta_.node_id, config.node_id));
    }
    TRY(lock_, storage::LogDirectory::open(env_, log_, path));
    directory_ = fmt::format("{}/{}-0", path, storage::kClusterMetadataTopic);
    if (!env_.files().exists(directory_)) return refused(fmt::format("{} is missing", directory_));
    TRY(found_, raft::inspect_metadata_directory(env_.files(), directory_));
    self_.key = {config.node_id, meta_.directory_id};
    self_.endpoints = controller_endpoints(config);
    const raft::Voter* const known = found_.voters.voters.find(config.node_id);
    if (known != nullptr && known->key == self_.key) self_ = *known;
    return check_voters(config);
}

std::vector<raft::Voter> RealQuorumRecovery::lost() const {
    std::vector<raft::Voter> lost;
    for (const auto& [id, voter] : found_.voters.voters.by_id()) {
        if (voter.key != self_.key) lost.push_back(voter);
    }
    return lost;
}

Result<std::string> RealQuorumRecovery::free_backup_name() const {
    const std::string name = fmt::format("{}.quorum-backup", lock_->path());
    for (int number = 1; number <= kBackupsMax; ++number) {
        std::string numbered = fmt::format("{}-{}", name, number);
        if (!env_.files().exists(numbered)) return numbered;
    }
    return refused(fmt::format("{}-1 to -{} are there already", name, kBackupsMax));
}

Result<QuorumRecovery::Done> RealQuorumRecovery::run() {
    TRY(auto backup, free_backup_name());
    TRY_VOID(copy_directory(env_.files(), directory_, backup));
    TRY(const auto voter, raft::make_only_voter(env_, log_, directory_, self_));
    return Done{voter, std::move(backup)};
}

}  // namespace

Result<std::unique_ptr<QuorumRecovery>> QuorumRecovery::open(env::Env& env, Logger log,
                                                             const config::BrokerConfig& config) {
    auto recovery = std::make_unique<RealQuorumRecovery>(env, std::move(log));
    TRY_VOID(recovery->look(config));
    return recovery;
}

}  // namespace milena::node
