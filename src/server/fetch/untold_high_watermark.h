// SPDX-License-Identifier: Apache-2.0
// How long a follower that waits for records may go without a high watermark that has moved. Under
// load the next records bring it along, so nobody is answered for its sake at once; an idle
// follower, from which consumers may read, hears of it a few milliseconds later. Pure.
#pragma once

#include <chrono>

#include "milena/env/clock.h"
#include "milena/replication/partition.h"

namespace milena::server {

class UntoldHighWatermark {
public:
    /// Between a move and the answer that tells it, if nothing else is to be told before.
    static constexpr env::Duration kPatience = std::chrono::milliseconds(5);

    /// A partition gave `answer` to a follower that was told `told` last. The clock is asked once a
    /// request, and only if there is something to tell.
    void read(Offset told, const replication::FetchAnswer& answer, auto&& now) {
        if (due_ != env::kNever || answer.code != ErrorCode::none) return;
        if (answer.high_watermark != told) due_ = now() + kPatience;
    }
    /// When the request is to be answered with what there is; kNever if nothing is untold.
    env::Instant due() const { return due_; }

private:
    env::Instant due_ = env::kNever;
};

}  // namespace milena::server
