// SPDX-License-Identifier: Apache-2.0
// Uniform for members that subscribe to different topics. What they had is kept; what nobody has
// goes to who has least of those that subscribe to it; then partitions go from who has most to who
// has least, topic by topic, until no move makes two members more alike.
#include "mixed.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace milena::coordinator {
namespace {

/// Rounds over all topics. Each makes loads more alike, and few are needed; the bound is for odd
/// subscriptions, where balance is not worth a core.
constexpr int kRoundsMax = 64;

class Mixed {
public:
    explicit Mixed(const AssignorInput& input)
        : input_(input), near_(input), loads_(input.members.size(), 0) {
        for (std::size_t member = 0; member < input.members.size(); ++member) {
            for (const Uuid topic : *input.members[member].topics) {
                const auto known = input.topics.find(topic);
                if (known == input.topics.end()) continue;
                auto& one = topics_[topic];
                one.partitions = known->second.partitions;
                one.subscribers.push_back(member);
            }
        }
    }

    Assignment run() {
        for (std::size_t member = 0; member < loads_.size(); ++member) keep(member);
        for (auto* const topic : fewest_subscribers_first()) give(*topic);
        for (int round = 0; round < kRoundsMax && balance(); ++round) {
        }
        return result();
    }

private:
    struct Topic {
        std::int32_t partitions = 0;
        std::vector<std::size_t> subscribers;
        /// What each member has of it, if it has any.
        std::map<std::size_t, std::vector<GroupPartition>> of;
    };
    using Entry = std::pair<const Uuid, Topic>;

    bool is_subscriber(const Topic& topic, std::size_t member) const {
        return std::ranges::binary_search(topic.subscribers, member);
    }

    void keep(std::size_t member) {
        if (!input_.members[member].had) return;
        for (const GroupPartition& one : *input_.members[member].had) {
            const auto topic = topics_.find(one.topic);
            if (topic == topics_.end() || one.index.value >= topic->second.partitions) continue;
            if (!is_subscriber(topic->second, member) || !taken_.insert(one).second) continue;
            topic->second.of[member].push_back(one);
            ++loads_[member];
        }
    }

    /// Those that have no choice are placed first.
    std::vector<Entry*> fewest_subscribers_first() {
        std::vector<Entry*> order;
        for (Entry& one : topics_) order.push_back(&one);
        std::ranges::sort(order, {}, [](const Entry* one) {
            return std::pair(one->second.subscribers.size(), one->first);
        });
        return order;
    }

    using ByLoad = std::set<std::pair<std::size_t, std::size_t>>;
    ByLoad by_load(const Topic& topic) const {
        ByLoad order;
        for (const std::size_t member : topic.subscribers) order.emplace(loads_[member], member);
        return order;
    }

    void give(Entry& entry) {
        Topic& topic = entry.second;
        ByLoad order = by_load(topic);
        for (std::int32_t index = 0; index < topic.partitions; ++index) {
            const GroupPartition one{entry.first, PartitionIndex(index)};
            if (!taken_.insert(one).second) continue;
            const std::size_t member = least_loaded(order, one);
            order.erase({loads_[member], member});
            order.emplace(++loads_[member], member);
            topic.of[member].push_back(one);
        }
    }

    /// Of those that have least one that is near, if there is one.
    std::size_t least_loaded(const ByLoad& order, const GroupPartition& partition) const {
        const std::size_t least = order.begin()->first;
        if (near_.is_of_use()) {
            for (auto at = order.begin(); at != order.end() && at->first == least; ++at) {
                if (near_.is_near(at->second, partition)) return at->second;
            }
        }
        return order.begin()->second;
    }

    /// True if something has moved.
    bool balance() {
        bool has_moved = false;
        for (auto& [id, topic] : topics_) {
            ByLoad order = by_load(topic);
            while (move_one(topic, order)) has_moved = true;
        }
        return has_moved;
    }

    bool move_one(Topic& topic, ByLoad& order) {
        const auto to = order.begin();
        for (auto from = order.rbegin(); from != order.rend(); ++from) {
            if (from->first < to->first + 2) return false;
            const std::size_t giver = from->second;
            const std::size_t taker = to->second;
            auto& has = topic.of[giver];
            if (has.empty()) continue;
            topic.of[taker].push_back(has.back());
            has.pop_back();
            order.erase({loads_[giver], giver});
            order.erase({loads_[taker], taker});
            order.emplace(--loads_[giver], giver);
            order.emplace(++loads_[taker], taker);
            return true;
        }
        return false;
    }

    Assignment result() const {
        Assignment out(loads_.size());
        for (const auto& [id, topic] : topics_) {
            for (const auto& [member, has] : topic.of)
                out[member].insert(out[member].end(), has.begin(), has.end());
        }
        for (PartitionSet& one : out) std::ranges::sort(one);
        return out;
    }

    const AssignorInput& input_;
    Nearness near_;
    std::vector<std::size_t> loads_;
    std::map<Uuid, Topic> topics_;
    std::unordered_set<GroupPartition, GroupPartitionHash> taken_;
};

}  // namespace

Assignment assign_mixed(const AssignorInput& input) {
    return Mixed(input).run();
}

}  // namespace milena::coordinator
