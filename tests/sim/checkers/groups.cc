// SPDX-License-Identifier: Apache-2.0
// I11 and I12: what a group has committed, and who could commit it.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "sim/checkers/checker.h"

namespace milena::sim {
namespace {

using Commits = std::vector<CommitStep>;

/// Those that were answered with success, in the order of the answers.
std::vector<const CommitStep*> done(const Commits& commits) {
    std::vector<const CommitStep*> found;
    for (const CommitStep& one : commits) {
        if (one.done != env::kNever) found.push_back(&one);
    }
    std::ranges::sort(found, {}, [](const CommitStep* one) { return one->done; });
    return found;
}

/// Walks through moments, and tells for each the greatest offset that was acknowledged before it.
class Acknowledged {
public:
    explicit Acknowledged(const Commits& commits) : done_(done(commits)) {}

    /// Moments never go back.
    const CommitStep* before(env::Instant moment) {
        for (; next_ < done_.size() && done_[next_]->done <= moment; ++next_) {
            if (greatest_ == nullptr || done_[next_]->offset > greatest_->offset)
                greatest_ = done_[next_];
        }
        return greatest_;
    }

private:
    std::vector<const CommitStep*> done_;
    std::size_t next_ = 0;
    const CommitStep* greatest_ = nullptr;
};

template <class Step>
std::vector<const Step*> by_moment_of_asking(const std::vector<Step>& steps) {
    std::vector<const Step*> sorted;
    for (const Step& one : steps) sorted.push_back(&one);
    std::ranges::sort(sorted, {}, [](const Step* one) { return one->asked; });
    return sorted;
}

std::string text(const CommitStep& one) {
    return fmt::format("{} in generation {} by {}", one.offset, one.generation, one.member);
}

}  // namespace

void committed_offsets_stay(const History& history, Findings& findings) {
    for (const auto& [group, seen] : history.groups) {
        for (const auto& [index, partition] : seen.partitions) {
            Acknowledged acknowledged(partition.commits);
            std::int64_t last = -1;
            for (const CommitStep& one : partition.commits) last = std::max(last, one.offset);
            for (const OffsetTold* const told : by_moment_of_asking(partition.told)) {
                const CommitStep* const least = acknowledged.before(told->asked);
                if (least != nullptr && told->offset < least->offset) {
                    findings.add(fmt::format("{}, {}: {} is told, {} was committed before", group,
                                             index, told->offset, text(*least)));
                }
                if (told->offset > last)
                    findings.add(fmt::format("{}, {}: {} is told, which nobody committed", group,
                                             index, told->offset));
            }
        }
    }
}

void only_the_owner_commits(const History& history, Findings& findings) {
    for (const auto& [group, seen] : history.groups) {
        for (const auto& [index, partition] : seen.partitions) {
            Acknowledged acknowledged(partition.commits);
            for (const CommitStep* const one : by_moment_of_asking(partition.commits)) {
                const CommitStep* const before = acknowledged.before(one->asked);
                if (one->done == env::kNever || before == nullptr) continue;
                if (one->offset < before->offset) {
                    findings.add(fmt::format("{}, {}: {} was committed after {}", group, index,
                                             text(*one), text(*before)));
                }
            }
        }
        if (seen.is_mixed) continue;
        std::map<std::pair<std::int32_t, std::int32_t>, std::string> owners;
        for (const auto& one : seen.assignments) {
            for (const std::int32_t index : one.partitions) {
                const auto [owner, is_first] =
                    owners.try_emplace({one.generation, index}, one.member);
                if (is_first || owner->second == one.member) continue;
                findings.add(fmt::format("{}, {}: both {} and {} own it in generation {}", group,
                                         index, owner->second, one.member, one.generation));
            }
        }
    }
}

}  // namespace milena::sim
