// SPDX-License-Identifier: Apache-2.0
// Groups that know no groups: a commit is a record, a join is answered by a tick, and what they are
// called for is written down.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "milena/coordinator/groups.h"

namespace milena::drivers {

/// Outlives its groups; what happened to them, in order.
struct GroupsTrace {
    std::vector<std::string> lines;
    std::uint64_t made = 0;
};

struct FakeWork final : coordinator::GroupWork {
    int runs = 0;
    void run() override { ++runs; }
};

class FakeGroups final : public coordinator::Groups {
public:
    explicit FakeGroups(GroupsTrace& trace) : trace_(trace) { ++trace_.made; }

    static coordinator::Record record(std::string_view key, std::string_view value) {
        return {bytes(key), bytes(value)};
    }

    Result<void> load(const coordinator::RecordView& record) override {
        if (as_text(record.key) == "bad") return fail(ErrorCode::corrupt_message, "bad");
        note("load {}@{}", as_text(record.key), record.offset);
        return ok();
    }
    coordinator::GroupStep loaded(const coordinator::GroupTime&) override {
        note("loaded");
        return {};
    }
    Result<std::vector<coordinator::StateRead>> reads_of(
        const coordinator::GroupRequest& request) const override {
        if (const auto* const remove = std::get_if<coordinator::DeleteGroupRequest>(&request)) {
            return std::vector<coordinator::StateRead>{
                {.key = bytes(remove->group), .is_prefix = true}};
        }
        const auto* const fetch = std::get_if<coordinator::FetchOffsetsRequest>(&request);
        if (fetch == nullptr) return {};
        return std::vector<coordinator::StateRead>{{.key = bytes(fetch->group), .is_prefix = true}};
    }

    coordinator::GroupStep ask(coordinator::Ticket ticket, const coordinator::GroupRequest& request,
                               std::span<const coordinator::RecordView> stored,
                               const coordinator::GroupTime& time) override {
        return std::visit([&](const auto& asked) { return answer(ticket, asked, stored, time); },
                          request);
    }
    void apply(const coordinator::RecordView& record) override {
        note("apply {}@{}", as_text(record.key), record.offset);
    }
    coordinator::GroupStep append_failed(ErrorCode why, const coordinator::GroupTime&) override {
        note("failed {}", static_cast<int>(why));
        return {};
    }
    /// A leave comes true when it is committed, with a record of its own.
    coordinator::GroupStep committed(Offset high_watermark,
                                     const coordinator::GroupTime&) override {
        note("committed {}", high_watermark);
        coordinator::GroupStep step;
        for (const auto ticket : std::exchange(leaving_, {})) {
            step.records.push_back(record("left", "v"));
            step.answers.push_back({ticket, coordinator::LeaveReply{}});
        }
        return step;
    }
    coordinator::GroupStep given_up(Offset end, ErrorCode, const coordinator::GroupTime&) override {
        note("given up {}", end);
        return {};
    }
    void stored(Offset applied) override { note("stored {}", applied); }
    coordinator::GroupStep tick(const coordinator::GroupTime& time) override {
        note("tick");
        coordinator::GroupStep step;
        if (deadline_ > time.now) return step;
        deadline_ = env::kNever;
        step.records.push_back(record("generation", "v"));
        for (const auto ticket : std::exchange(joining_, {}))
            step.answers.push_back({ticket, coordinator::JoinReply()});
        return step;
    }
    void follow(std::shared_ptr<const coordinator::TopicsView>,
                std::span<const std::string> changed) override {
        for (const std::string& topic : changed) note("follow {}", topic);
    }
    coordinator::GroupStep finished(const std::shared_ptr<coordinator::GroupWork>& work,
                                    const coordinator::GroupTime&) override {
        note("finished after {} runs", dynamic_cast<const FakeWork&>(*work).runs);
        coordinator::GroupStep step;
        step.records.push_back(record("found", "v"));
        return step;
    }
    env::Instant deadline() const override { return deadline_; }
    coordinator::GroupFigures figures() const override { return {.groups = 1}; }
    /// Three that are always there.
    std::vector<coordinator::GroupSummary> summaries(std::optional<std::string_view> behind,
                                                     std::size_t most) const override {
        std::vector<coordinator::GroupSummary> out;
        for (const std::string group : {"a", "b", "c"}) {
            if (out.size() < most && (!behind || group > *behind))
                out.push_back({.group = group, .state = "Stable", .members = 2});
        }
        return out;
    }

private:
    using Step = coordinator::GroupStep;
    using Stored = std::span<const coordinator::RecordView>;
    using Time = coordinator::GroupTime;
    using Ticket = coordinator::Ticket;

    static std::vector<std::byte> bytes(std::string_view text) {
        const auto view = as_bytes(text);
        return {view.begin(), view.end()};
    }
    template <class... Args>
    void note(fmt::format_string<Args...> format, Args&&... args) {
        trace_.lines.push_back(fmt::format(format, std::forward<Args>(args)...));
    }

    template <class Request>
    Step answer(Ticket ticket, const Request&, Stored, const Time&) {
        // Requests that these groups do not know are never asked of them.
        note("unexpected");
        return {{}, {{ticket, coordinator::HeartbeatReply{}}}};
    }
    Step answer(Ticket ticket, const coordinator::HeartbeatRequest&, Stored, const Time&) {
        return {{}, {{ticket, coordinator::HeartbeatReply{}}}};
    }
    Step answer(Ticket ticket, const coordinator::CommitRequest& asked, Stored, const Time&) {
        Step step{{}, {{ticket, coordinator::CommitReply{}}}};
        for (const auto& topic : asked.topics) step.records.push_back(record(topic.name, "v"));
        return step;
    }
    Step answer(Ticket ticket, const coordinator::FetchOffsetsRequest&, Stored stored,
                const Time&) {
        note("fetch");
        coordinator::FetchOffsetsReply reply;
        for (const auto& one : stored)
            reply.topics.push_back(
                {.name = std::string(as_text(one.key)), .id = {}, .partitions = {}});
        return {{}, {{ticket, std::move(reply)}}};
    }
    Step answer(Ticket ticket, const coordinator::JoinRequest& asked, Stored, const Time& time) {
        joining_.push_back(ticket);
        deadline_ = time.now + std::chrono::milliseconds(asked.rebalance_timeout_ms);
        return {};
    }
    /// What it finds out is written.
    Step answer(Ticket ticket, const coordinator::ConsumerHeartbeatRequest&, Stored, const Time&) {
        Step step{{record("beats", "v")}, {{ticket, coordinator::ConsumerHeartbeatReply{}}}};
        step.work.push_back(std::make_shared<FakeWork>());
        return step;
    }
    Step answer(Ticket ticket, const coordinator::LeaveRequest&, Stored, const Time&) {
        leaving_.push_back(ticket);
        return {{record("leaves", "v")}, {}};
    }
    Step answer(Ticket ticket, const coordinator::ExpireOffsetsRequest& asked, Stored stored,
                const Time&) {
        note("expire {} offsets, last {}", stored.size(), asked.is_last_page);
        return {{}, {{ticket, coordinator::ExpireOffsetsReply{}}}};
    }
    /// The last page is more than goes into one batch.
    Step answer(Ticket ticket, const coordinator::DeleteGroupRequest& asked, Stored stored,
                const Time&) {
        note("delete {} offsets, last {}", stored.size(), asked.is_last_page);
        coordinator::DeleteGroupReply reply;
        reply.has_more = asked.is_last_page && !std::exchange(deletes_, true);
        return {{}, {{ticket, reply}}};
    }
    Step answer(Ticket ticket, const coordinator::ForgetTopicsRequest& asked, Stored stored,
                const Time&) {
        note("forget {} of {} offsets", asked.topics.front().name, stored.size());
        return {{}, {{ticket, coordinator::ForgetTopicsReply{}}}};
    }

    GroupsTrace& trace_;
    std::vector<Ticket> joining_;
    std::vector<Ticket> leaving_;
    env::Instant deadline_ = env::kNever;
    bool deletes_ = false;
};

}  // namespace milena::drivers
