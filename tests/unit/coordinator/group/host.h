// SPDX-License-Identifier: Apache-2.0
// A host of groups with a log, a high watermark, a state store and a clock that go on when a test
// says so. Records are committed at once unless it holds.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "milena/coordinator/groups.h"
#include "sim/random.h"

namespace milena::coordinator::test {

/// What somebody who asked was told: a reply, or why there is none.
struct Told {
    Ticket ticket = 0;
    std::optional<GroupReply> reply;
    ErrorCode refused = ErrorCode::none;
};

class Host {
public:
    explicit Host(GroupOptions options = {});

    Ticket ask(GroupRequest request);
    /// The same, and its answer, which must come at once.
    template <class Reply>
    Reply reply(GroupRequest request) {
        return std::get<Reply>(reply_to(ask(std::move(request))));
    }
    /// What the ticket was told; it must have been.
    GroupReply reply_to(Ticket ticket) const;
    template <class Reply>
    Reply reply_to(Ticket ticket) const {
        return std::get<Reply>(reply_to(ticket));
    }
    bool has_been_told(Ticket ticket) const { return told_.contains(ticket); }
    ErrorCode refused(Ticket ticket) const { return told_.at(ticket).refused; }
    /// In the order in which they came, since the last call.
    std::vector<Told> take_told();

    /// What was to be told to operators, since the last call.
    std::vector<GroupEvent> take_events() { return std::exchange(events_, {}); }

    /// Time goes on, and what is due happens.
    void advance_ms(std::int64_t ms);
    std::int64_t wall_ms() const { return wall_ms_; }
    /// The high watermark stays where it is; goes to the end.
    void hold() { is_held_ = true; }
    void release();
    /// What is not committed is not waited for any longer.
    void give_up();
    /// The next append does not happen.
    void fail_next_append(ErrorCode why) { fails_ = why; }
    /// The store gets what is committed.
    void store();
    /// Another node coordinates: what was only in memory is gone.
    void take_over();
    /// A record that somebody else has written.
    void add_to_log(const Record& record);
    /// A topic is made, gets other partitions, or goes (none).
    void set_topic(const std::string& name, std::int32_t partitions,
                   const std::vector<std::string>& racks = {});
    Uuid topic_id(const std::string& name) const;
    std::string topic_name(Uuid id) const;
    /// As members of the classic protocol write it.
    Bytes assignment(const std::vector<TopicPartitions>& partitions) const;
    /// What a group has set for itself.
    void set_group(const std::string& group, ConsumerSettings settings);
    /// Work that groups want done waits; is done.
    void hold_work() { holds_work_ = true; }
    void do_work();
    /// The store's offsets are looked at, two a page.
    void expire();
    void forget_topics(ForgetTopicsRequest request);

    Groups& groups() { return *groups_; }
    const std::vector<Record>& log() const { return log_; }
    GroupTime time() const { return {now_, wall_ms_}; }

private:
    struct Topics;
    void finish(GroupStep step);
    void follow(const std::vector<std::string>& changed);
    void append(const std::vector<Record>& records);
    void park(std::vector<GroupAnswer> answers);
    void move_high_watermark();
    void tell(Told told);
    std::vector<RecordView> read(const std::vector<StateRead>& reads) const;
    Ticket ask_with(const GroupRequest& request, const std::vector<RecordView>& stored);
    template <class Request>
    void ask_pages(Request request);

    const GroupOptions options_;
    sim::SeededRandom random_{1};
    std::unique_ptr<Groups> groups_;
    std::vector<Record> log_;
    std::map<std::vector<std::byte>, std::vector<std::byte>> store_;
    std::size_t stored_ = 0;
    Offset high_watermark_;
    bool is_held_ = false;
    std::optional<ErrorCode> fails_;
    std::deque<std::pair<Offset, GroupAnswer>> parked_;
    std::map<Ticket, Told> told_;
    std::vector<Told> news_;
    std::vector<GroupEvent> events_;
    Ticket last_ticket_ = 0;
    std::shared_ptr<Topics> topics_;
    std::uint64_t topics_made_ = 0;
    bool holds_work_ = false;
    std::deque<std::shared_ptr<GroupWork>> work_;
    env::Instant now_{};
    std::int64_t wall_ms_ = 1'700'000'000'000;
};

}  // namespace milena::coordinator::test
