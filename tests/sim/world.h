// SPDX-License-Identifier: Apache-2.0
// A simulated world: nodes on one thread, in virtual time, from one seed. Same seed and same
// program, same history, to the last byte (trace_hash). Nothing happens but inside run_for() and
// run_until(); faults are called between them, or from events of the world itself (after()), never
// from the code of a node.
//
//   sim::World world(seed);
//   sim::Node& n1 = world.add_node("n1");            // an env::Env
//   world.run(n1, some_task(n1));
//   world.crash(n1, sim::Crash::power);
//   world.restart(n1);
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/node.h"

namespace milena::sim {

enum class Crash {
    process,  ///< kill -9: the system lives on, keeps what was written and closes the connections
    power,    ///< what was not synced is there, or not, or torn; peers hear nothing
};

class World {
public:
    explicit World(std::uint64_t seed);
    ~World();

    Node& add_node(const std::string& name, std::size_t cores = 2);
    /// The nodes in the order in which they were added.
    const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }

    env::Instant now() const { return parts_.timeline.now(); }
    void run_for(env::Duration duration);
    /// Until `done`, asked after each step: true, or false if `limit` has passed before.
    bool run_until(const std::function<bool()>& done,
                   env::Duration limit = std::chrono::minutes(10));
    /// Runs `task` on the node's core 0 to its end: false if it did not come to that within
    /// `limit`, or died.
    bool run(Node& node, env::Task<void> task, env::Duration limit = std::chrono::minutes(10));
    /// An event of the world: the place for faults in the middle of a run.
    void after(env::Duration delay, std::function<void()> what);

    /// What a node does when it starts: at once, and after each restart.
    void boot(Node& node, std::function<void(Node&)> start);
    /// Its process ends: coroutines, connections, locks, open files, kept parts. Nothing of it runs
    /// any more.
    void crash(Node& node, Crash how);
    /// It starts again with what is on its disk.
    void restart(Node& node);
    bool is_up(const Node& node) const { return node.is_up_; }
    /// SIGSTOP: nothing of its process runs; its system goes on, so peers see a silent host that
    /// accepts what they send.
    void pause(Node& node);
    /// SIGCONT. A crash ends a pause too.
    void resume(Node& node);
    bool is_paused(const Node& node) const { return node.is_paused_; }
    /// `observer` is called after each step, whatever it was; it looks at the world and changes
    /// nothing.
    void observe(std::function<void()> observer) { observer_ = std::move(observer); }
    /// With coarse steps a loop whose turn has come does all that is ready on it, as a thread that
    /// nobody interrupts; else one thing. Faster by half.
    void take_coarse_steps(bool coarse) { is_coarse_ = coarse; }

    /// Cuts, delays, broken connections.
    Fabric& network() { return parts_.fabric; }
    /// For decisions of the test itself.
    SeededRandom& random() { return random_; }
    std::uint64_t trace_hash() const { return parts_.trace.hash(); }

private:
    bool step(env::Instant limit);
    bool run_one_ready();
    void set_all_ready();
    bool advance(env::Instant limit);

    WorldParts parts_;
    SeededRandom random_;
    SeededRandom order_;
    std::vector<std::unique_ptr<Node>> nodes_;
    /// Loops that are still to be asked in this round.
    std::vector<std::pair<Node*, std::size_t>> turn_;
    std::function<void()> observer_ = [] {};
    std::uint64_t steps_at_this_moment_ = 0;
    bool is_inside_node_ = false;
    bool is_coarse_ = false;
};

}  // namespace milena::sim
