// SPDX-License-Identifier: Apache-2.0
// One block at a time, one question to the controller at a time.
#include "milena/server/producer_ids.h"

namespace milena::server {

std::optional<ProducerId> ProducerIds::take() {
    return state_.with([](State& state) -> std::optional<ProducerId> {
        if (state.next == state.end) return std::nullopt;
        return ProducerId(state.next++);
    });
}

bool ProducerIds::must_ask(const std::shared_ptr<env::Wakeup>& wakeup) {
    return state_.with([&](State& state) {
        if (!state.is_asking) return state.is_asking = true;
        state.waiting.push_back(wakeup);
        return false;
    });
}

void ProducerIds::answered(const Result<controller::ProducerIdBlock>& block) {
    const auto waiting = state_.with([&](State& state) {
        state.is_asking = false;
        if (block) {
            state.next = block->first;
            state.end = block->first + block->count;
        }
        return std::exchange(state.waiting, {});
    });
    for (const auto& one : waiting) {
        if (const auto wakeup = one.lock()) wakeup->notify();
    }
}

env::Task<Result<ProducerId>> ProducerIds::next(env::Executor owner, env::Instant deadline) {
    if (const auto id = take()) co_return *id;
    const auto wakeup = std::make_shared<env::Wakeup>(env_, owner);
    for (;;) {
        std::string why = "the block is being asked for";
        bool is_over = false;
        if (must_ask(wakeup)) {
            const auto block = co_await allocate_(deadline);
            answered(block);
            is_over = !block;
            if (!block) why = block.error().why;
        } else {
            is_over = !co_await wakeup->wait_until(deadline);
        }
        if (const auto id = take()) co_return *id;
        if (is_over) co_return fail(ErrorCode::coordinator_load_in_progress, why);
    }
}

}  // namespace milena::server
