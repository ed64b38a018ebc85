// SPDX-License-Identifier: Apache-2.0
// Who is told that a partition has news. Lives under the partition's guard; listeners are called
// after it is released: collect() takes a handful of them out under the guard, tell() calls them
// without, and so on until all have been told. No memory is taken for telling, whatever the number
// of listeners.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "milena/replication/partition.h"

namespace milena::replication {

/// A handful of listeners on their way out of the guard, and where to go on.
class NewsRound {
public:
    static constexpr std::size_t kHandful = 8;

    /// Calls those collected and lets go of them; without the guard, for that may destroy them.
    void tell();
    /// There may be more to collect.
    bool unfinished() const { return unfinished_; }

private:
    friend class FetchListeners;
    std::array<std::shared_ptr<FetchListener>, kHandful> handful_;
    std::size_t count_ = 0;
    std::uint64_t told_up_to_ = 0;
    /// Whoever registers after the round began has read, or will, what it is about.
    std::uint64_t ends_at_ = 0;
    bool unfinished_ = false;
};

class FetchListeners {
public:
    void add(const std::shared_ptr<FetchListener>& listener);
    /// All registrations of it.
    void remove(const FetchListener* listener);

    /// The next handful of those registered after what `round` has collected before.
    void collect(NewsRound& round);

    std::size_t size() const { return entries_.size(); }

private:
    struct Entry {
        std::uint64_t number = 0;  ///< ascending, so that a round finds its place again
        const FetchListener* key = nullptr;
        std::weak_ptr<FetchListener> listener;
    };

    std::vector<Entry> entries_;
    std::uint64_t next_number_ = 1;
    /// The dead are swept when there are this many entries, at least half of which then were alive
    /// the last time.
    std::size_t sweep_at_ = 16;
};

}  // namespace milena::replication
