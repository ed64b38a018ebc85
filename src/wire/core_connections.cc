// SPDX-License-Identifier: Apache-2.0
// The connections of one core that are given up: silent ones, and the one that holds memory others
// need.
#include "milena/wire/connection.h"
#include "receive_buffer.h"

namespace milena::wire {
namespace {

/// One line for each hostile connection, unless they come in crowds.
constexpr env::Duration kHostileLineInterval = std::chrono::milliseconds(500);
constexpr std::int64_t kHostileLineBurst = 20;
/// A frame that got no byte for this long may be given up for the others when memory is short.
constexpr env::Duration kStalledAfter = std::chrono::seconds(1);

}  // namespace

CoreConnections::CoreConnections(env::Env& env, env::Executor owner, ConnectionLimits limits,
                                 env::ByteBudget& budget, Logger log)
    : env_(env),
      owner_(owner),
      limits_(limits),
      budget_(budget),
      log_(std::move(log)),
      hostile_(kHostileLineInterval, kHostileLineBurst) {}

void CoreConnections::close_idle() {
    const auto now = env_.clock().now();
    for (Connection* connection : by_activity_) {
        if (now - connection->last_activity_ < limits_.idle_max) break;
        // It may be the peer that waits: a JoinGroup does so for as long as a rebalance takes.
        const bool owes_answer = connection->is_serving_ || connection->replies_.pending() != 0;
        // One that takes no answers is silent, whatever it is owed.
        if (!owes_answer || connection->flushing_) connection->close();
    }
}

void CoreConnections::close_all() {
    for (Connection* connection : by_activity_) connection->close();
}

void CoreConnections::close_most_stalled() {
    const auto now = env_.clock().now();
    for (Connection* connection : by_activity_) {
        if (now - connection->last_activity_ < kStalledAfter) return;
        // One that waits for the budget itself is kept waiting by us and not by its peer.
        if (!connection->buffer_->has_partial_frame() || connection->waits_for_budget_) continue;
        if (connection->closed_) return;  // closed before, and about to give back what it holds
        connection->log_end(
            {ErrorCode::request_timed_out,
             "its unfinished frame made no progress while queued.max.request.bytes was used up"});
        connection->close();
        return;
    }
}

}  // namespace milena::wire
