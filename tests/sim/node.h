// SPDX-License-Identifier: Apache-2.0
// One machine of a simulated world: its Env, with its own files, network name, clocks, randomness
// and threads that are none (the world runs what is ready on them, in an order drawn from the
// seed). It outlives its process: crash and restart it through the World.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>

#include "milena/env/env.h"
#include "sim/clock.h"
#include "sim/disk/files.h"
#include "sim/faults.h"
#include "sim/network/fabric.h"
#include "sim/network/network.h"
#include "sim/parking.h"
#include "sim/timeline.h"

namespace milena::sim {

/// What the parts of a world share.
struct WorldParts {
    Timeline timeline;
    Trace trace;
    SeededRandom random;
    Fabric fabric;

    explicit WorldParts(std::uint64_t seed);
};

/// One thread's queue of what is ready.
class Loop : public boost::asio::io_context {
public:
    Loop() : io_context(1), work_(get_executor()) {}
    void drop_tasks() { shutdown(); }

private:
    boost::asio::executor_work_guard<env::Executor> work_;
};

class Node final : public env::Env {
public:
    Node(WorldParts& parts, std::string name, Timeline::Owner number, std::size_t cores);
    ~Node() override;

    const std::string& name() const { return name_; }

    SimClock& clock() override { return clock_; }
    SeededRandom& random() override { return random_; }
    SimFileSystem& files() override { return files_; }
    SimNetwork& network() override { return network_; }
    std::size_t core_count() const override { return cores_; }
    env::Executor core(std::size_t index) override;
    std::size_t core_for(std::size_t number) const override;
    env::Executor control() override;
    std::unique_ptr<env::Timer> make_timer(env::Executor owner) override;
    env::Task<void> offload(env::Pool pool, std::function<void()> work) override;

    /// Which of its calls fail.
    FaultPlan& faults() { return faults_; }
    /// How long offloaded work takes to begin, and its end to be heard of: a slow disk is a large
    /// `high`.
    void set_offload_delay(env::Duration low, env::Duration high);
    /// What the process is made of, besides its coroutines: kept until it ends, and destroyed after
    /// them.
    void keep(std::shared_ptr<void> part) { parts_of_process_.push_back(std::move(part)); }

private:
    friend class World;

    void begin_life();
    /// Destroys the coroutines where they stand, then what was kept.
    void end_life();

    WorldParts& world_;
    const std::string name_;
    const Timeline::Owner number_;
    const std::size_t cores_;
    SeededRandom random_;
    SeededRandom chance_;
    mutable SeededRandom spread_chance_;
    mutable std::size_t cores_at_work_ = 1;
    SimClock clock_;
    FaultPlan faults_;
    SimFileSystem files_;
    Host& host_;
    SimNetwork network_;
    env::Duration offload_low_ = std::chrono::microseconds(5);
    env::Duration offload_high_ = std::chrono::milliseconds(1);

    std::shared_ptr<Parking> parking_;
    std::vector<std::unique_ptr<Loop>> loops_;  ///< the cores', then the control thread's
    std::vector<std::shared_ptr<void>> parts_of_process_;
    std::function<void(Node&)> boot_;
    /// Offloaded work that came due while the process was paused.
    std::vector<std::function<void()>> frozen_;
    bool is_up_ = true;
    bool is_paused_ = false;
};

}  // namespace milena::sim
