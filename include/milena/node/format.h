// SPDX-License-Identifier: Apache-2.0
// Formatting of a node's directories, as kafka-storage does it: they get a meta.properties each,
// and the metadata's one gets the snapshot that a new cluster begins with. Apache Kafka starts from
// what is written here, and Milena from what Apache's tool writes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "milena/base/logger.h"
#include "milena/config/broker_config.h"
#include "milena/env/env.h"
#include "milena/raft/voters.h"

namespace milena::node {

struct FormatRequest {
    std::string cluster_id;
    /// Levels of features that are not those of a new cluster, metadata.version among them.
    std::map<std::string, std::int16_t, std::less<>> levels{};
    /// This node alone is the first voter (--standalone).
    bool is_standalone = false;
    /// The first voters of a dynamic quorum (--initial-controllers); each has its directory.
    std::vector<raft::Voter> initial_controllers{};
    /// The voters are somewhere else (--no-initial-controllers).
    bool has_no_initial_controllers = false;
    /// Directories that are formatted are left as they are.
    bool ignores_formatted = false;
    /// Records of SCRAM credentials that the cluster begins with.
    std::vector<std::vector<std::byte>> credentials{};
};

struct FormatStep {
    enum class Kind {
        data,
        metadata,       ///< of a node that is none of the first voters, or whose voters are static
        dynamic,        ///< the first voters are named, and this node is none of them
        dynamic_voter,  ///< one of the first voters
    };
    std::string path;
    Kind kind = Kind::data;
};

/// What is to be done, decided and checked before anything is written.
struct FormatPlan {
    /// The metadata's first, then in the order of log.dirs. Empty: all are formatted, and that is
    /// ignored.
    std::vector<FormatStep> steps;
    /// Of all features, kraft.version too.
    std::map<std::string, std::int16_t, std::less<>> levels;
};

/// Fails with words for the operator: a directory that is formatted, holds foreign files, or
/// belongs to another cluster or node; levels that there are not; voters that can't be.
Result<FormatPlan> plan_format(env::Env& env, const config::BrokerConfig& config,
                               const FormatRequest& request);
Result<void> run_format(env::Env& env, const Logger& log, const config::BrokerConfig& config,
                        const FormatRequest& request, const FormatPlan& plan);

}  // namespace milena::node
