// SPDX-License-Identifier: Apache-2.0
// Registration, and telling without memory: a handful at a time, in order of registration.
#include "fetch_listeners.h"

#include <algorithm>
#include <utility>

namespace milena::replication {

void NewsRound::tell() {
    for (std::size_t i = 0; i < count_; ++i) {
        const std::shared_ptr<FetchListener> listener = std::move(handful_[i]);
        listener->partition_has_news();
    }
    count_ = 0;
}

void FetchListeners::add(const std::shared_ptr<FetchListener>& listener) {
    if (entries_.size() >= sweep_at_) {
        std::erase_if(entries_, [](const Entry& entry) { return entry.listener.expired(); });
        sweep_at_ = std::max<std::size_t>(16, entries_.size() * 2);
    }
    entries_.push_back({next_number_++, listener.get(), listener});
}

void FetchListeners::remove(const FetchListener* listener) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.key == listener; });
}

void FetchListeners::collect(NewsRound& round) {
    INVARIANT(round.count_ == 0, "listeners collected before were not told");
    if (round.ends_at_ == 0) round.ends_at_ = next_number_;
    auto at = std::ranges::upper_bound(entries_, round.told_up_to_, {}, &Entry::number);
    const auto more = [&] { return at != entries_.end() && at->number < round.ends_at_; };
    while (more() && round.count_ < NewsRound::kHandful) {
        round.told_up_to_ = at->number;
        if (std::shared_ptr<FetchListener> listener = at->listener.lock()) {
            round.handful_[round.count_++] = std::move(listener);
        }
        ++at;
    }
    round.unfinished_ = more();
}

}  // namespace milena::replication
