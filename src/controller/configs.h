// SPDX-License-Identifier: Apache-2.0
// Dynamic configuration as the controller needs it: what a new topic's settings mean, and the two
// keys that decide elections.
#pragma once

#include <string_view>
#include <vector>

#include "view.h"

namespace milena::controller {

/// The settings of a new topic, checked. INVALID_CONFIG with a reason for the client.
Result<config::ConfigMap> check_topic_configs(
    const View& view,
    const std::vector<std::pair<std::string, std::optional<std::string>>>& configs);

/// All that a topic sets, or would. INVALID_CONFIG with a reason for the client.
Result<void> check_topic_config(const View& view, const config::ConfigMap& own);

/// Every topic key with the value in force for a topic that sets `own`, and where it comes from; by
/// name.
std::vector<TopicConfigEntry> effective_configs(const View& view, const config::ConfigMap& own);

/// min.insync.replicas of a topic.
/// While replicas may be eligible (KIP-966) the minimum of in-sync replicas is the cluster's, and
/// no broker's own: the records that make it so.
Records common_min_insync_replicas(const Options& options, const metadata::Image& image);

std::int32_t min_insync_replicas(const View& view, std::string_view topic);
/// unclean.leader.election.enable of a topic.
bool unclean_election_enabled(const View& view, std::string_view topic);

}  // namespace milena::controller
