// SPDX-License-Identifier: Apache-2.0
// What the requests of members of consumer groups have in common, whichever protocol they speak:
// who comes in, what a changed subscription makes of the group, and how a member goes on from
// there. All of it writes changes; whether it may happen is checked before.
#pragma once

#include "../decision.h"

namespace milena::coordinator {

/// As the group has set it, or the broker.
ConsumerSettings settings_of(const Decision& decision, std::string_view group);

/// Who is in the name of a member or instance that says an epoch or generation.
struct ClaimedMember {
    std::string_view member_id;
    const std::optional<std::string>& instance_id;
};
/// UNKNOWN_MEMBER_ID, or FENCED_INSTANCE_ID: another process has taken the instance's place.
Result<const ConsumerMember*> find_member(const ConsumerGroup& group, const ClaimedMember& claimed);

/// GROUP_MAX_SIZE_REACHED if the group is full and neither the member nor its instance in it.
Result<void> check_room(const Table& table, const ConsumerGroup& group,
                        const ClaimedMember& claimed);

/// The instance's process has another id from now on, and goes on with what it had.
void replace_static(Decision& decision, ConsumerGroup& group, const std::string& old_id,
                    const std::string& new_id);

/// The member says this of itself. True if it is another subscription than before, which makes a
/// new epoch of the group.
bool update_metadata(Decision& decision, ConsumerGroup& group, const std::string& member_id,
                     MemberMetadata metadata);
/// Patterns that no member has any more are forgotten.
void drop_unused_regexes(Decision& decision, ConsumerGroup& group);

/// The group's next epoch, if its subscriptions have changed, and why, or its topics are otherwise.
void advance_epoch(Decision& decision, ConsumerGroup& group, std::optional<RebalanceReason> why);

/// What a member has just said.
struct Said {
    const PartitionSet* owned = nullptr;  ///< null: nothing of what it has
    std::int32_t epoch = 0;               ///< that it is at; 0: it joins
};
/// The member goes on towards the assignment that there is. With `has_changed`, its subscription
/// may be another than it was.
void reconcile_member(Decision& decision, ConsumerGroup& group, const std::string& member_id,
                      const Said& said, bool has_changed);

/// It lives; if it has to give partitions up its time for that runs.
void extend_consumer_session(Decision& decision, const ConsumerGroup& group,
                             const std::string& member_id);

/// They are out. A group whose other members all speak the classic protocol goes on as a classic
/// one, if it may.
void remove_members(Decision& decision, ConsumerGroup& group,
                    const std::vector<std::string>& member_ids, RebalanceReason why);

/// A moment of a member of a consumer group has come; its timer is not set any more.
void on_consumer_due(Decision& decision, const Due& due);
/// Sessions of all members begin; those that have to give partitions up have their time for it.
void begin_sessions(Decision& decision, const ConsumerGroup& group);

/// What was decided of a member has not happened: its session goes on, if it is in the group.
void after_failure(Decision& decision, const std::string& group, const std::string& member_id);

/// Tombstones for all there is of a group, its own last.
void erase_group(Decision& decision, ConsumerGroup& group);

}  // namespace milena::coordinator
