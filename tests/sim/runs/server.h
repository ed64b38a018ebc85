// SPDX-License-Identifier: Apache-2.0
// One server of a simulated run: a whole node, as main() makes it, on a machine of the world. It
// starts again whenever its machine does.
#pragma once

#include "milena/node/node.h"
#include "sim/workload/history.h"
#include "sim/world.h"

namespace milena::sim {

struct ServerPorts {
    Logger log;
    std::vector<Violation>& complaints;
};

class Server {
public:
    /// `properties` is a whole server.properties. Lines of its log, which may be silent, carry name
    /// and virtual time.
    /// A start that fails, or a node that gives up, without a fault that explains it, is a
    /// complaint.
    Server(World& world, std::string name, std::string properties, ServerPorts ports);

    Node& machine() { return machine_; }
    const std::string& name() const { return machine_.name(); }
    bool is_up() const { return world_.is_up(machine_); }
    /// True from its first readiness for clients until its end.
    bool is_serving() const { return is_up() && is_serving_; }

    void kill() { world_.crash(machine_, Crash::process); }
    void lose_power() { world_.crash(machine_, Crash::power); }
    /// As SIGTERM does; false if it has not come to its end within `limit`. Then the process ends.
    bool stop_cleanly(env::Duration limit);
    /// If it is down.
    void start();

private:
    void boot(const std::string& properties, const Logger& log);
    void complain(std::string_view what, const Error& error);
    env::Task<void> run(node::Node& starting);

    World& world_;
    Node& machine_;
    node::Node* node_ = nullptr;
    bool is_serving_ = false;
    std::vector<Violation>& complaints_;
};

}  // namespace milena::sim
