// SPDX-License-Identifier: Apache-2.0
// Nodes and the APIs they serve, as kafka-broker-api-versions and kafka-cluster print them.
#pragma once

#include "cluster/session.h"
#include "milena/protocol/messages/api_versions.h"

namespace milena::cli {

/// "127.0.0.1:9092 (id: 1 rack: null isFenced: false)".
std::string node_text(const wire::ClusterNode& node);

/// "(\n\tProduce(0): 0 to 13 [usable: 13],\n…)".
std::string api_versions_text(const protocol::ApiVersionsResponse& answer);

/// Asks every node of the cluster and prints what it serves; a node that does not answer gets a
/// line that says why.
env::Task<Result<void>> print_api_versions(Session& session);

}  // namespace milena::cli
