// SPDX-License-Identifier: Apache-2.0
// Laws that hold in every history: whoever asks is told once, groups come to rest, and what was
// committed last is what is fetched, whatever fails, waits or takes over in between. The host
// itself checks that nobody is told twice.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "host.h"
#include "messages.h"
#include "milena/coordinator/groups.h"

namespace milena::coordinator::test {
namespace {

class History {
public:
    explicit History(std::uint64_t seed)
        : random_(seed), host_({.group_initial_rebalance_delay_ms = 100, .group_max_size = 4}) {}

    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            step();
            learn();
        }
        host_.release();
        learn();
    }

    /// Time passes and nobody sends anything any more.
    void rest() {
        host_.advance_ms(3'600'000);
        learn();
    }

    void check_that_all_were_told() const {
        for (const Ticket ticket : asked_) EXPECT_TRUE(host_.has_been_told(ticket)) << ticket;
    }

    void check_that_groups_are_empty() {
        const auto listed = host_.reply<ListGroupsReply>(ListGroupsRequest{});
        for (const auto& group : listed.groups) EXPECT_EQ(group.state, "Empty") << group.group;
    }

    void check_offsets() {
        for (const auto& [topic, offset] : committed_) {
            const auto fetched = host_.reply<FetchOffsetsReply>(fetch_request("simple", topic));
            EXPECT_EQ(fetched.topics[0].partitions[0].offset, Offset(offset)) << topic;
        }
    }

private:
    void ask(GroupRequest request) { asked_.insert(host_.ask(std::move(request))); }

    void step() {
        switch (random_.below(12)) {
            case 0:
            case 1:
            case 2: return join();
            case 3:
            case 4: return sync();
            case 5: return beat();
            case 6: return leave();
            case 7:
            case 8: return commit();
            case 9: return host_.advance_ms(static_cast<std::int64_t>(random_.between(1, 8'000)));
            case 10: return trouble();
            case 11: return host_.store();
        }
    }

    /// A member that was told of, or nobody.
    std::string somebody() {
        if (members_.empty()) return {};
        auto at = members_.begin();
        std::advance(at, random_.below(members_.size()));
        return at->first;
    }

    void join() {
        JoinRequest request = join_request("g", "c" + std::to_string(random_.below(3)));
        if (random_.chance(0.6)) request.member_id = somebody();
        if (random_.chance(0.3)) request.instance_id = "i" + std::to_string(random_.below(3));
        if (random_.chance(0.3)) request.protocols.push_back({"sticky", subscription({"u"})});
        request.must_know_its_id = random_.chance(0.5);
        request.can_skip_assignment = random_.chance(0.5);
        request.rebalance_timeout_ms = 10'000;
        ask(request);
    }

    void sync() {
        SyncRequest request;
        request.group = "g";
        request.member_id = somebody();
        request.generation = members_[request.member_id];
        for (const auto& [id, generation] : members_)
            request.assignments.push_back({id, bytes("x")});
        ask(request);
    }

    void beat() {
        HeartbeatRequest request;
        request.group = "g";
        request.member_id = somebody();
        request.generation = members_[request.member_id];
        ask(request);
    }

    void leave() {
        LeaveRequest request;
        request.group = "g";
        request.members.push_back({somebody(), std::nullopt, ""});
        ask(request);
    }

    void commit() {
        const std::string topic = "t" + std::to_string(random_.below(5));
        const auto offset = static_cast<std::int64_t>(random_.below(1000));
        const Ticket ticket = host_.ask(commit_request("simple", topic, offset));
        asked_.insert(ticket);
        commits_[ticket] = {topic, offset};
    }

    void trouble() {
        switch (random_.below(4)) {
            case 0: return host_.hold();
            case 1: return host_.release();
            case 2: return host_.fail_next_append(ErrorCode::not_enough_replicas);
            case 3: {
                // Who was not answered asks the next coordinator; nobody answers for this one.
                host_.release();
                learn();
                host_.take_over();
                std::erase_if(asked_, [&](Ticket t) { return !host_.has_been_told(t); });
                return;
            }
        }
    }

    void learn() {
        for (const Told& told : host_.take_told()) {
            if (!told.reply) continue;
            if (const auto* const joined = std::get_if<JoinReply>(&*told.reply)) {
                if (!joined->member_id.empty()) members_[joined->member_id] = joined->generation;
            }
            const auto commit = commits_.find(told.ticket);
            if (commit != commits_.end()) committed_[commit->second.first] = commit->second.second;
        }
    }

    sim::SeededRandom random_;
    Host host_;
    std::set<Ticket> asked_;
    std::map<std::string, std::int32_t> members_;  ///< to the generation that they know
    std::map<Ticket, std::pair<std::string, std::int64_t>> commits_;
    std::map<std::string, std::int64_t> committed_;
};

class GroupLaws : public testing::TestWithParam<std::uint64_t> {};

TEST_P(GroupLaws, EverybodyIsToldAndGroupsComeToRest) {
    History history(GetParam());
    history.run(400);
    history.check_offsets();
    history.rest();
    history.check_that_all_were_told();
    history.check_that_groups_are_empty();
    history.check_offsets();
}

INSTANTIATE_TEST_SUITE_P(Seeds, GroupLaws, testing::Range<std::uint64_t>(1, 101));

}  // namespace
}  // namespace milena::coordinator::test
