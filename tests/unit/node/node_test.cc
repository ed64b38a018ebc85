// SPDX-License-Identifier: Apache-2.0
// A whole node, as main() makes it, in a simulated world: clients over its network, its disk under
// it, and crashes.
#include "milena/node/node.h"

#include <gtest/gtest.h>

#include "milena/protocol/messages/api_versions.h"
#include "milena/protocol/messages/create_topics.h"
#include "milena/protocol/messages/list_offsets.h"
#include "one_node.h"

namespace milena::node {
namespace {

class NodeTest : public OneNode, public testing::TestWithParam<std::uint64_t> {
protected:
    NodeTest() : OneNode(GetParam()) {}
};

TEST_P(NodeTest, FormatsItselfAndServesWhatWasProduced) {
    wait_until_started();
    as_client([](Client& client) -> env::Task<void> {
        co_await topic_id(client, "t");
        EXPECT_EQ(co_await produce(client, "t", {"a", "b"}), 0);
        EXPECT_EQ(co_await produce(client, "t", {"c"}), 2);
        EXPECT_EQ(co_await fetch(client, "t", 0), (std::vector<std::string>{"a", "b", "c"}));
        EXPECT_EQ(co_await fetch(client, "t", 1), (std::vector<std::string>{"b", "c"}));
        EXPECT_TRUE((co_await fetch(client, "t", 3)).empty());
    });
}

TEST_P(NodeTest, WaitingFetchIsWokenByAProduce) {
    wait_until_started();
    std::vector<std::string> seen;
    as_client([](Client& client) -> env::Task<void> { co_await topic_id(client, "t"); });
    const auto began = world.now();
    const auto consumer = [&]() -> env::Task<void> {
        auto client = co_await Client::connect(machine, machine.core(1), {"server", 9092});
        seen = co_await fetch(**client, "t", 0, 30'000);
    };
    env::spawn(machine.core(1), consumer());
    world.run_for(1s);
    EXPECT_TRUE(seen.empty());
    as_client([](Client& client) -> env::Task<void> { co_await produce(client, "t", {"news"}); });
    ASSERT_TRUE(world.run_until([&] { return !seen.empty(); }, 60s));
    EXPECT_EQ(seen, std::vector<std::string>{"news"});
    EXPECT_LT(world.now() - began, 10s) << "the fetch waited for its deadline instead";
}

TEST_P(NodeTest, ServesAfterACleanStopWhatItHad) {
    wait_until_started();
    std::string id;
    as_client([&](Client& client) -> env::Task<void> {
        id = co_await topic_id(client, "t");
        co_await produce(client, "t", {"a", "b"});
    });
    stop_cleanly();
    world.restart(server);
    wait_until_started();
    as_client([&](Client& client) -> env::Task<void> {
        EXPECT_EQ(co_await topic_id(client, "t"), id);
        EXPECT_EQ(co_await fetch(client, "t", 0), (std::vector<std::string>{"a", "b"}));
        EXPECT_EQ(co_await produce(client, "t", {"c"}), 2);
    });
}

TEST_P(NodeTest, KillCostsNothingThatWasAnswered) {
    // A killed process leaves all that it wrote to the system: records and metadata are there
    // again.
    wait_until_started();
    std::string id;
    as_client([&](Client& client) -> env::Task<void> {
        id = co_await topic_id(client, "t");
        co_await produce(client, "t", {"a", "b"});
    });
    world.crash(server, sim::Crash::process);
    world.restart(server);
    wait_until_started();
    as_client([&](Client& client) -> env::Task<void> {
        EXPECT_EQ(co_await topic_id(client, "t"), id);
        EXPECT_EQ(co_await fetch(client, "t", 0), (std::vector<std::string>{"a", "b"}));
    });
}

TEST_P(NodeTest, PowerLossKeepsTheTopicAndAPrefixOfItsRecords) {
    // The metadata log is synced before a topic is answered; records of one replica are not (acks
    // do not sync).
    wait_until_started();
    std::string id;
    as_client([&](Client& client) -> env::Task<void> {
        id = co_await topic_id(client, "t");
        for (int i = 0; i < 20; ++i) co_await produce(client, "t", {std::to_string(i)});
    });
    world.crash(server, sim::Crash::power);
    world.restart(server);
    wait_until_started();
    as_client([&](Client& client) -> env::Task<void> {
        EXPECT_EQ(co_await topic_id(client, "t"), id);
        const auto kept = co_await fetch(client, "t", 0);
        for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], std::to_string(i));
        EXPECT_EQ(co_await produce(client, "t", {"next"}), static_cast<std::int64_t>(kept.size()));
    });
}

TEST_P(NodeTest, PowerLossCostsNothingWhereEveryRecordIsSynced) {
    OneNode one(GetParam(), "log.flush.interval.messages=1\n");
    one.wait_until_started();
    std::vector<std::string> sent;
    one.as_client([&](Client& client) -> env::Task<void> {
        co_await topic_id(client, "t");
        for (std::int16_t i = 0; i < 10; ++i) {
            sent.push_back(std::to_string(i));
            const std::int16_t acks = i % 2 == 0 ? 1 : -1;
            EXPECT_EQ(co_await produce(client, "t", {sent.back()}, acks), i);
        }
    });
    one.world.crash(one.server, sim::Crash::power);
    one.world.restart(one.server);
    one.wait_until_started();
    one.as_client([&](Client& client) -> env::Task<void> {
        EXPECT_EQ(co_await fetch(client, "t", 0), sent);
    });
}

TEST_P(NodeTest, OldRecordsAreSyncedWhenTheirTimeIsOver) {
    OneNode one(GetParam(), "log.flush.scheduler.interval.ms=100\nlog.flush.interval.ms=1000\n");
    one.wait_until_started();
    one.as_client([&](Client& client) -> env::Task<void> {
        co_await topic_id(client, "t");
        co_await produce(client, "t", {"a", "b"});
    });
    one.world.run_for(2s);
    one.world.crash(one.server, sim::Crash::power);
    one.world.restart(one.server);
    one.wait_until_started();
    one.as_client([&](Client& client) -> env::Task<void> {
        EXPECT_EQ(co_await fetch(client, "t", 0), (std::vector<std::string>{"a", "b"}));
    });
}

TEST_P(NodeTest, OldRecordsLeaveTheDiskByThemselves) {
    OneNode one(GetParam(),
                "log.retention.ms=1000\nlog.retention.check.interval.ms=10000\n"
                "log.segment.delete.delay.ms=5000\n");
    one.wait_until_started();
    one.as_client([](Client& client) -> env::Task<void> {
        co_await topic_id(client, "t");
        co_await produce(client, "t", {"a", "b"});
    });
    const auto has = [&](const char* name) {
        return one.server.files().exists(std::string("/data/t-0/") + name);
    };
    ASSERT_TRUE(has("00000000000000000000.log"));
    one.world.run_for(11s);
    EXPECT_TRUE(has("00000000000000000002.log"));
    // They go at the next check, when the new segment's name is synced.
    one.world.run_for(10s);
    EXPECT_TRUE(has("00000000000000000000.log.deleted"));
    one.world.run_for(6s);
    EXPECT_FALSE(has("00000000000000000000.log.deleted"));
    one.as_client([](Client& client) -> env::Task<void> {
        EXPECT_EQ(co_await produce(client, "t", {"c"}), 2);
        EXPECT_EQ(co_await fetch(client, "t", 2), std::vector<std::string>{"c"});
    });
    one.stop_cleanly();
}

TEST_P(NodeTest, UnknownVersionOfApiVersionsIsAnsweredInVersionZero) {
    wait_until_started();
    as_client([](Client& client) -> env::Task<void> {
        // key 18, version 99, correlation 7, client id null, no tags; then a body that nobody can
        // read
        const std::array<std::uint8_t, 17> frame = {0, 0, 0, 13,   0,    18, 0, 99, 0,
                                                    0, 0, 7, 0xFF, 0xFF, 0,  1, 2};
        co_await client.send_bytes(std::as_bytes(std::span(frame)));
        const auto answer = co_await client.receive();
        const std::array<std::uint8_t, 16> expected = {0, 0, 0, 7,  0, 35, 0, 0,
                                                       0, 1, 0, 18, 0, 0,  0, 5};
        EXPECT_TRUE(answer.has_value());
        if (answer) EXPECT_TRUE(std::ranges::equal(*answer, std::as_bytes(std::span(expected))));
        protocol::ApiVersionsRequest request;
        const auto again = co_await client.call<protocol::ApiVersionsResponse>(request, 0);
        EXPECT_TRUE(again.has_value() && again->error_code == 0);
    });
}

TEST_P(NodeTest, SameSeedGivesTheSameHistory) {
    const auto history = [](std::uint64_t seed) {
        OneNode one(seed);
        one.wait_until_started();
        one.as_client([](Client& client) -> env::Task<void> {
            co_await OneNode::topic_id(client, "t");
            co_await OneNode::produce(client, "t", {"a"});
        });
        return one.world.trace_hash();
    };
    EXPECT_EQ(history(GetParam()), history(GetParam()));
    EXPECT_NE(history(GetParam()), history(GetParam() + 1000));
}

INSTANTIATE_TEST_SUITE_P(Seeds, NodeTest, testing::Range<std::uint64_t>(1, 11));

}  // namespace
}  // namespace milena::node
