// SPDX-License-Identifier: Apache-2.0
// A client and scripted nodes on a simulated network. A scripted node answers ApiVersions by its
// table, Metadata with the cluster it was told, and what the test says otherwise.
#include "milena/wire/client.h"

#include <gtest/gtest.h>

#include "milena/protocol/header.h"
#include "milena/protocol/messages/api_versions.h"
#include "milena/protocol/messages/produce.h"
#include "sim/world.h"
#include "support/streams.h"

namespace milena::wire {
namespace {

using namespace std::chrono_literals;
using protocol::ApiVersionsRequest;
using protocol::ApiVersionsResponse;
using protocol::MetadataRequest;
using protocol::MetadataResponse;

constexpr std::uint16_t kPort = 9092;

/// How a node treats a request that is not ApiVersions.
enum class Manner { answers, silent, closes, wrong_correlation, announces_too_much };

/// What a scripted node does and saw.
struct Script {
    Manner manner = Manner::answers;
    std::int16_t api_versions_max = 5;
    std::int16_t metadata_max = 13;
    std::int32_t controller_id = 1;
    std::vector<std::pair<std::int16_t, std::int16_t>> seen;  ///< key, version
    int connections = 0;
};

class ScriptedNode {
public:
    ScriptedNode(sim::Node& node, Script& script) : node_(node), script_(script) {
        env::spawn(node_.core(0), serve());
    }

private:
    env::Task<void> serve() {
        const auto acceptor = node_.network().listen({"", kPort}, node_.core(0));
        while (auto stream = co_await (*acceptor)->accept(node_.core(0))) {
            ++script_.connections;
            env::spawn(node_.core(0), talk(*std::move(stream)));
        }
    }

    env::Task<void> talk(std::unique_ptr<env::Stream> stream) {
        for (;;) {
            auto size = co_await support::read_exactly(*stream, 4);
            if (size.size() < 4) co_return;
            auto frame = co_await support::read_exactly(*stream, load<std::uint32_t>(size.data()));
            ByteReader reader(frame);
            const auto head = protocol::read_request_head(reader);
            const auto reply = answer(*head);
            if (head->api->key == protocol::ApiKey::produce) continue;
            if (script_.manner == Manner::closes && reply.empty()) co_return;
            const BytesView piece(reply);
            if (!co_await stream->write(std::span(&piece, 1))) co_return;
        }
    }

    std::vector<std::byte> answer(const protocol::RequestHead& head) {
        script_.seen.emplace_back(head.header.request_api_key, head.version());
        if (head.api->key == protocol::ApiKey::api_versions) return answer_api_versions(head);
        if (script_.manner == Manner::silent || script_.manner == Manner::closes) return {};
        if (script_.manner == Manner::announces_too_much)
            return {std::byte{0x7F}, std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF}};
        MetadataResponse response;
        std::array<MetadataResponse::MetadataResponseBroker, 2> brokers;
        brokers[0] = {1, "one", kPort, {}};
        brokers[1] = {2, "two", kPort, "rack"};
        response.brokers = brokers;
        response.controller_id = script_.controller_id;
        std::array<MetadataResponse::MetadataResponsePartition, 1> partitions;
        partitions[0].leader_id = 2;
        std::array<MetadataResponse::MetadataResponseTopic, 1> topics;
        topics[0].name = "t";
        topics[0].partitions = partitions;
        response.topics = topics;
        return framed(head, response, head.version());
    }

    std::vector<std::byte> answer_api_versions(const protocol::RequestHead& head) {
        ApiVersionsResponse response;
        std::array<ApiVersionsResponse::ApiVersion, 3> keys;
        keys[0] = {3, 0, script_.metadata_max};
        keys[1] = {18, 0, script_.api_versions_max};
        keys[2] = {0, 3, 13};
        response.api_keys = keys;
        if (head.version() <= script_.api_versions_max)
            return framed(head, response, head.version());
        response.error_code = static_cast<std::int16_t>(ErrorCode::unsupported_version);
        return framed(head, response, 0);
    }

    template <class Response>
    std::vector<std::byte> framed(const protocol::RequestHead& head, const Response& response,
                                  std::int16_t version) {
        const auto body = protocol::encode(response, version);
        const std::size_t size = protocol::response_head_size(*head.api, version);
        std::vector<std::byte> frame(4 + size + body->size());
        ByteWriter writer(frame);
        writer.write(static_cast<std::int32_t>(size + body->size()));
        const bool is_wrong = script_.manner == Manner::wrong_correlation &&
                              head.api->key != protocol::ApiKey::api_versions;
        protocol::write_response_head(*head.api, version,
                                      head.header.correlation_id + (is_wrong ? 1 : 0), writer);
        writer.write_bytes(*body);
        return frame;
    }

    sim::Node& node_;
    Script& script_;
};

class ClientTest : public testing::Test {
protected:
    ClientTest() {
        world.boot(one, [this](sim::Node& node) {
            node.keep(std::make_shared<ScriptedNode>(node, script_one));
        });
        world.boot(two, [this](sim::Node& node) {
            node.keep(std::make_shared<ScriptedNode>(node, script_two));
        });
        options.bootstrap = {{"one", kPort}, {"two", kPort}};
        options.request_timeout = 5s;
        options.call_timeout = 20s;
    }

    Client& client() {
        if (client_ == nullptr) {
            client_ = std::make_shared<Client>(self, self.core(0), options, Logger());
            self.keep(client_);
        }
        return *client_;
    }

    /// Runs Metadata at `target`: the error, or none and the version in `version`.
    ErrorCode ask(Target target) {
        auto code = ErrorCode::unknown_server_error;
        EXPECT_TRUE(world.run(self, ask(client(), target, code, version)));
        return code;
    }
    static env::Task<void> ask(Client& client, Target target, ErrorCode& code,
                               std::int16_t& version) {
        const MetadataRequest request;
        const auto answer = co_await client.call<MetadataResponse>(target, request);
        code = answer ? ErrorCode::none : answer.error().code;
        if (answer) version = answer->version();
    }

    sim::World world{7};
    sim::Node& one = world.add_node("one");
    sim::Node& two = world.add_node("two");
    sim::Node& self = world.add_node("self");
    Script script_one;
    Script script_two;
    ClientOptions options;
    std::int16_t version = -1;

private:
    std::shared_ptr<Client> client_;
};

TEST_F(ClientTest, TakesTheNewestCommonVersion) {
    script_one.metadata_max = 9;
    EXPECT_EQ(ask(Target::any()), ErrorCode::none);
    EXPECT_EQ(version, 9);
    EXPECT_EQ(script_one.seen.back(), std::pair(std::int16_t{3}, std::int16_t{9}));
}

TEST_F(ClientTest, AnOlderNodeIsAskedInItsVersion) {
    script_one.api_versions_max = 2;
    EXPECT_EQ(ask(Target::any()), ErrorCode::none);
    EXPECT_EQ(script_one.seen[0].second, 5);
    EXPECT_EQ(script_one.seen[1], std::pair(std::int16_t{18}, std::int16_t{2}));
}

TEST_F(ClientTest, SaysThatTheNodeIsTooOld) {
    script_one.metadata_max = -1;
    EXPECT_EQ(ask(Target::any()), ErrorCode::unsupported_version);
}

TEST_F(ClientTest, TheSecondServerHelpsWhenTheFirstIsDown) {
    world.crash(one, sim::Crash::process);
    EXPECT_EQ(ask(Target::any()), ErrorCode::none);
    EXPECT_EQ(script_two.connections, 1);
}

TEST_F(ClientTest, GivesUpWhenNobodyAnswers) {
    world.crash(one, sim::Crash::process);
    world.crash(two, sim::Crash::process);
    const auto began = world.now();
    EXPECT_EQ(ask(Target::any()), ErrorCode::network_exception);
    EXPECT_GT(world.now() - began, 15s);
    EXPECT_LT(world.now() - began, 25s);
}

TEST_F(ClientTest, GoesToTheControllerAndToABroker) {
    script_one.controller_id = 2;
    EXPECT_EQ(ask(Target::controller()), ErrorCode::none);
    EXPECT_EQ(script_two.seen.size(), 2U);
    EXPECT_EQ(ask(Target::broker(BrokerId(1))), ErrorCode::none);
    EXPECT_EQ(script_one.connections, 1) << "one connection a node";
    EXPECT_EQ(client().leader_of("t", PartitionIndex(0)), BrokerId(2));
    EXPECT_EQ(client().leader_of("t", PartitionIndex(1)), std::nullopt);
    EXPECT_EQ(client().nodes().at(BrokerId(2)).rack, "rack");
}

TEST_F(ClientTest, ABrokerThatIsNotThereIsAnError) {
    EXPECT_EQ(ask(Target::broker(BrokerId(9))), ErrorCode::broker_not_available);
}

TEST_F(ClientTest, CallsOverlapOnOneConnection) {
    std::array<ErrorCode, 10> codes;
    codes.fill(ErrorCode::unknown_server_error);
    for (auto& code : codes) env::spawn(self.core(0), ask(client(), Target::any(), code, version));
    world.run_for(5s);
    EXPECT_EQ(std::ranges::count(codes, ErrorCode::none), 10);
    EXPECT_EQ(std::ranges::count(script_one.seen, std::pair(std::int16_t{3}, std::int16_t{13})),
              10);
}

TEST_F(ClientTest, ALateAnswerEndsTheConnectionAndTheNextCallConnectsAgain) {
    script_one.manner = Manner::silent;
    EXPECT_EQ(ask(Target::any()), ErrorCode::request_timed_out);
    script_one.manner = Manner::answers;
    EXPECT_EQ(ask(Target::any()), ErrorCode::none);
    EXPECT_EQ(script_one.connections, 2);
}

TEST_F(ClientTest, ARequestThatWasSentIsNotSentAgain) {
    script_one.manner = Manner::closes;
    EXPECT_EQ(ask(Target::any()), ErrorCode::network_exception);
    EXPECT_EQ(script_one.seen.size(), 2U);
    EXPECT_EQ(script_two.connections, 0);
}

TEST_F(ClientTest, AnAnswerToAnotherRequestIsRefused) {
    script_one.manner = Manner::wrong_correlation;
    EXPECT_EQ(ask(Target::any()), ErrorCode::corrupt_message);
}

TEST_F(ClientTest, AnAnnouncedLengthBeyondTheLimitIsRefused) {
    script_one.manner = Manner::announces_too_much;
    EXPECT_EQ(ask(Target::any()), ErrorCode::corrupt_message);
}

TEST_F(ClientTest, SendsWhatIsNotAnswered) {
    Result<void> sent = fail(ErrorCode::unknown_server_error, "");
    world.run(self, [](Client& client_, Result<void>& into) -> env::Task<void> {
        protocol::ProduceRequest request;
        request.acks = 0;
        into = co_await client_.send(Target::any(), request);
    }(client(), sent));
    EXPECT_TRUE(sent);
    world.run_for(1s);
    EXPECT_EQ(script_one.seen.back(), std::pair(std::int16_t{0}, std::int16_t{13}));
}

TEST(ParseBootstrap, TakesNamesAndAddresses) {
    const auto endpoints = parse_bootstrap("a:1, [::1]:2,");
    ASSERT_TRUE(endpoints);
    EXPECT_EQ(*endpoints, (std::vector<env::Endpoint>{{"a", 1}, {"::1", 2}}));
}

TEST(ParseBootstrap, NamesWhatIsWrong) {
    EXPECT_EQ(parse_bootstrap("a:1,b").error().why, "Invalid url in bootstrap.servers: b");
    EXPECT_EQ(parse_bootstrap("b:99999").error().why, "Invalid url in bootstrap.servers: b:99999");
    EXPECT_FALSE(parse_bootstrap(""));
}

}  // namespace
}  // namespace milena::wire
