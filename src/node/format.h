// SPDX-License-Identifier: Apache-2.0
// What makes an empty directory one of a new cluster, in the way of kafka-storage format.
#pragma once

#include "milena/config/broker_config.h"
#include "milena/storage/log_directory.h"

namespace milena::node {

/// A new cluster may be begun without being asked: this node is a controller and the quorum's only
/// voter. Otherwise an error that says what must be decided, and how.
Result<void> check_unambiguous(const config::BrokerConfig& config);

/// The directory is empty, or holds only what a format that was cut short left. Otherwise an error
/// that names it.
Result<void> check_formattable(env::Env& env, const storage::LogDirectory& directory);

/// Writes the bootstrap snapshot of the metadata log into `path`: 4.4's features, and this node as
/// the only voter unless controller.quorum.voters names it.
Result<void> write_bootstrap(env::Env& env, const config::BrokerConfig& config,
                             const storage::MetaProperties& meta, const std::string& path);

}  // namespace milena::node
