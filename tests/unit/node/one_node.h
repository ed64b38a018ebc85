// SPDX-License-Identifier: Apache-2.0
// A whole node, as main() makes it, in a simulated world, with a machine for its clients.
#pragma once

#include <gtest/gtest.h>

#include "milena/node/node.h"
#include "milena/protocol/messages/fetch.h"
#include "milena/protocol/messages/metadata.h"
#include "milena/protocol/messages/produce.h"
#include "milena/record/records.h"
#include "sim/world.h"
#include "support/client.h"
#include "support/memory_state_store.h"

namespace milena::node {

using namespace std::chrono_literals;
using support::Client;

inline constexpr std::string_view kProperties = R"(
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://:9092,CONTROLLER://:9093
advertised.listeners=PLAINTEXT://server:9092
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers=server:9093
log.dirs=/data
offsets.topic.replication.factor=1
)";

inline std::vector<std::byte> batch_of(const std::vector<std::string>& values) {
    record::BatchBuilder builder(
        {.base_offset = Offset(0), .timestamp = record::Timestamp(1'700'000'000'000)});
    for (const auto& value : values) builder.append(std::nullopt, as_bytes(value));
    return std::move(builder).finish();
}

/// The values of all records in `bytes`, from `from` on; a batch that is cut at the end is left
/// out.
inline std::vector<std::string> values_in(BytesView bytes, std::int64_t from) {
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
            options.make_state_store = [this](Logger, const std::string&) { return state.open(); };
            started = false;
            auto made = std::shared_ptr<Node>(Node::make(self, std::move(options)));
            self.keep(made);
            node = made.get();
            env::spawn(self.control(), start(*made));
        });
    }

    env::Task<void> start(Node& starting) {
        const auto done = co_await starting.start();
        started = done.has_value();
        if (!started) EXPECT_TRUE(server.faults().power_is_lost()) << done.error().why;
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

    support::StateDisk state{[](std::uint64_t bound) { return bound - 1; }};
    sim::World world;
    sim::Node& server;
    sim::Node& machine;
    Node* node = nullptr;
    bool started = false;
};

}  // namespace milena::node
