// SPDX-License-Identifier: Apache-2.0
// What the tools know of topics: their names, and their partitions as the cluster describes them.
#pragma once

#include <map>
#include <optional>

#include "cluster/session.h"

namespace milena::cli {

using BrokerIds = std::vector<std::int32_t>;

struct PartitionState {
    std::int32_t index = 0;
    std::int32_t leader = -1;
    BrokerIds replicas;
    BrokerIds in_sync_replicas;
    std::optional<BrokerIds> eligible_leader_replicas;  ///< nothing if the cluster does not tell
    std::optional<BrokerIds> last_known_elr;
};

struct TopicState {
    std::string name;
    Uuid id;
    std::vector<PartitionState> partitions;  ///< by index
};

/// Names of all topics, as the cluster lists them.
env::Task<Result<std::vector<std::string>>> list_topics(Session& session, bool with_internal);

/// The topics of these names, in the order given. UNKNOWN_TOPIC_OR_PARTITION for one that is not
/// there. `page` bounds the partitions asked for at once.
env::Task<Result<std::vector<TopicState>>> describe_topics(Session& session,
                                                           const std::vector<std::string>& names,
                                                           std::int32_t page);

/// Those of these names that are there, by name.
env::Task<Result<std::map<std::string, TopicState>>> find_topics(
    Session& session, const std::vector<std::string>& names);

/// The topic of an id; nothing if there is none.
env::Task<Result<std::optional<TopicState>>> describe_topic(Session& session, Uuid id);

}  // namespace milena::cli
