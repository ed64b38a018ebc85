// SPDX-License-Identifier: Apache-2.0
// One text with blanks. Replication factors follow the number of nodes: with three, one may fail.
#include "local/properties_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace milena::cli {
namespace {

constexpr std::string_view kText =
    R"(# Node {id}, made by `milena cluster start`. Yours to change: it is not written again.

# This process is both: it stores partitions and serves clients (broker), and it votes in the quorum
# that keeps the cluster's metadata (controller).
process.roles=broker,controller
node.id={id}

# Clients and other brokers connect to PLAINTEXT, the nodes of the quorum to CONTROLLER. On several
# machines these are the names by which the machines reach each other.
listeners=PLAINTEXT://localhost:{clients},CONTROLLER://localhost:{controllers}
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER

# Where the quorum is asked for. Who votes is not said here: the directory was formatted with the
# first voters (../cluster.properties has them), and they stand in the metadata log.
controller.quorum.bootstrap.servers={bootstrap}

# http://localhost:{admin}/metrics for Prometheus; /healthz tells whether the node is ready.
milena.admin.listener=localhost:{admin}

# Partitions and the metadata log.
log.dirs={data}

# How often the internal topics are kept, and how many of their replicas a write must reach.
offsets.topic.replication.factor={replicas}
transaction.state.log.replication.factor={replicas}
transaction.state.log.min.isr={min_isr}
share.coordinator.state.topic.replication.factor={replicas}
share.coordinator.state.topic.min.isr={min_isr}
)";

}  // namespace

std::string local_properties_text(const std::vector<raft::Voter>& voters, std::size_t index,
                                  const std::string& data) {
    std::string bootstrap;
    for (const raft::Voter& voter : voters) {
        const raft::VoterEndpoint& endpoint = voter.endpoints.front();
        bootstrap +=
            fmt::format("{}{}:{}", bootstrap.empty() ? "" : ",", endpoint.host, endpoint.port);
    }
    const raft::Voter& self = voters[index];
    const std::uint16_t controllers = self.endpoints.front().port;
    const auto clients = static_cast<std::uint16_t>(controllers - kControllerPort);
    const std::size_t replicas = std::min<std::size_t>(voters.size(), 3);
    return fmt::format(kText, fmt::arg("id", self.key.id), fmt::arg("clients", clients),
                       fmt::arg("controllers", controllers), fmt::arg("bootstrap", bootstrap),
                       fmt::arg("admin", clients + kAdminPort), fmt::arg("data", data),
                       fmt::arg("replicas", replicas),
                       fmt::arg("min_isr", std::max<std::size_t>(replicas - 1, 1)));
}

}  // namespace milena::cli
