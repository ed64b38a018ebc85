// SPDX-License-Identifier: Apache-2.0
// The life of a node is its machine's: what it is made of is kept there, and dies there.
#include "sim/runs/server.h"

#include <utility>

#include "milena/base/invariant.h"

namespace milena::sim {

Server::Server(World& world, std::string name, std::string properties, ServerPorts ports)
    : world_(world), machine_(world.add_node(name)), complaints_(ports.complaints) {
    world.boot(machine_, [this, properties = std::move(properties), log = ports.log](Node&) {
        boot(properties, log);
    });
}

void Server::boot(const std::string& properties, const Logger& log) {
    auto loaded = config::parse_broker_config("server.properties", properties, machine_.name());
    INVARIANT(loaded.has_value(), "the properties of a simulated server are bad");
    node::NodeOptions options;
    options.config = std::move(loaded->config);
    options.log = log.with("node", machine_.name());
    options.on_failure = [this](const Error& error) { complain("gave up", error); };
    is_serving_ = false;
    auto made = std::shared_ptr<node::Node>(node::Node::make(machine_, std::move(options)));
    machine_.keep(made);
    node_ = made.get();
    env::spawn(machine_.control(), run(*made));
}

env::Task<void> Server::run(node::Node& starting) {
    const auto done = co_await starting.start();
    is_serving_ = done.has_value();
    if (!done) complain("did not start", done.error());
}

void Server::complain(std::string_view what, const Error& error) {
    if (machine_.faults().power_is_lost()) return;
    complaints_.push_back({"I18", fmt::format("{} {}: {}", name(), what, error.why)});
}

bool Server::stop_cleanly(env::Duration limit) {
    bool is_stopped = false;
    env::spawn(machine_.control(), [](node::Node& stopping, bool& flag) -> env::Task<void> {
        co_await stopping.stop();
        flag = true;
    }(*node_, is_stopped));
    const bool in_time = world_.run_until([&] { return is_stopped || !is_up(); }, limit);
    kill();
    return in_time;
}

void Server::start() {
    if (!is_up()) world_.restart(machine_);
}

}  // namespace milena::sim
