// SPDX-License-Identifier: Apache-2.0
// The directories of a node at start: locked, checked against each other and the configuration, and
// formatted where that needs no decision of a human. Nothing is ever wiped.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "milena/config/broker_config.h"
#include "milena/storage/log_directory.h"

namespace milena::node {

struct Directory {
    std::unique_ptr<storage::LogDirectory> storage;
    storage::MetaProperties meta;
    /// The last stop was clean, and the broker's epoch then (−1 if it was none).
    bool was_clean = false;
    BrokerEpoch last_epoch{-1};
};

struct Directories {
    /// Those of log.dirs that can be used in their order; metadata.log.dir last where it is none of
    /// them.
    std::vector<Directory> all;
    std::size_t log_dir_count = 0;
    /// Those of log.dirs whose disk does not let us.
    std::vector<std::string> failed;
    std::size_t metadata = 0;  ///< index of the one with __cluster_metadata-0

    const std::string& cluster_id() const { return all.front().meta.cluster_id; }
    std::string metadata_log_path() const;
    /// Those of log.dirs.
    std::vector<storage::LogDirectory*> log_dirs() const;
    std::vector<Uuid> log_dir_ids() const;
    /// The epoch to tell the controller: that of the last stop if all directories are there and saw
    /// it clean, else −1 (KIP-966).
    BrokerEpoch previous_epoch() const;
};

/// Opens and locks all of them. As in Apache Kafka a disk that fails here takes no more than its
/// directory with it (KIP-112), unless that is the metadata log's or the last. An error names the
/// directory, both ids where two disagree, and the ways out.
Result<Directories> open_directories(env::Env& env, const Logger& log,
                                     const config::BrokerConfig& config);

}  // namespace milena::node
