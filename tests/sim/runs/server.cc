// SPDX-License-Identifier: Apache-2.0
// The life of a node is its machine's: what it is made of is kept there, and dies there.
#include "sim/runs/server.h"

#include <utility>

#include "milena/base/invariant.h"

namespace milena::sim {

Server::Server(World& world, ServerOptions options, std::vector<Violation>& complaints)
    : world_(world),
      role_(options.role),
      properties_(std::move(options.properties)),
      log_(options.log.with("node", role_.name())),
      machine_(world.add_node(role_.name())),
      chance_(options.state_seed),
      complaints_(complaints) {
    if (options.format) format(*options.format);
    world.boot(machine_, [this](Node&) { boot(); });
}

config::BrokerConfig Server::config() const {
    auto loaded = config::parse_broker_config("server.properties", properties_, role_.name());
    INVARIANT(loaded.has_value(), "the properties of a simulated server are bad");
    return std::move(loaded->config);
}

void Server::format(const node::FormatRequest& request) {
    const config::BrokerConfig wanted = config();
    const auto plan = node::plan_format(machine_, wanted, request);
    INVARIANT(plan.has_value(), "a simulated server can't be formatted");
    const auto done = node::run_format(machine_, log_, wanted, request, *plan);
    INVARIANT(done.has_value(), "the disk of a simulated server can't be formatted");
}

void Server::boot() {
    ++life_;
    is_serving_ = has_started_ = has_failed_ = is_stopping_ = false;
    node::NodeOptions options;
    options.config = config();
    options.log = log_;
    options.make_state_store = [this](Logger, const std::string&) { return state_.open(); };
    options.on_failure = [this](const Error& error) {
        complain("gave up", error);
        has_failed_ = true;
        if (has_started_ && !std::exchange(is_stopping_, true))
            env::spawn(machine_.control(), give_up(*node_));
    };
    auto made = std::shared_ptr<node::Node>(node::Node::make(machine_, std::move(options)));
    machine_.keep(made);
    node_ = made.get();
    env::spawn(machine_.control(), run(*made));
}

env::Task<void> Server::run(node::Node& node) {
    const auto done = co_await node.start();
    has_started_ = true;
    if (!done) complain("did not start", done.error());
    is_serving_ = done && !has_failed_;
    if (!is_serving_ && !std::exchange(is_stopping_, true)) co_await give_up(node);
}

env::Task<void> Server::give_up(node::Node& node) {
    const std::uint64_t life = life_;
    is_serving_ = false;
    co_await node.stop();
    world_.after({}, [this, life] {
        if (life == life_) kill();
    });
}

void Server::complain(std::string_view what, const Error& error) {
    const bool is_full = machine_.files().disk().has_capacity();
    if (machine_.faults().power_is_lost() || is_full || disk_is_suspect_) return;
    if (world_.now() < excused_until_) return;
    complaints_.push_back({"I18", fmt::format("{} {}: {}", name(), what, error.why)});
}

bool Server::stop_cleanly(env::Duration limit) {
    if (std::exchange(is_stopping_, true)) return true;
    bool is_stopped = false;
    env::spawn(machine_.control(), [](node::Node& stopping, bool& flag) -> env::Task<void> {
        co_await stopping.stop();
        flag = true;
    }(*node_, is_stopped));
    const std::uint64_t life = life_;
    const bool in_time =
        world_.run_until([&] { return is_stopped || !is_up() || life != life_; }, limit);
    if (life == life_) kill();
    return in_time;
}

void Server::start() {
    if (is_up()) return;
    if (std::exchange(disk_is_suspect_, false)) machine_.files().lose_power();
    world_.restart(machine_);
}

}  // namespace milena::sim
