// SPDX-License-Identifier: Apache-2.0
// The files of a local cluster (milena cluster start): one directory with a folder for each node,
// in which everything is as a user would write it. What is there is kept as it is; what is missing
// is made, so that an interrupted start is finished by the next one.
//
//   cluster.properties           the cluster's id and first voters, for formatting
//   node-1/server.properties     yours to change
//   node-1/server.log            what the process prints
//   node-1/data                  log.dirs
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "milena/config/broker_config.h"
#include "milena/env/env.h"

namespace milena::cli {

inline constexpr std::int64_t kLocalNodesMax = 20;

struct LocalNode {
    std::string folder;
    config::BrokerConfig config;

    std::string properties_path() const { return folder + "/server.properties"; }
    std::string log_path() const { return folder + "/server.log"; }
    /// Held by the process that runs it.
    std::string lock_path() const { return config.metadata_log_dir + "/.lock"; }
    /// Where clients, the quorum, and those who watch reach it.
    std::string clients() const;
    std::string controllers() const;
    /// Empty if it has none.
    std::string admin() const;
};

struct LocalCluster {
    std::string directory;
    std::string cluster_id;
    std::vector<LocalNode> nodes;
    bool is_new = false;

    std::string bootstrap_servers() const;
};

/// What the user asks for; nothing where he leaves it to what is there, or to the defaults.
struct LocalClusterWish {
    std::string directory;  ///< absolute
    std::optional<std::int64_t> nodes;
    std::optional<std::int64_t> first_port;
};

/// The cluster that is there, or nothing. An error names the file.
Result<std::optional<LocalCluster>> find_local_cluster(env::Env& env, const std::string& directory);
/// The same, made or completed and formatted; the caller holds the directory's lock.
Result<LocalCluster> make_local_cluster(env::Env& env, const LocalClusterWish& wish);

}  // namespace milena::cli
