// SPDX-License-Identifier: Apache-2.0
// How often a group rebalances while members come one after the other, and how soon it rests: with
// and without damping. The phases of one rebalance are in scripts/.
#include "group/rebalance.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "host.h"
#include "messages.h"

namespace milena::coordinator::test {
namespace {

constexpr std::int64_t kHeartbeatMs = 3000;
constexpr std::int64_t kStepMs = 50;
constexpr std::int32_t kDampingMs = 6000;

/// Consumers that do what clients do: heartbeats every three seconds, joining again at once when
/// they are told to. Their leader takes its time to assign.
class Clients {
public:
    Clients(std::int32_t damping_ms, std::int64_t assigning_ms)
        : host_({.group_rebalance_damping_ms = damping_ms}), assigning_ms_(assigning_ms) {}

    void start(std::int32_t session_timeout_ms = 45'000) {
        Client client;
        client.name = std::to_string(clients_.size());
        client.session_timeout_ms = session_timeout_ms;
        clients_.push_back(client);
        join(clients_.back());
    }

    void leave(std::size_t which) {
        LeaveRequest request;
        request.group = "g";
        request.members.push_back({clients_[which].member_id, std::nullopt, ""});
        host_.ask(request);
        clients_[which] = Client();
        clients_[which].is_gone = true;
        learn();
    }

    void run_ms(std::int64_t ms) {
        for (const std::int64_t end = now_ + ms; now_ < end; now_ += kStepMs) {
            host_.advance_ms(kStepMs);
            learn();
            for (Client& client : clients_) act(client);
        }
    }

    /// Everybody has an assignment of one generation.
    bool is_at_rest() const {
        return std::ranges::all_of(clients_, [&](const Client& client) {
            return client.is_gone || (client.is_synced && client.generation == generation_);
        });
    }
    /// How long that takes from now on.
    std::int64_t ms_to_rest() {
        const std::int64_t began = now_;
        while (!is_at_rest() && now_ < began + 120'000) run_ms(kStepMs);
        return now_ - began;
    }
    std::int32_t generation() const { return generation_; }

private:
    struct Client {
        std::string name;
        std::string member_id{};
        std::int32_t session_timeout_ms = 0;
        std::int32_t generation = -1;
        bool is_joined = false;
        bool is_synced = false;
        bool is_gone = false;
        std::int64_t beats_at = 0;
        std::optional<std::int64_t> assigns_at{};  ///< it leads
        std::vector<std::string> others{};
    };

    void join(Client& client) {
        JoinRequest request = join_request("g", client.name);
        request.member_id = client.member_id;
        request.must_know_its_id = true;
        request.session_timeout_ms = client.session_timeout_ms;
        request.rebalance_timeout_ms = 300'000;
        client.is_joined = client.is_synced = false;
        client.assigns_at.reset();
        waiting_[host_.ask(request)] = index_of(client);
    }

    std::size_t index_of(const Client& client) const {
        return static_cast<std::size_t>(&client - clients_.data());
    }

    void sync(Client& client) {
        SyncRequest request;
        request.group = "g";
        request.member_id = client.member_id;
        request.generation = client.generation;
        if (client.assigns_at) {
            for (const std::string& id : client.others)
                request.assignments.push_back({id, bytes("x")});
        }
        client.assigns_at.reset();
        waiting_[host_.ask(request)] = index_of(client);
    }

    void act(Client& client) {
        if (client.is_gone || !client.is_joined) return;
        if (client.assigns_at && now_ >= *client.assigns_at) sync(client);
        if (now_ < client.beats_at) return;
        client.beats_at = now_ + kHeartbeatMs;
        HeartbeatRequest request;
        request.group = "g";
        request.member_id = client.member_id;
        request.generation = client.generation;
        waiting_[host_.ask(request)] = index_of(client);
        learn();
    }

    /// Answers bring requests, and these more answers.
    void learn() {
        for (auto told = host_.take_told(); !told.empty(); told = host_.take_told()) {
            for (const Told& one : told) {
                const auto found = waiting_.find(one.ticket);
                if (found == waiting_.end()) continue;
                Client& client = clients_[found->second];
                waiting_.erase(found);
                if (!client.is_gone) hear(client, *one.reply);
            }
        }
    }

    void hear(Client& client, const GroupReply& reply) {
        if (const auto* const joined = std::get_if<JoinReply>(&reply)) {
            client.member_id = joined->member_id;
            if (joined->code == ErrorCode::member_id_required) return join(client);
            ASSERT_EQ(joined->code, ErrorCode::none);
            client.generation = joined->generation;
            client.is_joined = true;
            client.beats_at = now_ + kHeartbeatMs;
            generation_ = std::max(generation_, joined->generation);
            if (joined->leader != client.member_id) return sync(client);
            client.others.clear();
            for (const auto& other : joined->members) client.others.push_back(other.member_id);
            client.assigns_at = now_ + assigning_ms_;
        } else if (const auto* const synced = std::get_if<SyncReply>(&reply)) {
            if (synced->code != ErrorCode::none) return join(client);
            client.is_synced = true;
        } else if (const auto* const beat = std::get_if<HeartbeatReply>(&reply)) {
            if (beat->code != ErrorCode::none && client.is_joined) join(client);
        }
    }

    Host host_;
    std::int64_t assigning_ms_;
    std::int64_t now_ = 0;
    std::int32_t generation_ = 0;
    std::vector<Client> clients_;
    std::map<Ticket, std::size_t> waiting_;
};

struct Outcome {
    std::int32_t rebalances = 0;
    std::int64_t ms_to_rest = 0;
};

/// A hundred members, one each 200 ms, come to one that works.
Outcome deploy(std::int32_t damping_ms, std::int64_t assigning_ms) {
    Clients clients(damping_ms, assigning_ms);
    clients.start();
    clients.run_ms(60'000);
    for (int i = 0; i < 100; ++i) {
        clients.start();
        if (i < 99) clients.run_ms(200);
    }
    const std::int64_t ms = clients.ms_to_rest();
    EXPECT_TRUE(clients.is_at_rest());
    return {clients.generation() - 1, ms};
}

TEST(RebalanceStorm, OneMemberAfterTheOtherCostsFewRebalancesAndLittleTime) {
    for (const std::int64_t assigning_ms : {0, 300, 1000}) {
        const Outcome plain = deploy(0, assigning_ms);
        const Outcome damped = deploy(kDampingMs, assigning_ms);
        EXPECT_LE(damped.rebalances, 10) << assigning_ms;
        EXPECT_LE(damped.rebalances, plain.rebalances) << assigning_ms;
        // It is no later at rest than without, but for the longest delay.
        EXPECT_LE(damped.ms_to_rest, plain.ms_to_rest + kDampingMs) << assigning_ms;
    }
    // Each one that comes while the leader assigns has everybody join again.
    EXPECT_GE(deploy(0, 300).rebalances, 50);
}

TEST(RebalanceStorm, AMemberThatComesToACalmGroupWaitsForNobody) {
    const auto time_of = [](std::int32_t damping_ms) {
        Clients clients(damping_ms, 0);
        for (int i = 0; i < 3; ++i) clients.start();
        clients.run_ms(60'000);
        clients.start();
        return clients.ms_to_rest();
    };
    EXPECT_EQ(time_of(kDampingMs), time_of(0));
}

TEST(RebalanceStorm, AMemberThatIsRestartedInACalmGroupWaitsForNobody) {
    const auto time_of = [](std::int32_t damping_ms) {
        Clients clients(damping_ms, 0);
        for (int i = 0; i < 3; ++i) clients.start();
        clients.run_ms(60'000);
        clients.leave(1);
        clients.run_ms(1000);
        clients.start();
        return clients.ms_to_rest();
    };
    EXPECT_EQ(time_of(kDampingMs), time_of(0));
}

/// One that crashes as soon as it is there and is started again, for five minutes.
TEST(RebalanceStorm, AFlappingMemberMakesNoMoreThanTenRebalancesAMinute) {
    const auto flap = [](std::int32_t damping_ms) {
        Clients clients(damping_ms, 0);
        for (int i = 0; i < 5; ++i) clients.start();
        clients.run_ms(60'000);
        const std::int32_t before = clients.generation();
        for (std::size_t i = 5; i < 305; ++i) {
            clients.start();
            clients.run_ms(500);
            clients.leave(i);
            clients.run_ms(500);
        }
        return clients.generation() - before;
    };
    EXPECT_LE(flap(kDampingMs), 54);
    EXPECT_GT(flap(0), 80);
}

TEST(RebalanceStorm, ShortSessionsAreNotWaitedAway) {
    Clients clients(60'000, 0);
    for (int i = 0; i < 12; ++i) {
        clients.start(6000);
        clients.run_ms(kStepMs);
    }
    clients.ms_to_rest();
    for (int i = 0; i < 12; ++i) {
        clients.start(6000);
        EXPECT_LE(clients.ms_to_rest(), 3000 + kHeartbeatMs + 2 * kStepMs) << i;
    }
}

}  // namespace
}  // namespace milena::coordinator::test
