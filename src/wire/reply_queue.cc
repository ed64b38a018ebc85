// SPDX-License-Identifier: Apache-2.0
// A ring of slots: opened at its end, taken off its front when they are done.
#include "milena/wire/connection.h"

namespace milena::wire {

ReplySlot& ReplyQueue::open() {
    INVARIANT(size() < kRepliesMax, "more answers under way than a connection may have");
    auto& slot = ring_[end_ % kRepliesMax];
    if (slot == nullptr) slot = std::make_unique<ReplySlot>();
    slot->tag = next_tag_;
    ++end_;
    ++pending_;
    return *slot;
}

void ReplyQueue::mark_done(ReplySlot& slot) {
    INVARIANT(!slot.done, "a request is answered once");
    slot.done = true;
    if (clock_ != nullptr) slot.tag.ready = clock_->now();
    --pending_;
    unsent_bytes_ += slot.output.bytes().size();
}

ReplySlot* ReplyQueue::front_done() {
    if (begin_ == end_) return nullptr;
    ReplySlot& front = *ring_[begin_ % kRepliesMax];
    return front.done ? &front : nullptr;
}

void ReplyQueue::pop_front() {
    ReplySlot& front = *ring_[begin_ % kRepliesMax];
    INVARIANT(begin_ != end_ && front.done, "only a finished answer leaves the queue");
    unsent_bytes_ -= front.output.bytes().size();
    front.output.clear();
    front.done = false;
    front.close_after = false;
    ++begin_;
}

}  // namespace milena::wire
