// SPDX-License-Identifier: Apache-2.0
// Laws of consumer groups, over random histories of members that do what they are told, and leave,
// fall silent, lose answers or come back, while topics change, appends fail and coordinators take
// over:
//
//   a partition is held by one member at most, as the coordinator says and as members do
//   epochs never go back
//   the log alone gives the same groups
//   when it is quiet everybody has what is to be had, and each partition has somebody
#include "group/consumer/consumer_group.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "unit/coordinator/group/host.h"

namespace milena::coordinator::test {
namespace {

/// A client that does what it is told.
struct Client {
    std::string id;
    std::optional<std::string> instance;
    std::int32_t epoch = 0;
    PartitionSet has;
    std::vector<std::string> topics;
    std::string regex;
    std::string assignor;
    std::string rack;
};

class History {
public:
    explicit History(std::uint64_t seed) : random_(seed), host_(options()) {
        for (const char* const name : {"a", "b", "c"}) host_.set_topic(name, 3);
    }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            step();
            check_described();
            check_clients();
        }
    }

    /// Nobody comes or goes any more, everybody is heard, and who is away does not come back. Two
    /// sessions: what ends the first may not be stored.
    void rest() {
        host_.do_work();
        for (int i = 0; i < 120; ++i) {
            host_.advance_ms(1'000);
            for (auto& [key, client] : clients_) beat(client);
            check_described();
            check_clients();
        }
    }

    void check_that_all_is_assigned() {
        const auto group = described();
        if (clients_.empty()) return;
        EXPECT_EQ(group.state, "Stable") << text_of(group);
        std::set<GroupPartition> wanted;
        for (const auto& [key, client] : clients_) {
            for (const std::string& topic : topics_of(client)) {
                for (std::int32_t i = 0; i < partitions_[topic]; ++i)
                    wanted.insert({host_.topic_id(topic), PartitionIndex(i)});
            }
        }
        std::set<GroupPartition> held;
        for (const auto& [key, client] : clients_)
            held.insert(client.has.begin(), client.has.end());
        EXPECT_EQ(held, wanted);
    }

private:
    static GroupOptions options() {
        GroupOptions options;
        options.consumer.max_size = 6;
        return options;
    }

    void step() {
        switch (random_.below(16)) {
            case 0: return come();
            case 1: return leave();
            case 2: return change_subscription();
            case 3: return change_topic();
            case 4: return trouble();
            case 5: return host_.advance_ms(static_cast<std::int64_t>(random_.between(1, 20'000)));
            case 6: return host_.store();
            case 7: return come_back();
            default:
                if (Client* const client = anybody()) beat(*client, random_.chance(0.1));
                return host_.advance_ms(static_cast<std::int64_t>(random_.between(1, 1'500)));
        }
    }

    Client* anybody() {
        if (clients_.empty()) return nullptr;
        auto at = clients_.begin();
        std::advance(at, random_.below(clients_.size()));
        return &at->second;
    }

    void choose(Client& client) {
        client.topics.clear();
        for (const char* const name : {"a", "b", "c"}) {
            if (random_.chance(0.6)) client.topics.emplace_back(name);
        }
        client.regex = random_.chance(0.3) ? "[ab]" : "";
        client.assignor = random_.chance(0.5) ? "uniform" : "range";
    }

    void come() {
        Client client;
        client.id = "m" + std::to_string(++made_);
        if (random_.chance(0.4)) client.instance = "i" + std::to_string(random_.below(3));
        if (random_.chance(0.3)) client.rack = "r" + std::to_string(random_.below(2));
        choose(client);
        const auto place = clients_.emplace(client.id, client).first;
        beat(place->second);
    }

    void leave() {
        Client* const client = anybody();
        if (client == nullptr) return;
        ConsumerHeartbeatRequest request = request_of(*client);
        const bool is_away = client->instance && random_.chance(0.6);
        request.member_epoch = is_away ? kAwayEpoch : kLeaveEpoch;
        host_.ask(request);
        // It gives everything up, whether or not it is heard.
        if (is_away) away_[*client->instance] = *client;
        clients_.erase(client->id);
        host_.take_told();
    }

    /// The next process of an instance that is away.
    void come_back() {
        if (away_.empty()) return;
        Client client = away_.begin()->second;
        away_.erase(away_.begin());
        client.id = "m" + std::to_string(++made_);
        client.epoch = 0;
        client.has.clear();
        const auto place = clients_.emplace(client.id, client).first;
        beat(place->second);
    }

    void change_subscription() {
        if (Client* const client = anybody()) {
            choose(*client);
            beat(*client);
        }
    }

    void change_topic() {
        const std::string name(1, static_cast<char>('a' + random_.below(3)));
        std::int32_t& count = partitions_[name];
        count = random_.chance(0.2) ? 0 : count + 1;
        host_.set_topic(name, count, {"r0", "r1"});
    }

    void trouble() {
        switch (random_.below(4)) {
            case 0: return host_.fail_next_append(ErrorCode::not_enough_replicas);
            case 1: return host_.hold_work();
            case 2: return host_.do_work();
            case 3: {
                const auto before = text_of(described());
                host_.take_over();
                EXPECT_EQ(text_of(described()), before);
                return;
            }
        }
    }

    ConsumerHeartbeatRequest request_of(const Client& client) const {
        ConsumerHeartbeatRequest request;
        request.group = "g";
        request.member_id = client.id;
        request.member_epoch = client.epoch;
        request.instance_id = client.instance;
        if (!client.rack.empty()) request.rack_id = client.rack;
        request.rebalance_timeout_ms = 10'000;
        request.topics = client.topics;
        request.regex = client.regex;
        request.assignor = client.assignor;
        request.owned = client.epoch == 0 ? std::vector<TopicPartitions>() : by_topic(client.has);
        return request;
    }

    void beat(Client& client, bool loses_answer = false) {
        const Ticket ticket = host_.ask(request_of(client));
        const auto told = host_.take_told();
        const auto mine = std::ranges::find(told, ticket, &Told::ticket);
        if (mine == told.end() || !mine->reply || loses_answer) return;
        const auto& reply = std::get<ConsumerHeartbeatReply>(*mine->reply);
        if (reply.code == ErrorCode::fenced_member_epoch ||
            reply.code == ErrorCode::unknown_member_id ||
            reply.code == ErrorCode::group_id_not_found) {
            client.epoch = 0;
            client.has.clear();
        } else if (reply.code != ErrorCode::none) {
            EXPECT_TRUE(reply.code == ErrorCode::unreleased_instance_id ||
                        reply.code == ErrorCode::group_max_size_reached ||
                        reply.code == ErrorCode::fenced_instance_id)
                << error_name(reply.code) << " " << reply.why;
            clients_.erase(client.id);
        } else {
            client.epoch = reply.member_epoch;
            if (reply.assignment) client.has = partitions_of(*reply.assignment);
        }
    }

    std::vector<std::string> topics_of(const Client& client) const {
        std::vector<std::string> topics = client.topics;
        if (!client.regex.empty()) topics.insert(topics.end(), {"a", "b"});
        return topics;
    }

    DescribeConsumerGroupReply described() {
        auto reply = host_.reply<DescribeConsumerGroupReply>(DescribeConsumerGroupRequest{"g"});
        host_.take_told();
        return reply;
    }

    static std::string text_of(const DescribeConsumerGroupReply& group) {
        std::string out = group.state + std::to_string(group.group_epoch) + "/" +
                          std::to_string(group.assignment_epoch);
        for (const auto& member : group.members) {
            out += " " + member.member_id + "@" + std::to_string(member.member_epoch);
            for (const auto& part : {member.assignment, member.target}) {
                for (const GroupPartition& one : partitions_of(part))
                    out += "," + one.topic.text() + std::to_string(one.index.value);
                out += ";";
            }
        }
        return out;
    }

    void check_described() {
        const auto group = described();
        if (group.code != ErrorCode::none) return;
        EXPECT_GE(group.group_epoch, group_epoch_);
        EXPECT_GE(group.assignment_epoch, assignment_epoch_);
        EXPECT_LE(group.assignment_epoch, group.group_epoch);
        // What an append that failed would have made was never there.
        group_epoch_ = group.group_epoch;
        assignment_epoch_ = group.assignment_epoch;
        std::map<GroupPartition, std::string> held;
        for (const auto& member : group.members) {
            EXPECT_LE(member.member_epoch, group.assignment_epoch);
            auto& epoch = member_epochs_[member.member_id];
            if (member.member_epoch >= 0) {
                EXPECT_GE(member.member_epoch, epoch) << member.member_id;
                epoch = member.member_epoch;
            }
            for (const GroupPartition& one : partitions_of(member.assignment)) {
                const auto [place, is_only] = held.emplace(one, member.member_id);
                EXPECT_TRUE(is_only) << place->second << " and " << member.member_id;
            }
        }
    }

    /// Of members that have not been taken out: those are still to hear of it.
    void check_clients() {
        const auto group = described();
        std::set<std::string> members;
        for (const auto& member : group.members) members.insert(member.member_id);
        std::map<GroupPartition, std::string> held;
        for (const auto& [key, client] : clients_) {
            if (!members.contains(client.id)) continue;
            for (const GroupPartition& one : client.has) {
                const auto [place, is_only] = held.emplace(one, client.id);
                EXPECT_TRUE(is_only) << place->second << " and " << client.id;
            }
        }
    }

    sim::SeededRandom random_;
    Host host_;
    std::map<std::string, Client> clients_;
    std::map<std::string, Client> away_;  ///< by instance
    std::map<std::string, std::int32_t> partitions_{{"a", 3}, {"b", 3}, {"c", 3}};
    std::map<std::string, std::int32_t> member_epochs_;
    std::int32_t group_epoch_ = 0;
    std::int32_t assignment_epoch_ = 0;
    int made_ = 0;
};

class ConsumerGroupLaws : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ConsumerGroupLaws, PartitionsHaveOneOwnerAndEveryOneGetsOne) {
    History history(GetParam());
    history.run(300);
    history.rest();
    history.check_that_all_is_assigned();
}

INSTANTIATE_TEST_SUITE_P(Seeds, ConsumerGroupLaws, testing::Range<std::uint64_t>(1, 101));

}  // namespace
}  // namespace milena::coordinator::test
