// SPDX-License-Identifier: Apache-2.0
// What makes an empty directory one of a new cluster, in the way of kafka-storage format.
#pragma once

#include <map>
#include <optional>

#include "milena/config/broker_config.h"
#include "milena/raft/voters.h"
#include "milena/storage/log_directory.h"

namespace milena::node {

/// A new cluster may be begun without being asked: this node is a controller and the quorum's only
/// voter. Otherwise an error that says what must be decided, and how.
Result<void> check_unambiguous(const config::BrokerConfig& config);

/// The directory is empty, or holds only what a format that was cut short left. Otherwise an error
/// that names it.
Result<void> check_formattable(env::Env& env, const storage::LogDirectory& directory);

/// What a new cluster begins with.
struct Bootstrap {
    /// Without kraft.version, which is the quorum's.
    std::map<std::string, std::int16_t, std::less<>> levels;
    /// Nothing for a static quorum; empty for one whose voters are not known here.
    std::optional<raft::VoterSet> voters;
    std::vector<std::vector<std::byte>> credentials{};
};

/// 4.4's features, and this node as the only voter unless controller.quorum.voters names it.
Bootstrap default_bootstrap(const config::BrokerConfig& config,
                            const storage::MetaProperties& meta);

/// This node's controller listeners as it tells them.
std::vector<raft::VoterEndpoint> controller_endpoints(const config::BrokerConfig& config);

/// Writes the bootstrap snapshot of the metadata log into `path`.
Result<void> write_bootstrap(env::Env& env, const Bootstrap& bootstrap, const std::string& path);

}  // namespace milena::node
