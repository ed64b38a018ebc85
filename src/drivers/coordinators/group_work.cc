// SPDX-License-Identifier: Apache-2.0
// What takes long to compute runs in the compute pool; its outcome is decided on like a request.
#include "hosted_groups.h"

namespace milena::drivers {

void HostedGroups::start_work(GroupStep& step) {
    for (auto& work : std::exchange(step.work, {})) {
        host_.begin_one();
        env::spawn(place_.home, run_work(std::move(work)));
    }
}

env::Task<void> HostedGroups::run_work(std::shared_ptr<coordinator::GroupWork> work) {
    const auto self = shared_from_this();
    co_await host_.env.offload(env::Pool::compute, [&] { work->run(); });
    if (co_await take_turn(place_.home, SIZE_MAX)) {
        GroupStep step;
        state_.with([&](State& state) {
            if (state.phase == Phase::active)
                step = noted(state, state.groups->finished(work, time()));
        });
        co_await finish(place_.home, std::move(step), host_.counters.deleted_offsets);
    }
    host_.end_one();
}

void HostedGroups::follow(const std::shared_ptr<const coordinator::TopicsView>& topics,
                          std::span<const std::string> changed) {
    state_.with([&](State& state) {
        state.topics = topics;
        if (state.groups != nullptr) state.groups->follow(topics, changed);
    });
}

}  // namespace milena::drivers
