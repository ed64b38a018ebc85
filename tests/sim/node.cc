// SPDX-License-Identifier: Apache-2.0
// Timers and pools of a node are events of the timeline that belong to it and die with it.
#include "sim/node.h"

#include <optional>
#include <utility>

#include "milena/base/invariant.h"

namespace milena::sim {
namespace {

/// See RealEnvironment::drop_everything(): a coroutine of one loop may end with one of another that
/// it waits for.
constexpr int kRunOnDepthMax = 8;

class SimTimer final : public env::Timer {
public:
    SimTimer(Timeline& timeline, Timeline::Owner owner, const SimClock& clock,
             std::shared_ptr<Parking> parking)
        : timeline_(timeline),
          owner_(owner),
          clock_(clock),
          wait_(std::make_shared<Wait>(std::move(parking))) {}
    ~SimTimer() override { cancel(); }

    env::Task<bool> wait_until(env::Instant when) override {
        const auto wait = wait_;
        wait->has_come = false;
        if (when != env::kNever) {
            wait->alarm = timeline_.at(clock_.on_timeline(when), owner_, [wait] {
                wait->alarm.reset();
                wait->has_come = true;
                wait->pause.wake();
            });
        }
        co_await wait->pause.wait();
        co_return wait->has_come;
    }

    void cancel() override {
        if (wait_->alarm) timeline_.cancel(*std::exchange(wait_->alarm, std::nullopt));
        wait_->pause.wake();
    }

private:
    /// Outlives the timer for as long as its waiter needs to learn of the end.
    struct Wait {
        explicit Wait(std::shared_ptr<Parking> parking) : pause(std::move(parking)) {}
        Pause pause;
        std::optional<Timeline::EventId> alarm;
        bool has_come = false;
    };

    Timeline& timeline_;
    Timeline::Owner owner_;
    const SimClock& clock_;
    std::shared_ptr<Wait> wait_;
};

}  // namespace

WorldParts::WorldParts(std::uint64_t seed)
    : random(seed), fabric(timeline, random.fork("fabric"), trace) {}

Node::Node(WorldParts& parts, std::string name, Timeline::Owner number, std::size_t cores)
    : world_(parts),
      name_(std::move(name)),
      number_(number),
      cores_(cores),
      random_(parts.random.fork(name_)),
      chance_(random_.fork("chance")),
      spread_chance_(SeededRandom(chance_).fork("spread")),
      clock_(parts.timeline),
      faults_(random_.fork("faults")),
      files_(random_.fork("disk"), faults_, parts.trace),
      host_(parts.fabric.add_host(name_)),
      network_(parts.fabric, host_, clock_, faults_) {
    begin_life();
}

Node::~Node() {
    world_.fabric.lose_process(host_);
    end_life();
}

env::Executor Node::core(std::size_t index) {
    INVARIANT(is_up_ && index < cores_, "no such core, or the node is down");
    return loops_[index]->get_executor();
}

std::size_t Node::core_for(std::size_t number) const {
    // More often than any load would have it.
    constexpr std::uint64_t kOnceIn = 50;
    if (spread_chance_.below(kOnceIn) == 0) cores_at_work_ = 1 + spread_chance_.below(cores_);
    return number % cores_at_work_;
}

env::Executor Node::control() {
    INVARIANT(is_up_, "the node is down");
    return loops_.back()->get_executor();
}

std::unique_ptr<env::Timer> Node::make_timer(env::Executor) {
    return std::make_unique<SimTimer>(world_.timeline, number_, clock_, parking_);
}

env::Task<void> Node::offload(env::Pool, std::function<void()> work) {
    // Not in the order of the calls, as with several threads; the work itself takes no time.
    const auto done = std::make_shared<Pause>(parking_);
    Timeline& timeline = world_.timeline;
    const env::Duration begin = chance_.between(offload_low_, offload_high_);
    const env::Duration rest = chance_.between(offload_low_, offload_high_);
    std::function<void()> act = [this, &timeline, work = std::move(work), rest, done] {
        work();
        timeline.after(rest, number_, [done] { done->wake(); });
    };
    timeline.after(begin, number_, [this, act = std::move(act)]() mutable {
        if (is_paused_) {
            frozen_.push_back(std::move(act));
        } else {
            act();
        }
    });
    co_await done->wait();
}

void Node::set_offload_delay(env::Duration low, env::Duration high) {
    offload_low_ = low;
    offload_high_ = high;
}

void Node::begin_life() {
    parking_ = std::make_shared<Parking>();
    network_.begin_life(parking_);
    for (std::size_t i = 0; i < cores_ + 1; ++i) loops_.push_back(std::make_unique<Loop>());
    // Nobody may compare the monotonic clocks of two nodes, or of two lives of one.
    clock_.set_offset(chance_.between(env::Duration(std::chrono::seconds(1)),
                                      env::Duration(std::chrono::hours(1000))));
}

void Node::end_life() {
    world_.timeline.cancel_all_of(number_);
    frozen_.clear();
    parking_->close();
    for (int round = 0; round < kRunOnDepthMax; ++round) {
        for (const auto& loop : loops_) loop->drop_tasks();
    }
    while (!parts_of_process_.empty()) parts_of_process_.pop_back();
    loops_.clear();
}

}  // namespace milena::sim
