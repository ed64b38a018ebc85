// SPDX-License-Identifier: Apache-2.0
// What the configuration says, in the words of each part of a node.
#pragma once

#include "milena/config/broker_config.h"
#include "milena/controller/controller.h"
#include "milena/drivers/fetchers.h"
#include "milena/drivers/group_coordinator.h"
#include "milena/drivers/listener_check.h"
#include "milena/drivers/log_cleaner.h"
#include "milena/drivers/quorum.h"
#include "milena/drivers/snapshots.h"
#include "milena/replication/replicas.h"
#include "milena/server/server.h"
#include "milena/storage/log_directory.h"

namespace milena::node {

/// A configured wait, which may be longer than nanoseconds can tell: then it is ten years.
env::Duration wait_of(std::int64_t milliseconds);

/// A topic's settings: its own, over what this broker's dynamic configuration, the cluster's and
/// this broker's file say. One caller at a time.
replication::Replicas::SettingsOf settings_of(const config::BrokerConfig& config);

/// delete.retention.ms of a topic, resolved in the same way. One caller at a time.
std::function<std::int64_t(const metadata::Image&, std::string_view topic)> delete_retention_of(
    const config::BrokerConfig& config);

/// What the cleaner of this broker is told, by its own dynamic configuration, the cluster's and its
/// file.
std::function<drivers::LogCleanerSettings(const metadata::Image&)> log_cleaner_settings_of(
    const config::BrokerConfig& config);

controller::Options controller_options(const config::BrokerConfig& config,
                                       const std::string& cluster_id);

drivers::QuorumOptions quorum_options(const config::BrokerConfig& config,
                                      const std::string& directory,
                                      const storage::MetaProperties& meta);

drivers::FetcherOptions fetcher_options(const config::BrokerConfig& config);

/// But for where replicas and what is stored of them are found.
drivers::GroupCoordinatorOptions group_coordinator_options(const config::BrokerConfig& config,
                                                           env::Env& env);

drivers::SnapshotPolicy snapshot_policy(const config::BrokerConfig& config);

enum class Role { broker, controller };

/// What this node registers in that role: its advertised listeners for it, with the port that was
/// bound where the configuration leaves it open.
std::vector<metadata::BrokerEndpoint> advertised_endpoints(
    const config::BrokerConfig& config, const std::vector<server::OpenListener>& bound, Role role);

/// The same listeners, with where each is bound.
std::vector<drivers::AdvertisedListener> client_listeners(
    const config::BrokerConfig& config, const std::vector<server::OpenListener>& bound);

}  // namespace milena::node
