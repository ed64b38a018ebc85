// SPDX-License-Identifier: Apache-2.0
// One loop over all moves; while none has anything to copy it looks again after a pause.
#include "milena/drivers/directory_moves.h"

namespace milena::drivers {
namespace {

/// What is appended meanwhile is copied then.
constexpr env::Duration kPause = std::chrono::milliseconds(50);

}  // namespace

DirectoryMoves::DirectoryMoves(env::Env& env, Parts parts)
    : env_(env),
      parts_(std::move(parts)),
      moves_(parts_.replicas.moves()),
      work_(env, env.control()),
      ended_(env, env.control()) {
    moves_.when_due(work_.handle());
}

void DirectoryMoves::start() {
    running_ = true;
    env::spawn(env_.control(), run());
}

env::Task<void> DirectoryMoves::run() {
    while (!stopping_) {
        for (const Uuid topic : moves_.take_ended()) parts_.announce(topic);
        const auto keys = moves_.under_way();
        bool has_more = false;
        for (const auto& key : keys) {
            const bool more = co_await advance(key);
            has_more |= more;
            if (stopping_) break;
        }
        if (has_more || stopping_) continue;
        co_await work_.wait_until(keys.empty() ? env::kNever : env_.clock().now() + kPause);
    }
    running_ = false;
    ended_.notify();
}

env::Task<bool> DirectoryMoves::advance(replication::MoveKey key) {
    if (parts_.quota.is_exceeded(env_.clock().now())) co_return false;
    env::WriteLane* const lane = moves_.lane_of_copy(key);
    if (lane == nullptr) co_return false;
    replication::CopyStep step;
    co_await lane->turns().run(env_, env_.control(), [&] { step = moves_.copy(key); });
    parts_.quota.record(step.bytes, env_.clock().now());
    if (step.is_news) parts_.announce(key.topic);
    if (!step.may_finish) co_return step.bytes != 0 && !step.is_caught_up;
    if (env::WriteLane* const own = moves_.lane_of_log(key); own != nullptr) {
        co_await own->turns().run(env_, env_.control(), [&] { moves_.finish(key); });
        parts_.announce(key.topic);
    }
    co_return false;
}

env::Task<void> DirectoryMoves::stop() {
    stopping_ = true;
    work_.notify();
    while (running_) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers
