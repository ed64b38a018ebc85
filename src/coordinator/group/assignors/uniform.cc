// SPDX-License-Identifier: Apache-2.0
// Uniform: everybody gets as many as everybody else, or one more, and keeps what it had as far as
// that goes. Members that all subscribe to the same are easy; others are in mixed.cc.
#include <algorithm>
#include <unordered_set>

#include "mixed.h"

namespace milena::coordinator {
namespace {

class Uniform {
public:
    explicit Uniform(const AssignorInput& input)
        : input_(input), assignment_(input.members.size()), near_(input) {
        for (const Uuid topic : *input.members.front().topics) {
            const auto known = input.topics.find(topic);
            if (known != input.topics.end())
                total_ += static_cast<std::size_t>(known->second.partitions);
        }
        least_ = total_ / input.members.size();
        longer_ = total_ % input.members.size();
    }

    Assignment run() {
        for (std::size_t member = 0; member < assignment_.size(); ++member) keep(member);
        std::vector<GroupPartition> free = unassigned();
        if (near_.is_of_use()) free = give_near(free);
        give(free);
        for (PartitionSet& one : assignment_) std::ranges::sort(one);
        return std::move(assignment_);
    }

private:
    bool is_there(const GroupPartition& one) const {
        const auto known = input_.topics.find(one.topic);
        return known != input_.topics.end() && one.index.value < known->second.partitions &&
               std::ranges::binary_search(*input_.members.front().topics, one.topic);
    }

    /// As many of what it had as it may have; those near it first.
    void keep(std::size_t member) {
        if (!input_.members[member].had) return;
        PartitionSet had;
        for (const GroupPartition& one : *input_.members[member].had) {
            if (is_there(one) && !taken_.contains(one)) had.push_back(one);
        }
        std::size_t most = least_;
        if (had.size() > least_ && longer_ > 0) {
            ++most;
            --longer_;
        }
        if (had.size() > most && near_.is_of_use()) {
            std::ranges::sort(had, {}, [&](const GroupPartition& one) {
                return std::pair(!near_.is_near(member, one), one);
            });
        }
        had.resize(std::min(had.size(), most));
        taken_.insert(had.begin(), had.end());
        assignment_[member] = std::move(had);
    }

    std::vector<GroupPartition> unassigned() const {
        std::vector<GroupPartition> free;
        for (const Uuid topic : *input_.members.front().topics) {
            const auto known = input_.topics.find(topic);
            if (known == input_.topics.end()) continue;
            for (std::int32_t index = 0; index < known->second.partitions; ++index) {
                const GroupPartition one{topic, PartitionIndex(index)};
                if (!taken_.contains(one)) free.push_back(one);
            }
        }
        return free;
    }

    /// How many more it may have before everybody has the least.
    std::size_t room(std::size_t member) const {
        const std::size_t has = assignment_[member].size();
        return has < least_ ? least_ - has : 0;
    }

    /// To members of a partition's racks that have room; gives what is left.
    std::vector<GroupPartition> give_near(const std::vector<GroupPartition>& free) {
        std::vector<GroupPartition> left;
        for (const GroupPartition& one : free) {
            const auto member =
                near_.first_near(one, [&](std::size_t which) { return room(which) > 0; });
            if (member) {
                assignment_[*member].push_back(one);
            } else {
                left.push_back(one);
            }
        }
        return left;
    }

    /// In stretches, and the rest one each.
    void give(const std::vector<GroupPartition>& free) {
        auto next = free.begin();
        for (std::size_t member = 0; member < assignment_.size(); ++member) {
            for (std::size_t left = room(member); left > 0 && next != free.end(); --left)
                assignment_[member].push_back(*next++);
        }
        for (std::size_t member = 0; member < assignment_.size() && next != free.end(); ++member) {
            if (assignment_[member].size() <= least_) assignment_[member].push_back(*next++);
        }
    }

    const AssignorInput& input_;
    Assignment assignment_;
    Nearness near_;
    std::unordered_set<GroupPartition, GroupPartitionHash> taken_;
    std::size_t total_ = 0;
    std::size_t least_ = 0;
    std::size_t longer_ = 0;  ///< members that may have one more
};

bool all_subscribe_to_the_same(const std::vector<AssignorMember>& members) {
    return std::ranges::all_of(members, [&](const AssignorMember& member) {
        return member.topics == members.front().topics || *member.topics == *members.front().topics;
    });
}

}  // namespace

Assignment assign_uniform(const AssignorInput& input) {
    if (input.members.empty()) return {};
    return all_subscribe_to_the_same(input.members) ? Uniform(input).run() : assign_mixed(input);
}

}  // namespace milena::coordinator
