// SPDX-License-Identifier: Apache-2.0
// A node that coordinates groups over a store in memory, leads one partition that they read, and
// asks another broker, whose answers are the test's, for those of the rest.
#include "milena/drivers/group_lag.h"

#include <gtest/gtest.h>

#include "coordinators/group_append.h"
#include "milena/protocol/messages/list_offsets.h"
#include "support/memory_state_store.h"
#include "unit/drivers/coordinators/lag/offset_changes.h"
#include "unit/drivers/coordinators/led_partition.h"
#include "unit/drivers/frame_listener.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t kPort = 9092;
constexpr Uuid kHere{1, 1};
constexpr Uuid kThere{2, 2};
const storage::StateSpace kSpace{LedPartition::kTopic, PartitionIndex(3)};

/// Tells ends of partitions, or says nothing.
class ScriptedLeader final : public FrameListener {
public:
    explicit ScriptedLeader(sim::Node& node) : FrameListener(node, kPort) { listen(); }

    std::map<std::int32_t, std::int64_t> ends;
    bool answers = true;
    int requests = 0;
    std::size_t partitions = 0;  ///< of the last request

private:
    using Response = protocol::ListOffsetsResponse;

    env::Task<Frame> answer(const protocol::RequestHead& head, BytesView body) override {
        if (head.api->key != protocol::ApiKey::list_offsets) co_return versions(head);
        protocol::Arena arena;
        const auto asked =
            protocol::decode<protocol::ListOffsetsRequest>(body, head.version(), arena);
        ++requests;
        EXPECT_EQ(asked->replica_id, -1) << "as a consumer";
        EXPECT_EQ(asked->topics.size(), 1U);
        partitions = asked->topics[0].partitions.size();
        if (!answers) co_return Frame();
        std::vector<Response::ListOffsetsPartitionResponse> told;
        for (const auto& one : asked->topics[0].partitions) {
            EXPECT_EQ(one.timestamp, -1);
            auto& part = told.emplace_back();
            part.partition_index = one.partition_index;
            const auto known = ends.find(one.partition_index);
            part.error_code = known == ends.end() ? 6 : 0;
            part.offset = known == ends.end() ? -1 : known->second;
        }
        std::array<Response::ListOffsetsTopicResponse, 1> topics;
        topics[0].name = asked->topics[0].name;
        topics[0].partitions = told;
        Response response;
        response.topics = topics;
        co_return framed(head, response);
    }
};

class GroupLagTest : public testing::Test {
protected:
    GroupLagTest()
        : node_(world_.add_node("one")),
          led_(node_),
          leader_(world_.add_node("two")),
          disk_([](std::uint64_t) { return 0; }, [this] { return fault_; }),
          store_(observed(
              disk_.open(),
              {.written = [this](const auto& space, auto changes) { lag_.written(space, changes); },
               .dropped = [this](const auto& space) { lag_.dropped(space); }})),
          lag_(node_, Logger(), *store_, options()) {
        led_.lead(kAlone);
        put(OffsetChanges()
                .set("g", "here", 0, 1)
                .set("g", "there", 0, 10)
                .set("g", "there", 7, 3));
        leader_.ends = {{0, 30}, {7, 3}};
        append(4);
    }
    ~GroupLagTest() override {
        bool has_stopped = false;
        const auto stop = [&]() -> env::Task<void> {
            co_await lag_.stop();
            has_stopped = true;
        };
        env::spawn(node_.control(), stop());
        EXPECT_TRUE(world_.run_until([&] { return has_stopped; }));
    }

    GroupLagOptions options() {
        GroupLagOptions options;
        options.self = BrokerId(1);
        options.listener = "INSIDE";
        options.replica = [this](Uuid topic, PartitionIndex) {
            return topic == kHere ? led_.partition : nullptr;
        };
        options.coordinated = [this] {
            return coordinates_ ? std::vector{kSpace} : std::vector<storage::StateSpace>();
        };
        options.groups = [this](const auto& visit) {
            for (const auto& group : groups_)
                visit({.group = group, .state = "Stable", .members = 2});
        };
        options.answer_time = 2s;
        return options;
    }
    void run(const std::function<void()>& what) {
        const auto task = [&]() -> env::Task<void> {
            what();
            co_return;
        };
        ASSERT_TRUE(world_.run(node_, task()));
    }
    void start() {
        run([this] {
            lag_.start();
            lag_.follow(image_);
        });
        world_.run_for(1s);
    }
    void put(const OffsetChanges& changes) {
        ASSERT_TRUE(store_->write(kSpace, changes.all(), {Offset(1), LeaderEpoch(0), 0}));
    }
    /// Records into the partition that is led here.
    void append(int count) {
        const std::vector<coordinator::Record> records(static_cast<std::size_t>(count),
                                                       {.key = {std::byte{1}}, .value = {}});
        const auto task = [&]() -> env::Task<void> {
            const auto done = co_await append_records({node_, node_.core(0), led_.partition}, {},
                                                      records, [](const auto&) {});
            EXPECT_TRUE(done);
        };
        ASSERT_TRUE(world_.run(node_, task()));
    }
    /// Both topics, or those of these names.
    metadata::Image image(const std::set<std::string>& names = {"here", "there"}) {
        auto topics = std::make_shared<metadata::TopicsImage>();
        decltype(topics->by_id)::Editor by_id(topics->by_id);
        decltype(topics->by_name)::Editor by_name(topics->by_name);
        for (const std::string& name : names) {
            auto topic = std::make_shared<metadata::TopicImage>();
            topic->name = name;
            topic->id = name == "here" ? kHere : kThere;
            decltype(topic->partitions)::Editor partitions(topic->partitions);
            for (const std::int32_t index : {0, 7, 8}) {
                metadata::PartitionRegistration partition;
                partition.leader = name == "here" ? BrokerId(1) : BrokerId(2);
                partitions.set(PartitionIndex(index), partition);
            }
            topic->partitions = std::move(partitions).finish();
            by_id.set(topic->id, topic);
            by_name.set(topic->name, topic->id);
        }
        topics->by_id = std::move(by_id).finish();
        topics->by_name = std::move(by_name).finish();
        auto cluster = std::make_shared<metadata::ClusterImage>();
        decltype(cluster->brokers)::Editor brokers(cluster->brokers);
        metadata::BrokerRegistration broker;
        broker.id = BrokerId(2);
        broker.endpoints = {{"OUTSIDE", "nowhere", 1, 0}, {"INSIDE", "two", kPort, 0}};
        brokers.set(broker.id, broker);
        cluster->brokers = std::move(brokers).finish();
        metadata::Image image = *metadata::Image::empty();
        image.topics = topics;
        image.cluster = cluster;
        return image;
    }

    std::string page() const {
        telemetry::Page page;
        lag_.write_metrics(page);
        return page.text();
    }
    /// The value of a sample; nothing if there is none.
    std::optional<double> value(std::string_view sample) const {
        const std::string text = "\n" + page();
        const auto at = text.find(fmt::format("\n{} ", sample));
        if (at == std::string::npos) return std::nullopt;
        return std::stod(text.substr(at + sample.size() + 2));
    }

    bool coordinates_ = true;
    std::vector<std::string> groups_{"g"};
    std::optional<Error> fault_;
    sim::World world_{1};
    sim::Node& node_;
    LedPartition led_;
    ScriptedLeader leader_;
    support::StateDisk disk_;
    std::unique_ptr<storage::StateStore> store_;
    metadata::Image image_ = image();
    GroupLag lag_;
};

TEST_F(GroupLagTest, PartitionsLedHereAndElsewhereHaveLag) {
    start();
    EXPECT_EQ(value("kafka_consumergroup_lag{consumergroup=\"g\",topic=\"here\",partition=\"0\"}"),
              3);
    EXPECT_EQ(value("kafka_consumergroup_lag{consumergroup=\"g\",topic=\"there\",partition=\"0\"}"),
              20);
    EXPECT_EQ(value("kafka_consumergroup_lag{consumergroup=\"g\",topic=\"there\",partition=\"7\"}"),
              0);
    EXPECT_EQ(value("kafka_consumergroup_lag_sum{consumergroup=\"g\",topic=\"there\"}"), 20);
    EXPECT_EQ(value("kafka_consumergroup_current_offset{consumergroup=\"g\",topic=\"there\","
                    "partition=\"0\"}"),
              10);
    EXPECT_EQ(value("kafka_consumergroup_group_sum_lag{group=\"g\"}"), 23);
    EXPECT_EQ(value("kafka_consumergroup_group_max_lag{group=\"g\"}"), 20);
    EXPECT_EQ(value("kafka_consumergroup_members{consumergroup=\"g\"}"), 2);
    EXPECT_EQ(value("milena_group_state{group=\"g\",state=\"Stable\"}"), 1);
    EXPECT_EQ(value("milena_group_lag_offsets"), 3);
    EXPECT_EQ(value("milena_group_lag_silent_partitions"), 0);
    EXPECT_EQ(value("milena_group_lag_left_out"), 0);
}

TEST_F(GroupLagTest, SecondsGrowWhileNothingIsReadAndEndWithTheLag) {
    leader_.ends = {{0, 10}, {7, 3}};
    start();
    const std::string_view seconds =
        "kafka_consumergroup_group_lag_seconds{group=\"g\",topic=\"there\",partition=\"0\"}";
    EXPECT_EQ(value(seconds), 0);
    leader_.ends[0] = 20;
    world_.run_for(60s);
    EXPECT_NEAR(value(seconds).value_or(-1), 58, 5);
    EXPECT_GT(value("kafka_consumergroup_group_max_lag_seconds{group=\"g\"}").value_or(-1), 53);
    put(OffsetChanges().set("g", "there", 0, 20));
    EXPECT_EQ(value(seconds), 0) << "what is committed counts at once";
}

TEST_F(GroupLagTest, OneRequestALeaderAndIntervalIsSent) {
    start();
    EXPECT_EQ(leader_.requests, 1);
    EXPECT_EQ(leader_.partitions, 2U) << "not the partition that nobody has committed";
    world_.run_for(50s);
    EXPECT_NEAR(leader_.requests, 11, 1);
    EXPECT_EQ(value("milena_group_lag_requests_total"), leader_.requests);
}

TEST_F(GroupLagTest, NothingIsSentWhereNoGroupNeedsIt) {
    put(OffsetChanges().gone("g", "there", 0).gone("g", "there", 7));
    start();
    world_.run_for(60s);
    EXPECT_EQ(leader_.requests, 0);
    coordinates_ = false;
    put(OffsetChanges().set("g", "there", 0, 1));
    run([this] { lag_.follow(image_); });
    world_.run_for(60s);
    EXPECT_EQ(leader_.requests, 0) << "another coordinates the group";
    EXPECT_EQ(value("milena_group_lag_offsets"), 0);
}

TEST_F(GroupLagTest, ALeaderThatDoesNotAnswerIsAskedSeldomAndAgain) {
    leader_.answers = false;
    start();
    world_.run_for(300s);
    EXPECT_LE(leader_.requests, 12);
    EXPECT_EQ(value("milena_group_lag_silent_partitions"), 2);
    EXPECT_GE(value("milena_group_lag_failed_requests_total").value_or(0), 5);
    EXPECT_EQ(value("kafka_consumergroup_group_sum_lag{group=\"g\"}"), 3) << "what is known of it";
    EXPECT_FALSE(page().contains("consumergroup_lag{consumergroup=\"g\",topic=\"there\""));
    leader_.answers = true;
    world_.run_for(70s);
    EXPECT_EQ(value("kafka_consumergroup_group_sum_lag{group=\"g\"}"), 23);
}

TEST_F(GroupLagTest, SeriesGoWithTheirGroupTheirOffsetAndTheirTopic) {
    put(OffsetChanges().set("h", "here", 0, 0));
    groups_ = {"g", "h"};
    start();
    EXPECT_TRUE(page().contains("group=\"h\""));
    groups_ = {"g"};
    EXPECT_FALSE(page().contains("group=\"h\""));
    put(OffsetChanges().gone("g", "here", 0));
    EXPECT_FALSE(page().contains("topic=\"here\""));
    EXPECT_TRUE(page().contains("topic=\"there\""));
    run([this] { lag_.follow(image({"here"})); });
    EXPECT_FALSE(page().contains("topic=\"there\""));
    coordinates_ = false;
    groups_.clear();
    EXPECT_FALSE(page().contains("group=\""));
}

TEST_F(GroupLagTest, ManyOffsetsOfBeforeAreReadPageByPage) {
    OffsetChanges many;
    for (std::int32_t i = 0; i < 2500; ++i) many.set("g", "here", i, 1);
    put(many);
    start();
    EXPECT_EQ(value("milena_group_lag_offsets"), 2502);
}

TEST_F(GroupLagTest, GroupsWithTooManyPartitionsAreSummedUp) {
    OffsetChanges many;
    for (std::int32_t i = 0; i < 10'000; ++i) many.set("a", "there", i, 1);
    put(many);
    leader_.ends[8] = 5;
    groups_ = {"a", "g"};
    start();
    EXPECT_EQ(leader_.partitions, 3U) << "there are no others";
    EXPECT_EQ(value("milena_group_lag_hidden_partitions"), 3) << "those of the one that is next";
    EXPECT_EQ(value("kafka_consumergroup_group_sum_lag{group=\"a\"}"), 29 + 2 + 4);
    EXPECT_EQ(value("kafka_consumergroup_group_sum_lag{group=\"g\"}"), 23);
    EXPECT_TRUE(page().contains("consumergroup=\"a\",topic=\"there\",partition=\"8\""));
    EXPECT_FALSE(page().contains("consumergroup=\"g\",topic"));
}

TEST_F(GroupLagTest, LongNamesAreNotShownAndNoneTwice) {
    const std::string longest(255, 'n');
    const std::string longer(256, 'n');
    OffsetChanges all;
    all.set(longest, "there", 0, 1);
    all.set(longer, "there", 0, 1);
    put(all);
    groups_ = {longest, longer, longest};
    start();
    const std::string shown = page();
    EXPECT_FALSE(shown.contains(longer));
    const std::string row = "kafka_consumergroup_members{consumergroup=\"" + longest;
    const auto first = shown.find(row);
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(shown.find(row, first + 1), std::string::npos);
}

TEST_F(GroupLagTest, AStoreThatCantBeReadIsReadLater) {
    fault_ = Error{ErrorCode::kafka_storage_error, "the disk"};
    start();
    EXPECT_EQ(value("milena_group_lag_offsets"), 0);
    fault_.reset();
    world_.run_for(2s);
    EXPECT_EQ(value("milena_group_lag_offsets"), 3);
}

TEST_F(GroupLagTest, AStoreThatIsMadeAnewIsReadAgain) {
    start();
    ASSERT_TRUE(store_->drop(kSpace));
    EXPECT_EQ(value("milena_group_lag_offsets"), 0);
    put(OffsetChanges().set("g", "here", 0, 2));
    world_.run_for(1s);
    EXPECT_EQ(value("kafka_consumergroup_group_sum_lag{group=\"g\"}"), 2);
}

}  // namespace
}  // namespace milena::drivers
