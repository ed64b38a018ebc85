// SPDX-License-Identifier: Apache-2.0
// What one leader is to be asked for the ends of its partitions, and when: one bounded request in a
// round, of which each takes up where the last one had to stop; pauses grow while it does not
// answer. Pure; its owner carries the requests.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "milena/env/clock.h"
#include "watched_offsets.h"

namespace milena::drivers {

/// Partitions of one topic, and which topic of that name it is.
struct AskedEnds {
    std::string topic;
    Uuid id;
    std::vector<PartitionIndex> partitions;

    bool operator==(const AskedEnds&) const = default;
};

class LeaderQuestions {
public:
    /// Of one request: some 100 KiB.
    static constexpr std::size_t kPartitionsMax = 10'000;
    static constexpr env::Duration kPauseMin = std::chrono::seconds(1);
    static constexpr env::Duration kPauseMax = std::chrono::seconds(60);

    explicit LeaderQuestions(std::size_t partitions_max = kPartitionsMax)
        : partitions_max_(partitions_max) {}

    /// Of `all`, in the order of names and partitions, what is to be asked now: nothing while an
    /// answer or the end of a pause is waited for. What is asked is answered(), or failed().
    std::vector<AskedEnds> next(const std::vector<AskedEnds>& all, env::Instant now);
    bool is_asking() const { return is_asking_; }
    void answered();
    /// True the first time since it has answered.
    bool failed(env::Instant now);

private:
    const std::size_t partitions_max_;
    bool is_asking_ = false;
    env::Instant not_before_{};
    env::Duration pause_{};
    /// Where the next request begins.
    std::string topic_;
    PartitionIndex partition_{0};
};

}  // namespace milena::drivers
