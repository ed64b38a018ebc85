// SPDX-License-Identifier: Apache-2.0
// The composition root: makes a broker, a controller, or both, from an env and a configuration.
// main() and the simulator both build it; it owns all that lives in a node, so that several can
// share a process.
#pragma once

#include <memory>
#include <vector>

#include "milena/config/broker_config.h"
#include "milena/env/env.h"
#include "milena/metadata/image.h"
#include "milena/server/server.h"
#include "milena/storage/state_store.h"
#include "milena/telemetry/registry.h"

namespace milena::node {

struct NodeOptions {
    config::BrokerConfig config;
    Logger log;
    /// What this process may use; queued.max.request.bytes=-1 is a quarter of it.
    std::uint64_t memory_limit = 1ULL << 30;
    /// Adds what the system counts of this process to /metrics; none in a simulation.
    telemetry::Registry::Source process_metrics{};
    /// Makes a broker's store of what coordinators' logs have come to, in that directory:
    /// storage::open_state_store, or one without files in a simulation.
    std::function<std::unique_ptr<storage::StateStore>(Logger, std::string directory)>
        make_state_store{};
    /// Called once, on the control thread, when the node can't go on (its metadata log failed): it
    /// must be stopped.
    std::function<void(const Error&)> on_failure = [](const Error&) {};
};

class Node {
public:
    static std::unique_ptr<Node> make(env::Env& env, NodeOptions options);
    virtual ~Node() = default;

    /// Opens the directories (formatting them if all are empty and the configuration leaves no
    /// choice), recovers the logs, joins the quorum, registers, and returns when clients are
    /// served. On the control executor. After a failure stop() is still to be called.
    virtual env::Task<Result<void>> start() = 0;
    /// A clean stop: what this node led is handed over, logs are synced and closed, the directories
    /// marked clean.
    virtual env::Task<void> stop() = 0;

    /// Where clients are served; after start().
    virtual const std::vector<server::OpenListener>& listeners() const = 0;

    /// The newest metadata of this node, and that which its clients are told: it follows when the
    /// node's own replicas have. From any thread.
    virtual std::shared_ptr<const metadata::Image> image() const = 0;
    virtual std::shared_ptr<const metadata::Image> served_image() const = 0;
};

}  // namespace milena::node
