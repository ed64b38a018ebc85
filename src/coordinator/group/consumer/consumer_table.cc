// SPDX-License-Identifier: Apache-2.0
// Finds, makes and forgets groups; changes and takes back.
#include "consumer_table.h"

#include <algorithm>
#include <ranges>

#include "metadata_hash.h"
#include "milena/base/invariant.h"

namespace milena::coordinator {
namespace {

/// Hashes of topics that are kept; more are computed again.
constexpr std::size_t kHashesMax = 100'000;

/// Before there is an image.
class NoTopics final : public TopicsView {
public:
    std::optional<Topic> find(std::string_view) const override { return std::nullopt; }
    std::optional<Topic> find(Uuid) const override { return std::nullopt; }
    std::vector<std::string> racks(Uuid, PartitionIndex) const override { return {}; }
    void each(const std::function<void(std::string_view)>&) const override {}
    ConsumerSettings settings(std::string_view, const ConsumerSettings& broker) const override {
        return broker;
    }
};

/// The member that a change is about; empty if it is about the group.
std::string member_of(const ConsumerChange& change) {
    return std::visit(
        [](const auto& one) {
            if constexpr (requires { one.member_id; }) return one.member_id;
            return std::string();
        },
        change);
}

}  // namespace

ConsumerTable::ConsumerTable(DueByTime& order)
    : due_(order), topics_(std::make_shared<NoTopics>()) {}

ConsumerGroup* ConsumerTable::find(std::string_view group) {
    const auto found = groups_.find(group);
    return found == groups_.end() ? nullptr : &found->second;
}

const ConsumerGroup* ConsumerTable::find(std::string_view group) const {
    const auto found = groups_.find(group);
    return found == groups_.end() ? nullptr : &found->second;
}

ConsumerGroup& ConsumerTable::make(std::string_view group) {
    if (ConsumerGroup* const found = find(group)) return *found;
    const std::string name(group);
    touched_.push_back(name);
    return groups_
        .emplace(std::piecewise_construct, std::forward_as_tuple(name),
                 std::forward_as_tuple(name, subscribers_))
        .first->second;
}

void ConsumerTable::load(std::string_view group, ConsumerChange change) {
    ConsumerGroup& loaded = make(group);
    touched_.push_back(loaded.name);
    loaded.apply(std::move(change));
    settle();
}

void ConsumerTable::change(ConsumerGroup& group, ConsumerChange change) {
    touched_.push_back(group.name);
    undo_.emplace_back(group.name, group.apply(std::move(change)));
}

std::vector<std::string> ConsumerTable::touched() const {
    std::vector<std::string> names = touched_;
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

const std::string* ConsumerTable::moved_last(std::string_view group) const {
    for (const auto& [name, inverse] : std::views::reverse(undo_)) {
        const auto* const moved = std::get_if<CurrentChange>(&inverse);
        if (name == group && moved != nullptr) return &moved->member_id;
    }
    return nullptr;
}

void ConsumerTable::keep() {
    undo_.clear();
    histories_.clear();
    settle();
}

std::vector<std::pair<std::string, std::string>> ConsumerTable::take_back() {
    std::vector<std::pair<std::string, std::string>> members;
    for (auto& [name, inverse] : std::views::reverse(undo_)) {
        const std::string member_id = member_of(inverse);
        ConsumerGroup& group = make(name);
        group.apply(std::move(inverse));
        group.has_stale_metadata = true;
        // What is worked out now is for what has not happened; what was found was not written.
        group.assigning = nullptr;
        group.resolving = nullptr;
        group.resolved_ms = 0;
        if (!member_id.empty()) members.emplace_back(name, member_id);
    }
    undo_.clear();
    for (auto& [name, history] : std::views::reverse(histories_)) {
        if (ConsumerGroup* const group = find(name)) group->history = std::move(history);
    }
    histories_.clear();
    settle();
    std::ranges::sort(members);
    members.erase(std::ranges::unique(members).begin(), members.end());
    return members;
}

void ConsumerTable::settle() {
    for (const std::string& name : std::exchange(touched_, {})) {
        const auto found = groups_.find(name);
        if (found != groups_.end() && found->second.has_no_records()) groups_.erase(found);
    }
}

MemberTimers& ConsumerTable::timers(std::string_view group, std::string_view member_id) {
    const auto found = timers_.find(std::pair(group, member_id));
    if (found != timers_.end()) return found->second;
    return timers_[{std::string(group), std::string(member_id)}];
}

void ConsumerTable::set(Timer MemberTimers::* which, Due due, env::Instant when) {
    Timer& timer = timers(due.group, due.member_id).*which;
    if (timer.is_set()) {
        timer.move(when);
    } else {
        timer.set(due_, when, std::move(due));
    }
}

void ConsumerTable::cancel(Timer MemberTimers::* which, std::string_view group,
                           std::string_view member_id) {
    const auto found = timers_.find(std::pair(group, member_id));
    if (found == timers_.end()) return;
    MemberTimers& timers = found->second;
    (timers.*which).cancel();
    const bool is_any_set = timers.session.is_set() || timers.rebalance.is_set() ||
                            timers.join.is_set() || timers.sync.is_set();
    if (!is_any_set) timers_.erase(found);
}

void ConsumerTable::cancel_all(std::string_view group, std::string_view member_id) {
    const auto found = timers_.find(std::pair(group, member_id));
    if (found != timers_.end()) timers_.erase(found);
}

bool ConsumerTable::is_set(Timer MemberTimers::* which, std::string_view group,
                           std::string_view member_id) const {
    const auto found = timers_.find(std::pair(group, member_id));
    return found != timers_.end() && (found->second.*which).is_set();
}

std::optional<env::Instant> ConsumerTable::when(Timer MemberTimers::* which, std::string_view group,
                                                std::string_view member_id) const {
    const auto found = timers_.find(std::pair(group, member_id));
    return found == timers_.end() ? std::nullopt : (found->second.*which).when();
}

void ConsumerTable::follow(std::shared_ptr<const TopicsView> topics,
                           std::span<const std::string> changed) {
    INVARIANT(topics != nullptr, "no topics, not even none");
    topics_ = std::move(topics);
    if (changed.empty()) return;
    ++topics_version_;
    for (const std::string& topic : changed) {
        if (const auto known = hashes_.find(topic); known != hashes_.end()) hashes_.erase(known);
        subscribers_.each(topic, [](ConsumerGroup& group) { group.has_stale_metadata = true; });
    }
}

std::int64_t ConsumerTable::topic_hash(const TopicsView::Topic& topic) {
    if (const auto known = hashes_.find(topic.name); known != hashes_.end()) return known->second;
    const std::int64_t hash = hash_of(*topics_, topic);
    if (hashes_.size() < kHashesMax) hashes_.emplace(topic.name, hash);
    return hash;
}

}  // namespace milena::coordinator
