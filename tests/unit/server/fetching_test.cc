// SPDX-License-Identifier: Apache-2.0
// Who may fetch: a whole server on a simulated network, with rights of the test's choice and no
// topics.
#include "fetching.h"

#include <gtest/gtest.h>

#include "milena/server/server.h"
#include "milena/wire/client.h"
#include "no_gateway.h"
#include "sim/world.h"

namespace milena::server {
namespace {

using protocol::FetchRequest;
using protocol::FetchResponse;
using security::Operation;
using security::ResourceType;

constexpr std::int16_t kLastVersionWithNames = 12;

/// Allows one operation on all resources of a type.
struct Right final : security::Authorizer {
    Right(Operation its_operation, ResourceType its_type)
        : operation(its_operation), type(its_type) {}
    bool allows(const security::Principal&, Operation asked, ResourceType on,
                std::string_view) const override {
        return asked == operation && on == type;
    }
    const Operation operation;
    const ResourceType type;
};

class FetchingTest : public testing::Test {
protected:
    enum Who : std::int32_t { consumer = -1, follower = 1 };

    FetchingTest() {
        config.listeners.push_back({"PLAINTEXT", {"", 9092}});
        config.settings = std::make_shared<config::Settings>(config::Settings::defaults());
    }

    /// What partition 0 of a topic that does not exist is answered in that version.
    ErrorCode answer_to(Who who, const security::Authorizer& rights, std::int16_t version) {
        const auto server = Server::make({.env = node,
                                          .log = {},
                                          .config = config,
                                          .cluster_id = {},
                                          .image = image,
                                          .replicas = *replicas,
                                          .controller = controller,
                                          .producer_ids = producer_ids,
                                          .authorizer = rights,
                                          .request_bytes_max = 1 << 20});
        EXPECT_TRUE(server->bind(config.listeners));
        server->serve();
        std::optional<ErrorCode> code;
        env::spawn(asker.core(0), ask(who, version, code));
        EXPECT_TRUE(world.run_until([&] { return code.has_value(); }));
        bool has_stopped = false;
        env::spawn(node.control(), stop(*server, has_stopped));
        EXPECT_TRUE(world.run_until([&] { return has_stopped; }));
        return code.value_or(ErrorCode::none);
    }

    sim::World world{1};
    sim::Node& node = world.add_node("server");
    sim::Node& asker = world.add_node("asker");
    config::BrokerConfig config;
    ServedImage image{node};
    std::unique_ptr<replication::Replicas> replicas =
        replication::Replicas::make(node, {}, BrokerId(1), {}, {});
    controller::NoGateway controller;
    ProducerIds producer_ids{node, {}};

private:
    env::Task<void> ask(Who who, std::int16_t version, std::optional<ErrorCode>& out) {
        wire::ClientOptions options;
        options.bootstrap = {{"server", 9092}};
        wire::Client client(asker, asker.core(0), options, {});
        FetchRequest::FetchPartition partition;
        partition.partition_max_bytes = 1;
        FetchRequest::FetchTopic topic;
        topic.topic = version <= kLastVersionWithNames ? "topic" : "";
        topic.topic_id = version <= kLastVersionWithNames ? Uuid() : Uuid{1, 2};
        topic.partitions = std::span(&partition, 1);
        FetchRequest request;
        if (version <= kLastVersionWithNames) {
            request.replica_id = who;
        } else {
            request.replica_state.replica_id = who;
        }
        request.topics = std::span(&topic, 1);
        const auto answer =
            co_await client.call<FetchResponse>(wire::Target::any(), request, version);
        EXPECT_TRUE(answer.has_value());
        out = answer ? static_cast<ErrorCode>((*answer)->responses[0].partitions[0].error_code)
                     : ErrorCode::unknown_server_error;
    }
    static env::Task<void> stop(Server& server, bool& done) {
        co_await server.stop();
        done = true;
    }
};

TEST_F(FetchingTest, AFollowerNeedsTheClustersRightAndNoneOnTopics) {
    const Right broker(Operation::cluster_action, ResourceType::cluster);
    EXPECT_EQ(answer_to(follower, broker, 12), ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(answer_to(follower, broker, 17), ErrorCode::unknown_topic_id);
    EXPECT_EQ(answer_to(consumer, broker, 12), ErrorCode::topic_authorization_failed);
}

TEST_F(FetchingTest, WhoMayReadOnlyIsNoFollower) {
    const Right reader(Operation::read, ResourceType::topic);
    EXPECT_EQ(answer_to(follower, reader, 12), ErrorCode::topic_authorization_failed);
    EXPECT_EQ(answer_to(follower, reader, 17), ErrorCode::topic_authorization_failed);
    EXPECT_EQ(answer_to(consumer, reader, 12), ErrorCode::unknown_topic_or_partition);
}

}  // namespace
}  // namespace milena::server
