// SPDX-License-Identifier: Apache-2.0
// A whole node, as main() makes it, in a simulated world: clients over its network, its disk under
// it, and crashes.
#include "milena/node/node.h"

#include <gtest/gtest.h>

#include "milena/protocol/messages/api_versions.h"
#include "milena/protocol/messages/create_topics.h"
#include "milena/protocol/messages/fetch.h"
#include "milena/protocol/messages/list_offsets.h"
#include "milena/protocol/messages/metadata.h"
#include "milena/protocol/messages/produce.h"
#include "milena/record/records.h"
#include "sim/world.h"
#include "support/client.h"

namespace milena::node {
namespace {

using namespace std::chrono_literals;
using support::Client;

constexpr std::string_view kProperties = R"(
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://:9092,CONTROLLER://:9093
advertised.listeners=PLAINTEXT://server:9092
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers=server:9093
log.dirs=/data
offsets.topic.replication.factor=1
)";

std::vector<std::byte> batch_of(const std::vector<std::string>& values) {
    record::BatchBuilder builder(
        {.base_offset = Offset(0), .timestamp = record::Timestamp(1'700'000'000'000)});
    for (const auto& value : values) builder.append(std::nullopt, as_bytes(value));
    return std::move(builder).finish();
}

/// The values of all records in `bytes`, from `from` on; a batch that is cut at the end is left
/// out.
std::vector<std::string> values_in(BytesView bytes, std::int64_t from) {
    std::vector<std::string> out;
    for (;;) {
        const auto batch = record::first_batch(bytes);
        EXPECT_TRUE(batch.has_value());
        if (!batch || !*batch) return out;
        EXPECT_TRUE((*batch)->check_crc());
        const auto read = record::for_each_record(**batch, {}, [&](const record::RecordView& one) {
            if (one.offset.value >= from) out.emplace_back(as_text(*one.value));
            return true;
        });
        EXPECT_TRUE(read.has_value());
        bytes = bytes.subspan((*batch)->size());
    }
}

/// A world of one server and one machine for clients.
class OneNode {
public:
    explicit OneNode(std::uint64_t seed, std::string_view more_properties = {})
        : world(seed), server(world.add_node("server")), machine(world.add_node("client")) {
        const std::string properties = std::string(kProperties) + std::string(more_properties);
        world.boot(server, [this, properties](sim::Node& self) {
            auto loaded = config::parse_broker_config("server.properties", properties, "server");
            ASSERT_TRUE(loaded.has_value()) << loaded.error().why;
            NodeOptions options;
            options.config = std::move(loaded->config);
            started = false;
            auto made = std::shared_ptr<Node>(Node::make(self, std::move(options)));
            self.keep(made);
            node = made.get();
            env::spawn(self.control(), start(*made));
        });
    }

    env::Task<void> start(Node& starting) {
        const auto done = co_await starting.start();
        EXPECT_TRUE(done.has_value()) << done.error().why;
        started = done.has_value();
    }

    /// Runs what a client does, to its end.
    void as_client(std::function<env::Task<void>(Client&)> what) {
        const auto session = [this, &what]() -> env::Task<void> {
            auto client = co_await Client::connect(machine, machine.core(0), {"server", 9092});
            EXPECT_TRUE(client.has_value());
            if (client) co_await what(**client);
        };
        EXPECT_TRUE(world.run(machine, session(), 60s));
    }

    void wait_until_started() {
        ASSERT_TRUE(world.run_until([this] { return started; }, 60s));
    }

    void stop_cleanly() {
        bool stopped = false;
        env::spawn(server.control(), [](Node& stopping, bool& flag) -> env::Task<void> {
            co_await stopping.stop();
            flag = true;
        }(*node, stopped));
        ASSERT_TRUE(world.run_until([&] { return stopped; }, 60s));
        world.crash(server, sim::Crash::process);
    }

    static env::Task<std::int64_t> produce(Client& client, std::string_view topic,
                                           std::vector<std::string> values,
                                           std::int16_t acks = -1) {
        const auto batch = batch_of(values);
        protocol::ProduceRequest request;
        request.acks = acks;
        request.timeout_ms = 10'000;
        std::array<protocol::ProduceRequest::PartitionProduceData, 1> parts;
        parts[0].records = protocol::Records(BytesView(batch));
        std::array<protocol::ProduceRequest::TopicProduceData, 1> topics;
        topics[0].name = topic;
        topics[0].partition_data = parts;
        request.topic_data = topics;
        const auto response = co_await client.call<protocol::ProduceResponse>(request, 9);
        EXPECT_TRUE(response.has_value()) << response.error().why;
        const auto& part = response->responses[0].partition_responses[0];
        EXPECT_EQ(part.error_code, 0);
        co_return part.base_offset;
    }

    static env::Task<std::vector<std::string>> fetch(Client& client, std::string_view topic,
                                                     std::int64_t from,
                                                     std::int32_t max_wait_ms = 0) {
        protocol::FetchRequest request;
        request.max_wait_ms = max_wait_ms;
        request.min_bytes = 1;
        std::array<protocol::FetchRequest::FetchPartition, 1> parts;
        parts[0].fetch_offset = from;
        parts[0].partition_max_bytes = 1 << 20;
        std::array<protocol::FetchRequest::FetchTopic, 1> topics;
        topics[0].topic = topic;
        topics[0].partitions = parts;
        request.topics = topics;
        const auto response = co_await client.call<protocol::FetchResponse>(request, 11);
        EXPECT_TRUE(response.has_value()) << response.error().why;
        const auto& part = response->responses[0].partitions[0];
        EXPECT_EQ(part.error_code, 0);
        co_return values_in(part.records.bytes(), from);
    }

    static env::Task<std::string> topic_id(Client& client, std::string_view topic) {
        protocol::MetadataRequest request;
        std::array<protocol::MetadataRequest::MetadataRequestTopic, 1> topics;
        topics[0].name = topic;
        request.topics = topics;
        const auto response = co_await client.call<protocol::MetadataResponse>(request, 12);
        EXPECT_TRUE(response.has_value()) << response.error().why;
        EXPECT_EQ(response->topics[0].error_code, 0);
        EXPECT_EQ(response->topics[0].partitions[0].leader_id, 1);
        EXPECT_EQ(response->brokers[0].host, "server");
        co_return response->topics[0].topic_id.text();
    }

    sim::World world;
    sim::Node& server;
    sim::Node& machine;
    Node* node = nullptr;
    bool started = false;
};

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
    EXPECT_TRUE(has("00000000000000000000.log.deleted"));
    EXPECT_TRUE(has("00000000000000000002.log"));
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
