// SPDX-License-Identifier: Apache-2.0
// Requests on their way to controllers that answer as a script says, lead no longer, hang or die.
#include "milena/drivers/forwarding.h"

#include <gtest/gtest.h>

#include "../frame_listener.h"
#include "../memory_quorum.h"
#include "milena/drivers/metadata_publisher.h"
#include "milena/protocol/messages/describe_quorum.h"
#include "milena/protocol/messages/envelope.h"
#include "sim/world.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;
using server::ControllerPort;

constexpr std::uint16_t kPort = 9093;

std::vector<std::byte> bytes(std::string_view text) {
    const BytesView view = as_bytes(text);
    return {view.begin(), view.end()};
}

/// A controllers' listener that knows Envelope and says how far it has committed.
class ScriptedController final : public FrameListener {
public:
    explicit ScriptedController(sim::Node& node) : FrameListener(node, kPort) { listen(); }

    struct Asked {
        std::string data;
        std::string principal;
        std::string address;
    };
    std::vector<Asked> asked;
    /// Codes of the next answers; none when there are no more.
    std::vector<ErrorCode> codes;
    bool answers = true;
    std::int64_t high_watermark = 0;

private:
    env::Task<Frame> answer(const protocol::RequestHead& head, BytesView body) override {
        co_return reply(head, body);
    }
    Frame reply(const protocol::RequestHead& head, BytesView body) {
        if (head.api->key == protocol::ApiKey::envelope) return envelope(head, body);
        if (head.api->key == protocol::ApiKey::describe_quorum) {
            protocol::DescribeQuorumResponse response;
            std::array<protocol::DescribeQuorumResponse::PartitionData, 1> partitions{};
            partitions[0].high_watermark = high_watermark;
            std::array<protocol::DescribeQuorumResponse::TopicData, 1> topics{};
            topics[0].partitions = partitions;
            response.topics = topics;
            return framed(head, response);
        }
        return versions(head);
    }
    Frame envelope(const protocol::RequestHead& head, BytesView body) {
        protocol::Arena arena;
        const auto got = protocol::decode<protocol::EnvelopeRequest>(body, head.version(), arena);
        asked.push_back({std::string(as_text(got->request_data)),
                         std::string(as_text(*got->request_principal)),
                         std::string(as_text(got->client_host_address))});
        if (!answers) return {};
        protocol::EnvelopeResponse response;
        const std::string data = "to " + asked.back().data;
        if (codes.empty()) {
            response.response_data = as_bytes(data);
        } else {
            response.error_code = static_cast<std::int16_t>(codes.front());
            codes.erase(codes.begin());
        }
        return framed(head, response);
    }
};

class ForwardingTest : public testing::Test {
protected:
    ForwardingTest() {
        controller::Options options;
        options.node = BrokerId(1);
        options.cluster_id = "cluster";
        host_ = ControllerHost::make(node_, Logger(), options, quorum_, publisher_);
        forwarding_ = std::make_unique<Forwarding>(
            node_, Logger(), ForwardingParts{BrokerId(1), *host_, quorum_, publisher_});
        quorum_.start({&publisher_, host_.get(), forwarding_.get()});
        const auto voter = [](int id, const std::string& host) {
            return raft::Voter{.key = {BrokerId(id), {}},
                               .endpoints = {{"CONTROLLER", host, kPort}}};
        };
        quorum_.voters = raft::VoterSet({voter(2, "two"), voter(3, "three")});
        quorum_.leader = BrokerId(2);
        world_.run_for(1ms);
    }
    ~ForwardingTest() override {
        forwarding_->stop();
        host_->stop();
        world_.run_for(60s);
    }

    env::Instant in(env::Duration duration) { return node_.clock().now() + duration; }
    using Answer = Result<ControllerPort::Reached>;

    /// Asks from a core; the answer comes into what is returned.
    std::shared_ptr<std::optional<Answer>> start(std::string_view data, env::Instant deadline) {
        auto out = std::make_shared<std::optional<Answer>>();
        env::spawn(node_.core(0), keep(bytes(data), deadline, out));
        return out;
    }
    env::Task<void> keep(std::vector<std::byte> data, env::Instant deadline,
                         std::shared_ptr<std::optional<Answer>> out) {
        const auto principal = bytes("alice");
        const auto address = bytes("abcd");
        out->emplace(co_await forwarding_->ask({data, principal, address}, deadline));
    }
    Answer ask(std::string_view data, env::Duration patience) {
        const auto out = start(data, in(patience));
        EXPECT_TRUE(world_.run_until([&] { return out->has_value(); }));
        return out->value_or(fail(ErrorCode::unknown_server_error, "no answer"));
    }
    ErrorCode code_of(const Answer& answer) {
        return answer ? ErrorCode::none : answer.error().code;
    }
    void lead(int id) {
        quorum_.leader = BrokerId(id);
        env::post(node_.control(), [this, id] {
            forwarding_->on_leader_change(LeaderEpoch(9), BrokerId(id), false);
        });
    }

    sim::World world_{5};
    sim::Node& node_ = world_.add_node("one");
    ScriptedController two_{world_.add_node("two")};
    ScriptedController three_{world_.add_node("three")};
    MemoryQuorum quorum_{node_};
    MetadataPublisher publisher_{node_, Logger(), [](const Error&) {}};
    std::shared_ptr<ControllerHost> host_;
    std::unique_ptr<Forwarding> forwarding_;
};

TEST_F(ForwardingTest, ARequestArrivesAsItIsAndSoDoesItsAnswer) {
    const auto answer = ask("what", 0s);
    ASSERT_TRUE(answer) << answer.error().why;
    EXPECT_FALSE(answer->is_here);
    EXPECT_EQ(as_text(answer->answer), "to what");
    ASSERT_EQ(two_.asked.size(), 1u);
    EXPECT_EQ(two_.asked[0].data, "what");
    EXPECT_EQ(two_.asked[0].principal, "alice");
    EXPECT_EQ(two_.asked[0].address, "abcd");
}

TEST_F(ForwardingTest, WhereThisNodeDecidesNothingIsSent) {
    env::post(node_.control(), [this] { quorum_.lead(); });
    world_.run_for(10ms);
    EXPECT_TRUE(ask("what", 0s)->is_here);
    EXPECT_TRUE(two_.asked.empty());
}

TEST_F(ForwardingTest, AControllerThatIsNoneIsAskedAgain) {
    two_.codes = {ErrorCode::not_controller, ErrorCode::not_controller};
    EXPECT_EQ(as_text(ask("what", 1s)->answer), "to what");
    EXPECT_EQ(two_.asked.size(), 3u);
}

TEST_F(ForwardingTest, WhoeverLeadsByThenIsAsked) {
    two_.codes.assign(1000, ErrorCode::not_controller);
    const auto answer = start("what", in(10s));
    world_.run_for(500ms);
    EXPECT_FALSE(answer->has_value());
    lead(3);
    world_.run_for(500ms);
    ASSERT_TRUE(answer->has_value());
    EXPECT_TRUE(**answer);
    EXPECT_EQ(three_.asked.size(), 1u);
}

TEST_F(ForwardingTest, WithoutAControllerTheTimeOfTheRequestEnds) {
    quorum_.leader = kNoBroker;
    const env::Instant began = node_.clock().now();
    EXPECT_EQ(code_of(ask("what", 700ms)), ErrorCode::request_timed_out);
    EXPECT_EQ(node_.clock().now() - began, 700ms);
    EXPECT_EQ(code_of(ask("what", 0s)), ErrorCode::request_timed_out);
}

TEST_F(ForwardingTest, AnEndedTimeStillAllowsOneTry) {
    EXPECT_TRUE(ask("what", -1s));
}

TEST_F(ForwardingTest, WhatIsRefusedIsNotTheClientsFault) {
    two_.codes = {ErrorCode::cluster_authorization_failed};
    EXPECT_EQ(code_of(ask("what", 1s)), ErrorCode::unknown_server_error);
    two_.codes = {ErrorCode::principal_deserialization_failure};
    EXPECT_EQ(code_of(ask("what", 1s)), ErrorCode::unknown_server_error);
    two_.codes = {ErrorCode::unsupported_version};
    EXPECT_EQ(code_of(ask("what", 1s)), ErrorCode::unsupported_version);
    EXPECT_EQ(two_.asked.size(), 3u) << "none of them is asked again";
}

TEST_F(ForwardingTest, AHungControllerIsLeftWhenAnotherLeads) {
    two_.answers = false;
    const auto answer = start("what", in(20s));
    world_.run_for(2s);
    EXPECT_FALSE(answer->has_value());
    lead(3);
    world_.run_for(400ms);
    EXPECT_FALSE(answer->has_value()) << "what it has decided may be on its way";
    world_.run_for(400ms);
    ASSERT_TRUE(answer->has_value());
    EXPECT_EQ(as_text((*answer)->value().answer), "to what");
}

TEST_F(ForwardingTest, ThereIsABoundOfRequests) {
    two_.answers = false;
    std::vector<std::shared_ptr<std::optional<Answer>>> answers;
    for (std::size_t i = 0; i < Forwarding::kRequestsMax; ++i)
        answers.push_back(start("what", in(20s)));
    world_.run_for(100ms);
    EXPECT_EQ(code_of(ask("one more", 20s)), ErrorCode::throttling_quota_exceeded);
    forwarding_->stop();
    world_.run_for(1s);
    for (const auto& answer : answers) {
        ASSERT_TRUE(answer->has_value());
        EXPECT_EQ(code_of(**answer), ErrorCode::not_controller);
    }
}

TEST_F(ForwardingTest, ThereIsABoundOfBytes) {
    two_.answers = false;
    const std::string much(Forwarding::kBytesMax - 10, 'x');
    start(much, in(20s));
    world_.run_for(100ms);
    EXPECT_EQ(code_of(ask("eleven more", 20s)), ErrorCode::throttling_quota_exceeded);
    const auto fits = start("ten", in(20s));
    world_.run_for(100ms);
    EXPECT_FALSE(fits->has_value());
}

TEST_F(ForwardingTest, ItsImageComesToWhereTheControllerHadCommitted) {
    two_.high_watermark = 1;
    bool has_caught_up = false;
    const auto wait = [&]() -> env::Task<void> {
        co_await forwarding_->catch_up(in(20s));
        has_caught_up = true;
    };
    env::spawn(node_.core(0), wait());
    world_.run_for(1s);
    EXPECT_FALSE(has_caught_up);
    env::post(node_.control(), [this] { quorum_.lead(); });  // a record at offset 0
    world_.run_for(10ms);
    EXPECT_TRUE(has_caught_up);
}

}  // namespace
}  // namespace milena::drivers
