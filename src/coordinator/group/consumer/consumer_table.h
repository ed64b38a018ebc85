// SPDX-License-Identifier: Apache-2.0
// All consumer groups of one coordinator, with what they share: who is concerned by which topic,
// the moments that members wait for, and how the changes of a decision are taken back.
#pragma once

#include <span>

#include "../classic/timers.h"
#include "consumer_group.h"
#include "milena/coordinator/topics_view.h"

namespace milena::coordinator {

/// The moments of one member. They outlive it until they come: then nobody is there.
struct MemberTimers {
    Timer session;
    Timer rebalance;
    Timer join;
    Timer sync;
};

class ConsumerTable {
public:
    /// The order outlives this.
    explicit ConsumerTable(DueByTime& order);

    using Groups = std::map<std::string, ConsumerGroup, std::less<>>;
    const Groups& groups() const { return groups_; }
    Groups& groups() { return groups_; }
    /// Null if there is none.
    ConsumerGroup* find(std::string_view group);
    const ConsumerGroup* find(std::string_view group) const;
    /// The group, made if there is none. One that gets no record is gone with the decision.
    ConsumerGroup& make(std::string_view group);

    /// A record that was loaded.
    void load(std::string_view group, ConsumerChange change);
    /// A change of a decision, until it is kept or taken back.
    void change(ConsumerGroup& group, ConsumerChange change);
    /// Its history as it is now, in case that the decision is taken back.
    void remember(ConsumerGroup& group) { histories_.emplace_back(group.name, group.history); }
    /// Groups that the decision changes, each once.
    std::vector<std::string> touched() const;
    /// The member that the decision has moved on last; nothing if it has moved none.
    const std::string* moved_last(std::string_view group) const;
    /// The decision's records are in the log.
    void keep();
    /// They are not, and nothing has happened. Gives the groups and members it was about.
    std::vector<std::pair<std::string, std::string>> take_back();

    MemberTimers& timers(std::string_view group, std::string_view member_id);
    void set(Timer MemberTimers::* which, Due due, env::Instant when);
    void cancel(Timer MemberTimers::* which, std::string_view group, std::string_view member_id);
    void cancel_all(std::string_view group, std::string_view member_id);
    bool is_set(Timer MemberTimers::* which, std::string_view group,
                std::string_view member_id) const;
    /// Nothing if it is not set.
    std::optional<env::Instant> when(Timer MemberTimers::* which, std::string_view group,
                                     std::string_view member_id) const;

    const TopicsView& topics() const { return *topics_; }
    const std::shared_ptr<const TopicsView>& shared_topics() const { return topics_; }
    /// Counts the news of topics.
    std::int64_t topics_version() const { return topics_version_; }
    void follow(std::shared_ptr<const TopicsView> topics, std::span<const std::string> changed);
    /// What tells whether a topic's partitions or racks have changed; kept until it does.
    std::int64_t topic_hash(const TopicsView::Topic& topic);

private:
    struct Less {
        using is_transparent = void;
        template <class A, class B>
        bool operator()(const A& a, const B& b) const {
            return std::pair<std::string_view, std::string_view>(a.first, a.second) <
                   std::pair<std::string_view, std::string_view>(b.first, b.second);
        }
    };
    void settle();

    DueByTime& due_;
    TopicSubscribers subscribers_;  ///< outlives the groups
    Groups groups_;
    std::map<std::pair<std::string, std::string>, MemberTimers, Less> timers_;
    /// In the order in which they were made; names of groups.
    std::vector<std::pair<std::string, ConsumerChange>> undo_;
    std::vector<std::string> touched_;
    std::vector<std::pair<std::string, ConsumerHistory>> histories_;
    std::shared_ptr<const TopicsView> topics_;
    std::int64_t topics_version_ = 0;
    std::map<std::string, std::int64_t, std::less<>> hashes_;
};

}  // namespace milena::coordinator
