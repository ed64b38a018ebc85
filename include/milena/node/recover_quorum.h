// SPDX-License-Identifier: Apache-2.0
// The way out of a quorum whose majority is lost for good, on one of the nodes that are left: shows
// what there is, then, if it is told to, makes this node the only voter. The directory is locked
// meanwhile, so no process uses it. Nothing is changed before run(), and run() keeps a copy.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "milena/base/logger.h"
#include "milena/config/broker_config.h"
#include "milena/env/env.h"
#include "milena/raft/recovery.h"

namespace milena::node {

class QuorumRecovery {
public:
    /// Locks and looks. The error says why nothing can, or need, be done here: a process holds the
    /// directory, it is not formatted, its voters are configuration, this node alone votes already.
    static Result<std::unique_ptr<QuorumRecovery>> open(env::Env& env, Logger log,
                                                        const config::BrokerConfig& config);
    virtual ~QuorumRecovery() = default;

    virtual const std::string& cluster_id() const = 0;
    /// .../__cluster_metadata-0
    virtual const std::string& directory() const = 0;
    virtual const raft::Voter& self() const = 0;
    virtual const raft::DirectoryReport& found() const = 0;
    /// The voters that are taken out.
    virtual std::vector<raft::Voter> lost() const = 0;

    struct Done {
        raft::OnlyVoter voter;
        /// What the directory was, whole, beside the log directory.
        std::string backup;
    };
    /// Copies the directory, then changes the voters. After a failure the directory is as it was,
    /// or a further run goes on.
    virtual Result<Done> run() = 0;
};

}  // namespace milena::node
