// SPDX-License-Identifier: Apache-2.0
// Goes round through all partitions of a leader, a request at a time.
#include "leader_questions.h"

namespace milena::drivers {

std::vector<AskedEnds> LeaderQuestions::next(const std::vector<AskedEnds>& all, env::Instant now) {
    std::vector<AskedEnds> out;
    if (is_asking_ || now < not_before_ || all.empty()) return out;
    std::size_t left = partitions_max_;
    const auto take = [&](const AskedEnds& from, std::size_t begin, std::size_t end) {
        const std::size_t count = std::min(left, end - begin);
        left -= count;
        if (count > 0) {
            const auto first = from.partitions.begin() + static_cast<std::ptrdiff_t>(begin);
            out.push_back(
                {from.topic, from.id, {first, first + static_cast<std::ptrdiff_t>(count)}});
        }
        if (begin + count == end) return true;
        topic_ = from.topic;
        partition_ = from.partitions[begin + count];
        return false;
    };
    const auto first = std::ranges::lower_bound(all, topic_, {}, &AskedEnds::topic);
    const std::size_t start = static_cast<std::size_t>(first - all.begin());
    std::size_t skipped = 0;
    if (first != all.end() && first->topic == topic_) {
        skipped = static_cast<std::size_t>(std::ranges::lower_bound(first->partitions, partition_) -
                                           first->partitions.begin());
    }
    bool has_all = true;
    for (std::size_t i = 0; i < all.size() && has_all; ++i) {
        const AskedEnds& one = all[(start + i) % all.size()];
        has_all = take(one, i == 0 ? skipped : 0, one.partitions.size());
    }
    // Back where it began, in the middle of a topic.
    if (has_all && skipped > 0) has_all = take(*first, 0, skipped);
    if (has_all) {
        topic_.clear();
        partition_ = PartitionIndex(0);
    }
    is_asking_ = !out.empty();
    return out;
}

void LeaderQuestions::answered() {
    is_asking_ = false;
    pause_ = {};
}

bool LeaderQuestions::failed(env::Instant now) {
    const bool is_first = pause_ == env::Duration::zero();
    is_asking_ = false;
    pause_ = std::clamp(pause_ * 2, kPauseMin, kPauseMax);
    not_before_ = now + pause_;
    return is_first;
}

}  // namespace milena::drivers
