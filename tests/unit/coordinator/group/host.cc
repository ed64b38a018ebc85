// SPDX-License-Identifier: Apache-2.0
// The loop of a host, without waits: append, apply, commit, tell.
#include "host.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "group/consumer/migration/consumer_protocol.h"
#include "group/consumer/partitions.h"
#include "milena/base/invariant.h"

namespace milena::coordinator::test {
namespace {

RecordView view(const Record& record, Offset offset) {
    std::optional<BytesView> value;
    if (record.value) value = BytesView(*record.value);
    return {.key = record.key, .value = value, .offset = offset};
}

bool is_offset(const std::vector<std::byte>& key) {
    return leading_number(key) == std::int16_t{1};
}

}  // namespace

/// Topics are copied with each change, as images are.
struct Host::Topics final : TopicsView {
    struct One {
        Uuid id;
        std::int32_t partitions = 0;
        std::vector<std::string> racks;  ///< one a partition, in turn
    };
    std::map<std::string, One, std::less<>> by_name;
    std::map<std::string, ConsumerSettings, std::less<>> of_groups;

    std::optional<Topic> find(std::string_view name) const override {
        const auto found = by_name.find(name);
        if (found == by_name.end()) return std::nullopt;
        return Topic{found->first, found->second.id, found->second.partitions};
    }
    std::optional<Topic> find(Uuid id) const override {
        for (const auto& [name, one] : by_name) {
            if (one.id == id) return find(name);
        }
        return std::nullopt;
    }
    std::vector<std::string> racks(Uuid topic, PartitionIndex partition) const override {
        for (const auto& [name, one] : by_name) {
            if (one.id != topic || one.racks.empty()) continue;
            return {one.racks[static_cast<std::size_t>(partition.value) % one.racks.size()]};
        }
        return {};
    }
    void each(const std::function<void(std::string_view name)>& visit) const override {
        for (const auto& [name, one] : by_name) visit(name);
    }
    ConsumerSettings settings(std::string_view group,
                              const ConsumerSettings& of_broker) const override {
        const auto found = of_groups.find(group);
        return found == of_groups.end() ? of_broker : found->second;
    }
};

Host::Host(GroupOptions options)
    : options_(options),
      groups_(Groups::make(options, random_)),
      topics_(std::make_shared<Topics>()) {
    finish(groups_->loaded(time()));
}

Ticket Host::ask(GroupRequest request) {
    const auto reads = groups_->reads_of(request);
    if (reads) return ask_with(request, read(*reads));
    const Ticket ticket = ++last_ticket_;
    tell({.ticket = ticket, .reply = {}, .refused = reads.error().code});
    return ticket;
}

Ticket Host::ask_with(const GroupRequest& request, const std::vector<RecordView>& stored) {
    const Ticket ticket = ++last_ticket_;
    finish(groups_->ask(ticket, request, stored, time()));
    return ticket;
}

GroupReply Host::reply_to(Ticket ticket) const {
    const auto found = told_.find(ticket);
    INVARIANT(found != told_.end() && found->second.reply, "there is no answer yet");
    return *found->second.reply;
}

std::vector<Told> Host::take_told() {
    return std::exchange(news_, {});
}

void Host::advance_ms(std::int64_t ms) {
    const env::Instant end = now_ + std::chrono::milliseconds(ms);
    const std::int64_t wall_end = wall_ms_ + ms;
    while (groups_->deadline() <= end) {
        const auto step = std::max(groups_->deadline(), now_) - now_;
        now_ += step;
        wall_ms_ += std::chrono::duration_cast<std::chrono::milliseconds>(step).count();
        finish(groups_->tick(time()));
    }
    now_ = end;
    wall_ms_ = wall_end;
}

void Host::release() {
    is_held_ = false;
    move_high_watermark();
}

void Host::give_up() {
    finish(groups_->given_up(Offset(static_cast<std::int64_t>(log_.size())),
                             ErrorCode::request_timed_out, time()));
}

void Host::store() {
    for (; stored_ < static_cast<std::size_t>(high_watermark_.value); ++stored_) {
        const Record& record = log_[stored_];
        if (record.value) {
            store_.insert_or_assign(record.key, *record.value);
        } else {
            store_.erase(record.key);
        }
    }
    groups_->stored(Offset(static_cast<std::int64_t>(stored_)));
}

void Host::take_over() {
    groups_ = Groups::make(options_, random_);
    parked_.clear();
    work_.clear();
    follow({});
    for (const auto& [key, value] : store_) {
        const RecordView record{.key = key, .value = BytesView(value)};
        EXPECT_TRUE(groups_->load(record).has_value());
    }
    for (std::size_t at = stored_; at < log_.size(); ++at) {
        const Offset offset(static_cast<std::int64_t>(at));
        EXPECT_TRUE(groups_->load(view(log_[at], offset)).has_value());
    }
    high_watermark_ = Offset(static_cast<std::int64_t>(log_.size()));
    finish(groups_->committed(high_watermark_, time()));
    finish(groups_->loaded(time()));
}

void Host::set_topic(const std::string& name, std::int32_t partitions,
                     const std::vector<std::string>& racks) {
    topics_ = std::make_shared<Topics>(*topics_);
    if (partitions == 0) {
        topics_->by_name.erase(name);
    } else {
        auto& one = topics_->by_name[name];
        if (one.id.is_zero()) one.id = Uuid{7, ++topics_made_};
        one.partitions = partitions;
        one.racks = racks;
    }
    follow({name});
}

Uuid Host::topic_id(const std::string& name) const {
    const auto found = topics_->find(name);
    return found ? found->id : Uuid();
}

std::string Host::topic_name(Uuid id) const {
    const auto found = topics_->find(id);
    return found ? std::string(found->name) : id.text();
}

Bytes Host::assignment(const std::vector<TopicPartitions>& partitions) const {
    return consumer_assignment(0, by_topic(partitions_of(partitions)), *topics_);
}

void Host::set_group(const std::string& group, ConsumerSettings settings) {
    topics_ = std::make_shared<Topics>(*topics_);
    topics_->of_groups.insert_or_assign(group, settings);
    follow({});
}

void Host::follow(const std::vector<std::string>& changed) {
    groups_->follow(topics_, changed);
}

void Host::do_work() {
    holds_work_ = false;
    while (!work_.empty()) {
        const auto work = std::move(work_.front());
        work_.pop_front();
        work->run();
        finish(groups_->finished(work, time()));
    }
}

void Host::add_to_log(const Record& record) {
    log_.push_back(record);
}

void Host::expire() {
    ask_pages(ExpireOffsetsRequest{});
}

void Host::forget_topics(ForgetTopicsRequest request) {
    ask_pages(std::move(request));
}

template <class Request>
void Host::ask_pages(Request request) {
    constexpr std::size_t kPage = 2;
    std::vector<std::pair<std::vector<std::byte>, std::vector<std::byte>>> offsets;
    for (const auto& one : store_) {
        if (is_offset(one.first)) offsets.push_back(one);
    }
    std::size_t at = 0;
    do {
        std::vector<RecordView> page;
        for (; at < offsets.size() && page.size() < kPage; ++at)
            page.push_back({.key = offsets[at].first, .value = BytesView(offsets[at].second)});
        request.is_last_page = at == offsets.size();
        ask_with(request, page);
    } while (at < offsets.size());
}

void Host::finish(GroupStep step) {
    work_.insert(work_.end(), step.work.begin(), step.work.end());
    while (!step.records.empty()) {
        if (fails_) {
            const ErrorCode why = *std::exchange(fails_, std::nullopt);
            for (const GroupAnswer& answer : step.answers)
                tell({.ticket = answer.ticket, .reply = {}, .refused = why});
            step = groups_->append_failed(why, time());
            continue;
        }
        append(step.records);
        break;
    }
    std::ranges::move(step.events, std::back_inserter(events_));
    park(std::move(step.answers));
    if (!is_held_) move_high_watermark();
    if (!holds_work_ && !work_.empty()) do_work();
}

void Host::append(const std::vector<Record>& records) {
    for (const Record& record : records) {
        const Offset offset(static_cast<std::int64_t>(log_.size()));
        log_.push_back(record);
        groups_->apply(view(log_.back(), offset));
    }
}

void Host::park(std::vector<GroupAnswer> answers) {
    for (GroupAnswer& answer : answers)
        parked_.emplace_back(Offset(static_cast<std::int64_t>(log_.size())), std::move(answer));
}

void Host::move_high_watermark() {
    const Offset end(static_cast<std::int64_t>(log_.size()));
    if (high_watermark_ < end) {
        high_watermark_ = end;
        GroupStep step = groups_->committed(end, time());
        std::ranges::move(step.events, std::back_inserter(events_));
        park(std::move(step.answers));
    }
    while (!parked_.empty() && parked_.front().first <= high_watermark_) {
        GroupAnswer answer = std::move(parked_.front().second);
        parked_.pop_front();
        tell({.ticket = answer.ticket, .reply = std::move(answer.reply)});
    }
}

void Host::tell(Told told) {
    const bool is_first = told_.emplace(told.ticket, told).second;
    EXPECT_TRUE(is_first) << "ticket " << told.ticket << " is told twice";
    news_.push_back(std::move(told));
}

std::vector<RecordView> Host::read(const std::vector<StateRead>& reads) const {
    std::vector<RecordView> found;
    for (const StateRead& wanted : reads) {
        for (auto at = store_.lower_bound(wanted.key); at != store_.end(); ++at) {
            const bool begins_so = std::ranges::equal(
                std::span(at->first).first(std::min(at->first.size(), wanted.key.size())),
                wanted.key);
            if (!begins_so || (!wanted.is_prefix && at->first != wanted.key)) break;
            found.push_back({.key = at->first, .value = BytesView(at->second)});
        }
    }
    return found;
}

}  // namespace milena::coordinator::test
