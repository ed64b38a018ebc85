// SPDX-License-Identifier: Apache-2.0
// The queue of parked produces: a vector with a moving front.
#include "core/parked_produces.h"

#include <algorithm>

#include "milena/base/invariant.h"

namespace milena::replication {

void ParkedProduces::park(const ParkedProduce& produce) {
    INVARIANT(!full(), "parked beyond the bound");
    if (size() == 0) earliest_ = env::kNever;
    earliest_ = std::min(earliest_, produce.deadline);
    auto at = queue_.end();
    while (at != begin() && produce.required < std::prev(at)->required) --at;
    queue_.insert(at, produce);
}

void ParkedProduces::pop_reached(Offset high_watermark, std::vector<Completion>& completed) {
    std::size_t count = 0;
    for (auto at = begin(); at != queue_.end() && at->required <= high_watermark; ++at, ++count) {
        completed.push_back({at->ticket, ErrorCode::none});
    }
    drop_front(count);
}

void ParkedProduces::pop_expired(env::Instant now, ErrorCode code,
                                 std::vector<Completion>& completed) {
    if (now < next_deadline()) return;
    earliest_ = env::kNever;
    auto kept = begin();
    for (auto at = begin(); at != queue_.end(); ++at) {
        if (at->deadline <= now) {
            completed.push_back({at->ticket, code});
        } else {
            earliest_ = std::min(earliest_, at->deadline);
            *kept++ = *at;
        }
    }
    queue_.erase(kept, queue_.end());
    drop_front(0);
}

void ParkedProduces::pop_all(ErrorCode code, std::vector<Completion>& completed) {
    for (auto at = begin(); at != queue_.end(); ++at) completed.push_back({at->ticket, code});
    drop_front(size());
}

void ParkedProduces::drop_front(std::size_t count) {
    front_ += count;
    INVARIANT(front_ <= queue_.size(), "popped more than was parked");
    if (front_ * 2 < queue_.size()) return;
    queue_.erase(queue_.begin(), begin());
    front_ = 0;
}

}  // namespace milena::replication
