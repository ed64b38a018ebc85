// SPDX-License-Identifier: Apache-2.0
// Requests to the controller from their decision to their answer, in virtual time.
#include "milena/drivers/controller.h"

#include <gtest/gtest.h>

#include "memory_quorum.h"
#include "milena/drivers/metadata_publisher.h"
#include "milena/metadata/features.h"
#include "milena/protocol/records/metadata.h"
#include "sim/world.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;
using controller::CreateTopicsReply;

class CapturingSink final : public LogSink {
public:
    void write(const LogLine& line) override { lines += line.text() + '\n'; }
    std::string lines;
};

class ControllerHostTest : public ::testing::Test {
protected:
    ControllerHostTest() {
        controller::Options options;
        options.node = BrokerId(1);
        options.cluster_id = "cluster";
        host_ = ControllerHost::make(node_, Logger(sink_), options, quorum_, publisher_);
        quorum_.start({&publisher_, host_.get()});
    }
    ~ControllerHostTest() override {
        host_->stop();
        world_.run_for(1s);
    }

    void on_control(std::function<void()> what) {
        env::post(node_.control(), std::move(what));
        world_.run_for(1ms);
    }
    void lead() {
        on_control([this] { quorum_.lead(); });
    }
    env::Instant in(env::Duration duration) { return node_.clock().now() + duration; }

    /// The answer of a request made on core 1.
    template <class T>
    Result<T> ask(env::Task<Result<T>> task) {
        std::optional<Result<T>> answer = start(std::move(task));
        return answer ? *answer : Result<T>(fail(ErrorCode::unknown_server_error, "no answer"));
    }
    template <class T>
    std::optional<Result<T>> start(env::Task<Result<T>> task) {
        std::optional<Result<T>> answer;
        EXPECT_TRUE(world_.run(node_, keep(std::move(task), answer)));
        return answer;
    }
    template <class T>
    env::Task<void> keep(env::Task<Result<T>> task, std::optional<Result<T>>& answer) {
        answer.emplace(co_await std::move(task));
    }

    controller::RegisterBrokerRequest registration(int id) {
        controller::RegisterBrokerRequest request;
        request.id = BrokerId(id);
        request.cluster_id = "cluster";
        request.incarnation_id = {7, static_cast<std::uint64_t>(id)};
        for (const auto& feature : metadata::supported_features())
            request.features.emplace(feature.name, feature.range);
        request.log_directories = {{8, static_cast<std::uint64_t>(100 + id)}};
        return request;
    }
    controller::BrokerHeartbeatRequest heartbeat_of(int id) {
        controller::BrokerHeartbeatRequest request;
        request.id = BrokerId(id);
        request.epoch = publisher_.image()->cluster->find_broker(BrokerId(id))->epoch;
        request.metadata_offset = publisher_.image()->provenance.last_offset;
        return request;
    }
    /// A registered broker that is not fenced.
    void add_broker(int id) {
        ASSERT_TRUE(ask(host_->register_broker(registration(id), in(5s))));
        const auto reply = ask(host_->heartbeat(heartbeat_of(id), in(5s)));
        ASSERT_TRUE(reply);
        ASSERT_FALSE(reply->is_fenced);
    }
    static controller::CreateTopicsRequest one_topic(std::string name) {
        return {
            .topics = {{.name = std::move(name), .partition_count = 3, .replication_factor = 1}}};
    }

    std::shared_ptr<CapturingSink> sink_ = std::make_shared<CapturingSink>();
    sim::World world_{1};
    sim::Node& node_ = world_.add_node("n");
    MemoryQuorum quorum_{node_};
    MetadataPublisher publisher_{node_, Logger(),
                                 [](const Error& why) { ADD_FAILURE() << why.why; }};
    std::shared_ptr<ControllerHost> host_;
};

TEST_F(ControllerHostTest, WritesTheFirstRecordsOfAClusterWhenItLeads) {
    lead();
    EXPECT_EQ(publisher_.image()->features->level(metadata::kMetadataVersion), 33);
}

TEST_F(ControllerHostTest, WritesWhatFormattingLeft) {
    const auto level =
        metadata::encode_record(protocol::FeatureLevelRecord{metadata::kMetadataVersion, 30});
    MetadataSnapshot bootstrap;
    bootstrap.batches.push_back(
        {Offset(0), Offset(0), LeaderEpoch(0), Timestamp(0), {BytesView(level)}});
    on_control([&] {
        publisher_.on_snapshot(bootstrap);
        host_->on_snapshot(bootstrap);
    });
    lead();
    EXPECT_EQ(publisher_.image()->features->level(metadata::kMetadataVersion), 30);
}

TEST_F(ControllerHostTest, AnswersWhenThisNodesImageHoldsTheTopic) {
    lead();
    add_broker(1);
    const auto reply = ask(host_->create_topics(one_topic("t"), in(5s)));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->topics.front().code, ErrorCode::none) << reply->topics.front().why;
    const auto topic = publisher_.image()->topics->find("t");
    ASSERT_NE(topic, nullptr);
    EXPECT_EQ(topic->id, reply->topics.front().id);
    EXPECT_EQ(topic->partitions.size(), 3U);
}

TEST_F(ControllerHostTest, DoesNothingForWhoeverGivesItNoTime) {
    lead();
    add_broker(1);
    const Offset end = quorum_.end();
    for (const auto time : {0s, -1s}) {
        const auto reply = ask(host_->create_topics(one_topic("t"), in(time)));
        ASSERT_FALSE(reply);
        EXPECT_EQ(reply.error().code, ErrorCode::request_timed_out);
    }
    EXPECT_EQ(quorum_.end(), end);
}

TEST_F(ControllerHostTest, AnswersWhenThisNodesImageHoldsTheNewPartitions) {
    lead();
    add_broker(1);
    ASSERT_TRUE(ask(host_->create_topics(one_topic("t"), in(5s))));
    const controller::CreatePartitionsRequest more{.topics = {{"t", 5}}};
    const auto reply = ask(host_->create_partitions(more, in(5s)));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->front().code, ErrorCode::none) << reply->front().why;
    EXPECT_EQ(publisher_.image()->topics->find("t")->partitions.size(), 5U);
}

TEST_F(ControllerHostTest, DescribesTheQuorumThatItLeads) {
    EXPECT_EQ(ask(host_->describe_quorum(in(5s))).error().code, ErrorCode::not_controller);
    lead();
    const auto quorum = ask(host_->describe_quorum(in(5s)));
    ASSERT_TRUE(quorum);
    EXPECT_EQ(quorum->epoch, quorum_.status().epoch);
}

TEST_F(ControllerHostTest, GivesABrokerTheOffsetOfItsRecord) {
    lead();
    const Offset next = quorum_.end();
    const auto reply = ask(host_->register_broker(registration(1), in(5s)));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->epoch.value, next.value);
}

TEST_F(ControllerHostTest, RefusesWhileItDoesNotLead) {
    const auto reply = ask(host_->create_topics(one_topic("t"), in(5s)));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::not_controller);
}

TEST_F(ControllerHostTest, DoesNotAnswerBeforeTheCommit) {
    lead();
    add_broker(1);
    quorum_.commits_by_itself = false;
    world_.after(2s, [this] { env::post(node_.control(), [this] { quorum_.commit(); }); });
    const auto started = world_.now();
    EXPECT_TRUE(ask(host_->create_topics(one_topic("t"), in(5s))));
    EXPECT_GE(world_.now() - started, 2s);
}

TEST_F(ControllerHostTest, DoesNotAnswerBeforeWhatItReadIsCommitted) {
    // The second request finds the topic that the first one made; its refusal must not be heard
    // before the topic is sure.
    lead();
    add_broker(1);
    quorum_.commits_by_itself = false;
    world_.after(3s, [this] { env::post(node_.control(), [this] { quorum_.commit(); }); });
    env::spawn(node_.core(1), [](ControllerHost& host, env::Instant deadline) -> env::Task<void> {
        (void)co_await host.create_topics(one_topic("t"), deadline);
    }(*host_, in(10s)));
    world_.run_for(1s);
    const auto started = world_.now();
    const auto reply = ask(host_->create_topics(one_topic("t"), in(10s)));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->topics.front().code, ErrorCode::topic_already_exists);
    EXPECT_GE(world_.now() - started, 1s);
}

TEST_F(ControllerHostTest, DoesNotWaitPastTheDeadline) {
    lead();
    add_broker(1);
    quorum_.commits_by_itself = false;
    const auto reply = ask(host_->create_topics(one_topic("t"), in(2s)));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::request_timed_out);
    on_control([this] { quorum_.commit(); });
}

TEST_F(ControllerHostTest, AnswersWhatItCannotKnowWhenItLosesItsLead) {
    lead();
    add_broker(1);
    quorum_.commits_by_itself = false;
    world_.after(1s, [this] { env::post(node_.control(), [this] { quorum_.lose(); }); });
    const auto reply = ask(host_->create_topics(one_topic("t"), in(60s)));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::not_controller);

    // What was lost is forgotten: the next epoch may make the topic.
    quorum_.commits_by_itself = true;
    lead();
    const auto again = ask(host_->create_topics(one_topic("t"), in(5s)));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->topics.front().code, ErrorCode::none) << again->topics.front().why;
}

TEST_F(ControllerHostTest, FencesABrokerThatFallsSilent) {
    lead();
    add_broker(1);
    world_.run_for(8s);
    EXPECT_TRUE(publisher_.image()->cluster->is_active(BrokerId(1)));
    world_.run_for(2s);
    EXPECT_FALSE(publisher_.image()->cluster->is_active(BrokerId(1)));
}

TEST_F(ControllerHostTest, WritesIdleRecordsTwiceASecond) {
    lead();
    const Offset before = quorum_.end();
    world_.run_for(10s);
    EXPECT_NEAR(static_cast<double>(quorum_.end() - before), 20, 1);
}

TEST_F(ControllerHostTest, TriesAgainWhenTheQuorumIsFull) {
    lead();
    quorum_.is_full = true;
    world_.run_for(5s);
    const Offset before = quorum_.end();
    quorum_.is_full = false;
    world_.run_for(1s);
    EXPECT_GT(quorum_.end(), before);
}

TEST_F(ControllerHostTest, AllocatesProducerIds) {
    lead();
    add_broker(1);
    const controller::AllocateProducerIdsRequest request{BrokerId(1), heartbeat_of(1).epoch};
    EXPECT_EQ(*ask(host_->allocate_producer_ids(request, in(5s))),
              (controller::ProducerIdBlock{0, 1000}));
    EXPECT_EQ(*ask(host_->allocate_producer_ids(request, in(5s))),
              (controller::ProducerIdBlock{1000, 1000}));
}

TEST_F(ControllerHostTest, TellsALeaderWhatBecameOfItsProposal) {
    lead();
    add_broker(1);
    add_broker(2);
    auto topic = one_topic("t");
    topic.topics[0] = {.name = "t",
                       .assignments = {{PartitionIndex(0), {BrokerId(1), BrokerId(2)}}}};
    ASSERT_TRUE(ask(host_->create_topics(topic, in(5s))));
    const Uuid id = publisher_.image()->topics->find("t")->id;
    const auto epoch = publisher_.image()->cluster->find_broker(BrokerId(1))->epoch;
    const controller::AlterPartitionRequest request{BrokerId(1),
                                                    epoch,
                                                    {{id,
                                                      {{.partition = PartitionIndex(0),
                                                        .leader_epoch = LeaderEpoch(0),
                                                        .in_sync_replicas = {{BrokerId(1)}},
                                                        .partition_epoch = PartitionEpoch(0)}}}}};
    const auto reply = ask(host_->alter_partition(request, in(5s)));
    ASSERT_TRUE(reply) << reply.error().why;
    EXPECT_EQ(reply->front().partitions.front().code, ErrorCode::none);
    EXPECT_EQ(
        publisher_.image()->topics->find(id)->partitions.at(PartitionIndex(0)).in_sync_replicas,
        std::vector{BrokerId(1)});
}

TEST_F(ControllerHostTest, WarnsOfAnElectionThatMayLoseRecords) {
    lead();
    add_broker(1);
    add_broker(2);
    auto topic = one_topic("t");
    topic.topics[0] = {
        .name = "t",
        .assignments = {{PartitionIndex(0), {BrokerId(1), BrokerId(2)}}},
        .configs = {{"min.insync.replicas", "1"}, {"unclean.leader.election.enable", "true"}}};
    ASSERT_TRUE(ask(host_->create_topics(topic, in(5s))));
    const auto fence = [&](int broker) {
        auto request = heartbeat_of(broker);
        request.want_fence = true;
        ASSERT_TRUE(ask(host_->heartbeat(request, in(5s))));
    };
    fence(2);
    fence(1);
    EXPECT_EQ(sink_->lines.find("unclean leader election"), std::string::npos) << sink_->lines;
    ASSERT_TRUE(ask(host_->heartbeat(heartbeat_of(2), in(5s))));
    const std::size_t at = sink_->lines.find("unclean leader election");
    ASSERT_NE(at, std::string::npos);
    const std::string line = sink_->lines.substr(at, sink_->lines.find('\n', at) - at);
    for (const std::string_view part :
         {"topic=t", "partition=0", "leader=2", "old_leader=1", "had_all=1"})
        EXPECT_NE(line.find(part), std::string::npos) << line;
}

}  // namespace
}  // namespace milena::drivers
