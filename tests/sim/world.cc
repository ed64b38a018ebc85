// SPDX-License-Identifier: Apache-2.0
// The loop: run what is ready until nothing is, then let time move to the next event.
#include "sim/world.h"

#include <utility>

#include "milena/base/invariant.h"

namespace milena::sim {
namespace {

/// More steps than this without time moving is a loop that waits for itself.
constexpr std::uint64_t kStepsPerMomentMax = 10'000'000;

env::Task<void> run_and_tell(env::Task<void> task, std::shared_ptr<bool> is_done) {
    co_await std::move(task);
    *is_done = true;
}

}  // namespace

World::World(std::uint64_t seed)
    : parts_(seed), random_(parts_.random.fork("world")), order_(parts_.random.fork("order")) {}

World::~World() = default;

Node& World::add_node(const std::string& name, std::size_t cores) {
    nodes_.push_back(std::make_unique<Node>(parts_, name, nodes_.size() + 1, cores));
    return *nodes_.back();
}

void World::run_for(env::Duration duration) {
    set_all_ready();
    const env::Instant end = now() + duration;
    while (step(end)) {
    }
    parts_.timeline.advance_to(end);
}

bool World::run_until(const std::function<bool()>& done, env::Duration limit) {
    set_all_ready();
    const env::Instant end = now() + limit;
    while (!done()) {
        if (step(end)) continue;
        parts_.timeline.advance_to(end);
        return false;
    }
    return true;
}

/// Whoever is outside may have given any node something to do.
void World::set_all_ready() {
    for (const auto& node : nodes_) node->parking_->set_ready();
}

bool World::run(Node& node, env::Task<void> task, env::Duration limit) {
    const auto is_done = std::make_shared<bool>(false);
    env::spawn(node.core(0), run_and_tell(std::move(task), is_done));
    return run_until([&] { return *is_done; }, limit);
}

void World::after(env::Duration delay, std::function<void()> what) {
    parts_.timeline.after(delay, 0, [this, what = std::move(what)] {
        what();
        set_all_ready();
    });
}

/// What is ready, or the next event before `limit`; false if there is neither.
bool World::step(env::Instant limit) {
    if (!run_one_ready() && !advance(limit)) return false;
    observer_();
    return true;
}

bool World::advance(env::Instant limit) {
    if (parts_.timeline.next() > limit) return false;
    const env::Instant before = now();
    const Timeline::Owner owner = parts_.timeline.step();
    if (owner > 0) nodes_[owner - 1]->parking_->set_ready();
    parts_.trace.fold(static_cast<std::uint64_t>(now().time_since_epoch().count()));
    steps_at_this_moment_ = before == now() ? steps_at_this_moment_ + 1 : 0;
    INVARIANT(steps_at_this_moment_ < kStepsPerMomentMax, "time stands still");
    return true;
}

// One handler of one loop. Each round asks every loop once, in an order drawn anew, of the nodes on
// which something may be ready.
bool World::run_one_ready() {
    for (;;) {
        if (turn_.empty()) {
            for (const auto& node : nodes_) {
                if (node->is_paused_ || !node->parking_->take_ready()) continue;
                for (std::size_t i = 0; i < node->loops_.size(); ++i)
                    turn_.emplace_back(node.get(), i);
            }
            if (turn_.empty()) return false;
        }
        while (!turn_.empty()) {
            std::swap(turn_[order_.below(turn_.size())], turn_.back());
            const auto [node, index] = turn_.back();
            turn_.pop_back();
            is_inside_node_ = true;
            Loop& loop = *node->loops_[index];
            const bool has_run = (is_coarse_ ? loop.poll() : loop.poll_one()) > 0;
            is_inside_node_ = false;
            if (!has_run) continue;
            node->parking_->set_ready();
            parts_.trace.fold(node->number_ << 8 | index);
            INVARIANT(++steps_at_this_moment_ < kStepsPerMomentMax, "time stands still");
            if (node->faults_.power_is_lost()) crash(*node, Crash::power);
            return true;
        }
    }
}

void World::boot(Node& node, std::function<void(Node&)> start) {
    node.boot_ = std::move(start);
    node.boot_(node);
}

void World::crash(Node& node, Crash how) {
    INVARIANT(!is_inside_node_, "a node can't crash from inside itself");
    if (!node.is_up_) return;
    node.is_up_ = node.is_paused_ = false;
    std::erase_if(turn_, [&](const auto& turn) { return turn.first == &node; });
    if (how == Crash::power) {
        parts_.fabric.lose_power(node.host_);
        node.files_.lose_power();
    } else {
        parts_.fabric.lose_process(node.host_);
        node.files_.lose_process();
    }
    node.end_life();
}

void World::pause(Node& node) {
    if (!node.is_up_) return;
    node.is_paused_ = true;
    std::erase_if(turn_, [&](const auto& turn) { return turn.first == &node; });
}

void World::resume(Node& node) {
    if (!std::exchange(node.is_paused_, false)) return;
    for (auto& work : std::exchange(node.frozen_, {})) work();
    node.parking_->set_ready();
}

void World::restart(Node& node) {
    INVARIANT(!node.is_up_, "a node that runs can't restart");
    node.is_up_ = true;
    node.faults_.clear();
    node.begin_life();
    parts_.fabric.restore_power(node.host_);
    if (node.boot_) node.boot_(node);
}

}  // namespace milena::sim
