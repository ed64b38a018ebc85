// SPDX-License-Identifier: Apache-2.0
// The stages of a node's life and their text.
#include "health.h"

#include <utility>

#include <fmt/format.h>

namespace milena::node {

std::string_view life_stage_name(LifeStage stage) {
    switch (stage) {
        case LifeStage::starting: return "starting";
        case LifeStage::recovering: return "recovering";
        case LifeStage::ready: return "ready";
        case LifeStage::stopping: return "stopping";
    }
    std::unreachable();
}

void Health::become(LifeStage stage) {
    state_.with([&](State& state) { state.stage = stage; });
}

void Health::watch_recovery(std::function<Progress()> progress) {
    state_.with([&](State& state) { state.progress = std::move(progress); });
}

LifeStage Health::stage() const {
    return state_.with([](const State& state) { return state.stage; });
}

Health::Progress Health::progress() const {
    const auto progress = state_.with([](const State& state) { return state.progress; });
    return progress ? progress() : Progress{};
}

std::string Health::json() const {
    const LifeStage now = stage();
    if (now != LifeStage::recovering)
        return fmt::format("{{\"status\":\"{}\"}}\n", life_stage_name(now));
    const Progress logs = progress();
    return fmt::format("{{\"status\":\"{}\",\"logs_opened\":{},\"logs_total\":{}}}\n",
                       life_stage_name(now), logs.opened, logs.total);
}

}  // namespace milena::node
