// SPDX-License-Identifier: Apache-2.0
// One group of the consumer protocol (KIP-848), as its records say it. Three epochs follow one
// another: the group's grows with every change of members, subscriptions or topics; the target
// assignment's comes to it when an assignor has run; each member's comes to that when it has given
// up what it is to give up.
//
// It changes by ConsumerChange alone, one for each kind of record, and each change has an inverse:
// what is decided is in effect at once, and is taken back if its records can't be appended.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "../classic/timers.h"
#include "../history/rebalance_history.h"
#include "member.h"
#include "milena/coordinator/groups.h"

namespace milena::coordinator {

/// Topics that a pattern has been found to match.
struct ResolvedRegex {
    std::vector<std::string> topics;  ///< in order
    std::int64_t version = 0;         ///< of the topics they were looked up in
    std::int64_t resolved_ms = 0;     ///< by the wall

    bool operator==(const ResolvedRegex&) const = default;
};

// The kinds of change. Without a value: the record is gone.
struct GroupEpochChange {
    struct Value {
        std::int32_t epoch = 0;
        std::int64_t metadata_hash = 0;
    };
    std::optional<Value> value;
};
struct AssignmentEpochChange {
    struct Value {
        std::int32_t epoch = 0;
        std::int64_t assigned_ms = 0;  ///< by the wall; 0: assigned by no assignor
    };
    std::optional<Value> value;
};
struct MetadataChange {
    std::string member_id;
    std::optional<MemberMetadata> value;
};
struct TargetChange {
    std::string member_id;
    SharedPartitions value;
};
struct CurrentChange {
    std::string member_id;
    std::optional<MemberCurrent> value;
};
struct RegexChange {
    std::string regex;
    std::optional<ResolvedRegex> value;
};
/// KIP-848's metadata of partitions, which brokers before 4.1 have written; nothing is known of it.
struct PartitionMetadataChange {
    bool is_there = false;
};
using ConsumerChange =
    std::variant<GroupEpochChange, AssignmentEpochChange, MetadataChange, TargetChange,
                 CurrentChange, RegexChange, PartitionMetadataChange>;

class ConsumerGroup;

/// Which groups a topic concerns, so that news of it cost nothing to others.
class TopicSubscribers {
public:
    void add(const std::string& topic, ConsumerGroup& group);
    void remove(const std::string& topic, ConsumerGroup& group);
    template <class Visit>
    void each(std::string_view topic, Visit visit) const {
        const auto found = groups_.find(topic);
        if (found == groups_.end()) return;
        for (const auto& [name, group] : found->second) visit(*group);
    }

private:
    std::map<std::string, std::map<std::string, ConsumerGroup*>, std::less<>> groups_;
};

/// What its coordinator has seen of a group; no record tells it.
struct ConsumerHistory {
    std::string_view state;  ///< and since when it is in it
    env::Instant since{};
    bool has_seen_begin = false;  ///< of the state; else it began before `since`
    SharedHistory rebalance{};    ///< the last; null if there was none
};

class ConsumerGroup {
public:
    /// The subscribers outlive it.
    ConsumerGroup(std::string group_name, TopicSubscribers& subscribers)
        : name(std::move(group_name)), subscribers_(subscribers) {}
    ConsumerGroup(const ConsumerGroup&) = delete;
    ConsumerGroup& operator=(const ConsumerGroup&) = delete;

    const std::string name;
    /// Topics that concern it are otherwise than when its hash was computed.
    bool has_stale_metadata = true;
    /// What computes its next assignment, and what looks its patterns up; null: nothing does.
    const GroupWork* assigning = nullptr;
    const GroupWork* resolving = nullptr;
    /// When patterns were looked up last by this coordinator, and in which topics it did.
    std::int64_t resolved_ms = 0;
    std::int64_t resolved_version = -1;
    /// Of a decision's changes ConsumerTable::remember() is told before.
    ConsumerHistory history;
    Timer notice_timer;

    /// Has happened. The inverse, which makes it as it was.
    ConsumerChange apply(ConsumerChange change);

    /// Groups begin with 1, of which there is no record.
    std::int32_t epoch() const { return epoch_ ? epoch_->epoch : 1; }
    std::int64_t metadata_hash() const { return epoch_ ? epoch_->metadata_hash : 0; }
    std::int32_t assignment_epoch() const {
        return assignment_epoch_ ? assignment_epoch_->epoch : 1;
    }
    std::int64_t assigned_ms() const {
        return assignment_epoch_ ? assignment_epoch_->assigned_ms : 0;
    }
    bool has_epoch_record() const { return epoch_.has_value(); }
    bool has_assignment_epoch_record() const { return assignment_epoch_.has_value(); }
    bool has_partition_metadata() const { return has_partition_metadata_; }
    /// "Empty", "Assigning", "Reconciling" or "Stable".
    std::string_view state() const;
    /// Nothing of it is written anywhere.
    bool has_no_records() const;

    /// Some may have no metadata, as long as records are loaded.
    const std::map<std::string, ConsumerMember, std::less<>>& members() const { return members_; }
    std::size_t member_count() const { return member_count_; }
    std::size_t classic_count() const { return classic_count_; }
    bool is_empty() const { return member_count_ == 0; }
    /// It is a member, and has what it is to have by the assignment that there is.
    bool is_settled(const ConsumerMember& member) const;
    /// Null if it is no member.
    const ConsumerMember* find(std::string_view member_id) const;
    /// The member that an instance is now; nothing if it is not in the group.
    std::optional<std::string> find_instance(std::string_view instance_id) const;

    /// Who has the partition, or has not yet given it up; null if nobody.
    const std::string* owner(const GroupPartition& partition) const;
    /// All topics that members name or their patterns match, and how many members do. Of patterns
    /// each counts once.
    const std::map<std::string, std::size_t, std::less<>>& subscribed_topics() const {
        return subscribed_;
    }
    bool is_subscribed_to(std::string_view topic) const { return subscribed_.contains(topic); }
    const std::map<std::string, ResolvedRegex, std::less<>>& resolved() const { return resolved_; }
    /// Patterns and how many members have each.
    const std::map<std::string, std::size_t, std::less<>>& regexes() const { return regexes_; }
    /// Named, and matched by its pattern as far as that was looked up; in order, each once.
    std::vector<std::string> topics_of(const MemberMetadata& member) const;
    /// The one that most members wish for, if any does; of several the first by name.
    std::optional<std::string> preferred_assignor() const;

private:
    void count(const MemberMetadata& member, std::int64_t by);
    void count_topics(const std::vector<std::string>& topics, std::int64_t by);
    void count_epoch(const ConsumerMember& member, std::int64_t by);
    void hold(const std::string& member_id, const ConsumerMember& member);
    void let_go(const std::string& member_id, const ConsumerMember& member);
    ConsumerMember& part_of(const std::string& member_id);
    void drop_if_gone(const std::string& member_id);

    ConsumerChange take(GroupEpochChange change);
    ConsumerChange take(AssignmentEpochChange change);
    ConsumerChange take(MetadataChange change);
    ConsumerChange take(TargetChange change);
    ConsumerChange take(CurrentChange change);
    ConsumerChange take(RegexChange change);
    ConsumerChange take(PartitionMetadataChange change);

    using Counts = std::map<std::string, std::size_t, std::less<>>;
    TopicSubscribers& subscribers_;
    std::optional<GroupEpochChange::Value> epoch_;
    std::optional<AssignmentEpochChange::Value> assignment_epoch_;
    bool has_partition_metadata_ = false;
    std::map<std::string, ConsumerMember, std::less<>> members_;
    std::size_t member_count_ = 0;
    std::size_t classic_count_ = 0;
    /// Members that have what they are to have at an epoch, by that epoch.
    std::map<std::int32_t, std::size_t> settled_;
    std::map<std::string, std::string, std::less<>> instances_;
    std::unordered_map<GroupPartition, std::string, GroupPartitionHash> owners_;
    Counts subscribed_;
    Counts regexes_;
    Counts assignors_;
    std::map<std::string, ResolvedRegex, std::less<>> resolved_;
};

}  // namespace milena::coordinator
