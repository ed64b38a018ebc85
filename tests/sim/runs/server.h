// SPDX-License-Identifier: Apache-2.0
// One server of a simulated run: a whole node, as main() makes it, on a machine of the world. It
// starts again whenever its machine does.
#pragma once

#include "milena/metadata/image.h"
#include "milena/node/node.h"
#include "sim/runs/layout.h"
#include "sim/workload/history.h"
#include "sim/world.h"
#include "support/memory_state_store.h"

namespace milena::sim {

struct ServerOptions {
    Role role;
    /// A whole server.properties.
    std::string properties;
    std::optional<node::FormatRequest> format;
    /// Draws what a crash leaves of its state store.
    std::uint64_t state_seed = 0;
    /// Its lines, which may be silent, carry name and virtual time.
    Logger log;
};

class Server {
public:
    /// Formats the machine's disk, and starts.
    /// A start that fails, or a node that gives up, without a fault that explains it, is a
    /// complaint.
    Server(World& world, ServerOptions options, std::vector<Violation>& complaints);

    const Role& role() const { return role_; }
    Node& machine() { return machine_; }
    const std::string& name() const { return machine_.name(); }
    bool is_up() const { return world_.is_up(machine_); }
    /// True from its first readiness for clients until its end.
    bool is_serving() const { return is_up() && is_serving_; }
    /// The metadata that it knows, and that its clients are told; null while it is down.
    std::shared_ptr<const metadata::Image> image() const {
        return is_up() ? node_->image() : nullptr;
    }
    std::shared_ptr<const metadata::Image> served_image() const {
        return is_up() ? node_->served_image() : nullptr;
    }

    void kill() { world_.crash(machine_, Crash::process); }
    void lose_power() { world_.crash(machine_, Crash::power); }
    /// As SIGTERM does; false if it has not come to its end within `limit`. Then the process ends.
    bool stop_cleanly(env::Duration limit);
    /// If it is down. After a fault of the disk the machine had no power in between.
    void start();
    /// SIGSTOP, and SIGCONT.
    void pause() { world_.pause(machine_); }
    void resume() { world_.resume(machine_); }
    bool is_paused() const { return world_.is_paused(machine_); }
    /// A sync may have failed: what is seen on the disk may not be there. Until its next start, as
    /// while its disk is full, it may give up.
    void suspect_disk() { disk_is_suspect_ = true; }
    bool disk_is_suspect() const { return disk_is_suspect_; }
    /// The disk is well again; what broke before may still show for a moment.
    void disk_is_mended() { excused_until_ = world_.now() + std::chrono::seconds(5); }

private:
    void format(const node::FormatRequest& request);
    config::BrokerConfig config() const;
    void boot();
    void complain(std::string_view what, const Error& error);
    env::Task<void> run(node::Node& node);
    /// As main() does when the node can't go on: a stop as clean as it still is, and the end.
    env::Task<void> give_up(node::Node& node);

    World& world_;
    const Role role_;
    const std::string properties_;
    const Logger log_;
    Node& machine_;
    SeededRandom chance_;
    /// On the machine's disk too; the store that it stands for does not use env's files.
    support::StateDisk state_{[this](std::uint64_t bound) { return chance_.below(bound); }};
    node::Node* node_ = nullptr;
    std::uint64_t life_ = 0;
    bool is_serving_ = false;
    bool has_started_ = false;
    bool has_failed_ = false;
    bool is_stopping_ = false;
    bool disk_is_suspect_ = false;
    env::Instant excused_until_{};
    std::vector<Violation>& complaints_;
};

}  // namespace milena::sim
