// SPDX-License-Identifier: Apache-2.0
// The driver of GroupMember. Its requests go over connections of their own, since an answer to
// JoinGroup comes when all members have joined.
#include "membership/group_consumer.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "groups/coordinators.h"
#include "membership/member_requests.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

/// Without partitions to read, and while a topic is not there yet.
constexpr env::Duration kPause = std::chrono::milliseconds(100);
constexpr env::Duration kMissingTopicPause = std::chrono::seconds(1);
constexpr env::Duration kPatience = std::chrono::seconds(60);
constexpr env::Duration kLeavePatience = std::chrono::seconds(5);

std::vector<TopicPartition> listed(const Assigned& assigned) {
    std::vector<TopicPartition> partitions;
    for (const auto& [topic, numbers] : assigned) {
        for (const std::int32_t number : numbers) partitions.push_back({topic, number});
    }
    return partitions;
}

}  // namespace

/// What the loop of the membership and its reader share. Both run on the session's executor.
struct GroupConsumer::Membership {
    Membership(Session& of, GroupConsumerOptions with)
        : session(of),
          options(std::move(with)),
          member(options.member, {}),
          wakeup(of.env(), of.executor()),
          ended(of.env(), of.executor()) {}

    Session& session;
    GroupConsumerOptions options;
    GroupMember member;
    env::Wakeup wakeup;  ///< of the loop, when the reader has done something
    env::Wakeup ended;   ///< when the loop is over
    env::Instant next_look{};
    bool is_closing = false;
    bool is_running = false;
    std::optional<Error> failure{};

    env::Instant now() const { return session.env().clock().now(); }
    static env::Task<void> run(std::shared_ptr<Membership> self);
    env::Task<Result<void>> act(GroupMember::Next next);
    env::Task<Result<void>> find();
    env::Task<Result<void>> join();
    env::Task<Result<void>> assign();
    env::Task<Result<void>> sync();
    env::Task<Result<void>> heartbeat();
    env::Task<Result<void>> look();
    Result<void> note(const Result<void>& done);
};

/// A broken connection is the member's affair; the rest ends it.
Result<void> GroupConsumer::Membership::note(const Result<void>& done) {
    if (done) return ok();
    if (!is_out_of_reach(done.error().code)) return done;
    member.unreachable(now());
    return ok();
}

env::Task<void> GroupConsumer::Membership::run(std::shared_ptr<Membership> self) {
    while (!self->is_closing) {
        const auto done = self->note(co_await self->act(self->member.next(self->now())));
        if (done) continue;
        self->failure = done.error();
        break;
    }
    self->is_running = false;
    self->ended.notify();
}

env::Task<Result<void>> GroupConsumer::Membership::act(GroupMember::Next next) {
    if (now() >= next_look) co_return co_await look();
    switch (next.step) {
        case GroupMember::Step::find_coordinator: co_return co_await find();
        case GroupMember::Step::join: co_return co_await join();
        case GroupMember::Step::assign: co_return co_await assign();
        case GroupMember::Step::sync: co_return co_await sync();
        case GroupMember::Step::heartbeat: co_return co_await heartbeat();
        case GroupMember::Step::wait:
            co_await wakeup.wait_until(std::min(next.at, next_look));
            co_return ok();
        case GroupMember::Step::stop: co_return std::unexpected(*member.failure());
    }
    co_return ok();
}

env::Task<Result<void>> GroupConsumer::Membership::find() {
    CO_TRY(const auto found, co_await find_coordinators(
                                 session.apart(), std::vector<std::string>(1, options.member.group),
                                 now() + kPatience));
    member.found_coordinator(found.begin()->first);
    co_return ok();
}

env::Task<Result<void>> GroupConsumer::Membership::join() {
    const JoinTimeouts timeouts{options.session_timeout_ms, options.rebalance_timeout_ms};
    CO_TRY(auto answer, co_await send_join(session.apart(), member, timeouts));
    member.joined(answer.code, std::move(answer.join), now());
    co_return ok();
}

env::Task<Result<void>> GroupConsumer::Membership::assign() {
    CO_TRY(const auto counts, co_await count_partitions(session, member.topics_to_assign()));
    member.counted(counts);
    co_return ok();
}

env::Task<Result<void>> GroupConsumer::Membership::sync() {
    CO_TRY(auto answer, co_await send_sync(session.apart(), member));
    member.synced(answer.code, std::move(answer.assigned), now());
    co_return ok();
}

env::Task<Result<void>> GroupConsumer::Membership::heartbeat() {
    CO_TRY(const auto code, co_await send_heartbeat(session.apart(), member));
    member.heartbeat_answered(code, now());
    co_return ok();
}

/// Looks which topics there are, and as the leader whether they have got more partitions.
env::Task<Result<void>> GroupConsumer::Membership::look() {
    CO_TRY(const auto partitions, co_await find_partitions(session, options.topics, now()));
    std::vector<std::string> topics;
    for (const TopicPartition& one : partitions) {
        if (topics.empty() || topics.back() != one.topic) topics.push_back(one.topic);
    }
    const bool is_missing = topics.empty();
    if (options.topics.include.empty()) topics = {options.topics.topic};
    member.subscribe(std::move(topics));
    if (member.is_leader()) {
        CO_TRY(const auto counts, co_await count_partitions(session, member.topics_to_assign()));
        if (counts != member.partition_counts()) member.rejoin();
    }
    next_look = now() + (is_missing ? kMissingTopicPause : options.metadata_interval);
    co_return ok();
}

GroupConsumer::GroupConsumer(Session& session, GroupConsumerOptions options,
                             ConsumerOptions reading)
    : session_(session),
      membership_(std::make_shared<Membership>(session, std::move(options))),
      consumer_(session, reading) {
    membership_->is_running = true;
    env::spawn(session.executor(), Membership::run(membership_));
}

GroupConsumer::~GroupConsumer() {
    membership_->is_closing = true;
    membership_->wakeup.notify();
}

env::Task<Result<bool>> GroupConsumer::poll(const Consumer::OnRecord& on_record) {
    CO_TRY_VOID(co_await follow());
    if (consumer_.positions().empty()) {
        co_await session_.env().sleep(session_.executor(), kPause);
        co_return true;
    }
    co_return co_await consumer_.poll(on_record);
}

env::Task<Result<void>> GroupConsumer::follow() {
    GroupMember& member = membership_->member;
    if (membership_->failure) co_return std::unexpected(*membership_->failure);
    if (member.must_release()) {
        if (!member.has_lost()) co_await commit_at_last();
        consumer_.assign({});
        committed_.clear();
        member.released();
        membership_->wakeup.notify();
    } else if (member.round() != round_) {
        CO_TRY_VOID(co_await begin_round());
    } else if (membership_->now() >= next_commit_) {
        co_await commit(member.coordinator());
    }
    co_return ok();
}

env::Task<Result<void>> GroupConsumer::begin_round() {
    const std::int64_t round = membership_->member.round();
    const auto partitions = listed(membership_->member.assigned());
    const std::string& group = membership_->options.member.group;
    CO_TRY(const auto all, co_await committed_offsets(session_, std::vector<std::string>(1, group),
                                                      membership_->now() + kPatience));
    std::map<TopicPartition, std::int64_t> positions;
    std::vector<TopicPartition> without;
    for (const TopicPartition& one : partitions) {
        const auto found = all.at(group).find(one);
        if (found == all.at(group).end()) {
            without.push_back(one);
        } else {
            positions[one] = found->second.offset;
        }
    }
    committed_ = positions;
    CO_TRY(auto begun, co_await begin_offsets(std::move(without)));
    positions.merge(begun);
    // Another rebalance may have begun meanwhile: the next poll gives this up again.
    round_ = round;
    consumer_.assign(std::move(positions));
    next_commit_ = membership_->now() + membership_->options.commit_interval;
    co_return ok();
}

env::Task<Result<std::map<TopicPartition, std::int64_t>>> GroupConsumer::begin_offsets(
    std::vector<TopicPartition> without) {
    const OffsetReset reset = membership_->options.reset;
    if (without.empty()) co_return std::map<TopicPartition, std::int64_t>{};
    if (reset == OffsetReset::none) {
        std::vector<std::string> names;
        for (const TopicPartition& one : without) names.push_back(one.text());
        co_return refuse(fmt::format("Undefined offset with no reset policy for partitions: [{}]",
                                     fmt::join(names, ", ")));
    }
    co_return co_await positions_at(session_, std::move(without),
                                    reset == OffsetReset::earliest ? kEarliest : kLatest);
}

env::Task<bool> GroupConsumer::commit(BrokerId coordinator) {
    const auto& options = membership_->options;
    next_commit_ = membership_->now() + options.commit_interval;
    std::map<TopicPartition, std::int64_t> changed;
    for (const auto& [partition, position] : consumer_.positions()) {
        const auto known = committed_.find(partition);
        if (known == committed_.end() || known->second != position) changed[partition] = position;
    }
    if (!options.commits || changed.empty()) co_return true;
    if (coordinator == kNoBroker) co_return false;
    const auto refused = co_await send_commit(session_, coordinator, options.member.group,
                                              membership_->member.committer(), changed);
    if (!refused) co_return false;
    bool is_moving = false;
    for (const auto& [partition, position] : changed) {
        const auto code = refused->find(partition);
        if (code == refused->end()) {
            committed_[partition] = position;
        } else {
            is_moving |= is_coordinator_moving(code->second);
        }
    }
    co_return !is_moving;
}

env::Task<void> GroupConsumer::commit_at_last() {
    const env::Instant give_up = membership_->now() + kLeavePatience;
    BrokerId coordinator = membership_->member.coordinator();
    while (!co_await commit(coordinator) && membership_->now() < give_up) {
        co_await session_.env().sleep(session_.executor(), kPause);
        const auto found = co_await find_coordinators(
            session_, std::vector<std::string>(1, membership_->options.member.group), give_up);
        if (found) coordinator = found->begin()->first;
    }
}

env::Task<void> GroupConsumer::close() {
    GroupMember& member = membership_->member;
    if (!member.has_lost()) co_await commit_at_last();
    membership_->is_closing = true;
    membership_->wakeup.notify();
    if (member.coordinator() != kNoBroker && !member.member_id().empty() &&
        member.options().instance_id.empty())
        co_await send_leave(session_, member);
    // What it still waits for is not worth waiting for.
    session_.apart().client().close();
    if (membership_->is_running)
        co_await membership_->ended.wait_until(membership_->now() + kLeavePatience);
}

}  // namespace milena::cli
