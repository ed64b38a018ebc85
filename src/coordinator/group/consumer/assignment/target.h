// SPDX-License-Identifier: Apache-2.0
// The assignment that a consumer group is to come to: when it is computed, by which assignor, and
// how its outcome is written. That of a small group is computed in place, that of a large one
// beside everybody, from what the group was when it began.
#pragma once

#include "../../assignors/assignor.h"
#include "../../decision.h"

namespace milena::coordinator {

/// Members and partitions that are assigned in place: some hundred microseconds.
inline constexpr std::size_t kAssignedInPlaceMax = 1'000;

/// One assignment, from members and topics as they are when it is made.
class AssignmentWork final : public GroupWork {
public:
    AssignmentWork(const Table& table, const ConsumerGroup& group);
    void run() override;

    /// Members and partitions.
    std::size_t size() const { return size_; }
    const std::string& group() const { return group_; }
    std::int32_t epoch() const { return epoch_; }
    const AssignorInput& input() const { return input_; }
    const Assignment& assignment() const { return assignment_; }

private:
    std::string group_;
    std::int32_t epoch_;
    std::shared_ptr<const TopicsView> topics_;
    const Assignor* assignor_;
    AssignorInput input_;
    Assignment assignment_;
    std::size_t size_ = 0;
};

/// The assignor of the group: its members' wish, or the broker's first.
std::string assignor_of(const Table& table, const ConsumerGroup& group);

/// Assigns, or begins to, if the group is ahead of its assignment and the last one is long enough
/// ago.
void assign_if_due(Decision& decision, ConsumerGroup& group);
/// The assignment is there: it is what the group's members are to come to.
void assigned(Decision& decision, const AssignmentWork& work);

}  // namespace milena::coordinator
