// SPDX-License-Identifier: Apache-2.0
// Images come in which this node leads some partitions of __consumer_offsets, others, or none;
// groups are asked for meanwhile.
#include "milena/drivers/group_coordinator.h"

#include <gtest/gtest.h>

#include "support/memory_state_store.h"
#include "unit/drivers/coordinators/fake_groups.h"
#include "unit/drivers/coordinators/led_partition.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;
using coordinator::GroupRequest;
using coordinator::HeartbeatRequest;

constexpr std::string_view kOffsets = "__consumer_offsets";

std::shared_ptr<const metadata::TopicImage> topic_image(std::string_view name, Uuid id,
                                                        const std::vector<BrokerId>& leaders) {
    auto topic = std::make_shared<metadata::TopicImage>();
    topic->name = name;
    topic->id = id;
    decltype(topic->partitions)::Editor partitions(topic->partitions);
    for (std::size_t i = 0; i < leaders.size(); ++i) {
        metadata::PartitionRegistration partition;
        partition.leader = leaders[i];
        partitions.set(PartitionIndex(static_cast<std::int32_t>(i)), partition);
    }
    topic->partitions = std::move(partitions).finish();
    return topic;
}

class GroupCoordinatorTest : public ::testing::Test {
protected:
    GroupCoordinatorTest()
        : node_(world_.add_node("n1")),
          led_(node_),
          disk_([](std::uint64_t) { return 0; }),
          store_(disk_.open()),
          coordinator_(node_, Logger(), *store_, options()) {
        led_.lead(kAlone);
        run([this] { coordinator_.start(); });
    }
    ~GroupCoordinatorTest() override {
        bool has_stopped = false;
        const auto stop = [&]() -> env::Task<void> {
            co_await coordinator_.stop();
            has_stopped = true;
        };
        env::spawn(node_.control(), stop());
        EXPECT_TRUE(world_.run_until([&] { return has_stopped; }));
    }

    GroupCoordinatorOptions options() {
        GroupCoordinatorOptions options;
        options.self = BrokerId(1);
        options.make_groups = [this] { return std::make_unique<FakeGroups>(trace_); };
        options.replica = [this](Uuid, PartitionIndex) { return led_.partition; };
        options.applied = [](const storage::StateSpace&) { return Offset(0); };
        options.expiration_interval = 60s;
        return options;
    }
    void run(const std::function<void()>& what) {
        const auto task = [&]() -> env::Task<void> {
            what();
            co_return;
        };
        ASSERT_TRUE(world_.run(node_, task()));
    }
    void see(const std::vector<std::shared_ptr<const metadata::TopicImage>>& topics,
             const std::vector<Uuid>& changed) {
        auto next = std::make_shared<metadata::TopicsImage>();
        decltype(next->by_id)::Editor by_id(next->by_id);
        decltype(next->by_name)::Editor by_name(next->by_name);
        for (const auto& topic : topics) {
            by_id.set(topic->id, topic);
            by_name.set(topic->name, topic->id);
        }
        next->by_id = std::move(by_id).finish();
        next->by_name = std::move(by_name).finish();
        metadata::Image image = *metadata::Image::empty();
        image.topics = next;
        run([&] { coordinator_.follow(image, changed); });
        world_.run_for(1s);
    }
    ErrorCode ask(std::string group) {
        std::optional<Result<coordinator::GroupReply>> reply;
        const auto task = [&]() -> env::Task<void> {
            reply = co_await coordinator_.ask(node_.core(0), group, HeartbeatRequest{});
        };
        EXPECT_TRUE(world_.run(node_, task()));
        return *reply ? ErrorCode::none : reply->error().code;
    }

    const Uuid id_ = LedPartition::kTopic;
    sim::World world_{1};
    sim::Node& node_;
    LedPartition led_;
    GroupsTrace trace_;
    support::StateDisk disk_;
    std::unique_ptr<storage::StateStore> store_;
    GroupCoordinator coordinator_;
};

TEST_F(GroupCoordinatorTest, CoordinatesTheGroupsOfPartitionsThatItLeads) {
    EXPECT_EQ(ask("g"), ErrorCode::not_coordinator);
    see({topic_image(kOffsets, id_, {BrokerId(1), BrokerId(2)})}, {id_});
    int here = 0;
    for (int i = 0; i < 100; ++i) {
        const std::string group = fmt::format("group-{}", i);
        const bool is_here = coordinator::coordinator_partition(group, 2) == PartitionIndex(0);
        here += is_here ? 1 : 0;
        EXPECT_EQ(ask(group), is_here ? ErrorCode::none : ErrorCode::not_coordinator);
    }
    EXPECT_GT(here, 10);
    EXPECT_EQ(trace_.made, 1U);
}

TEST_F(GroupCoordinatorTest, GoesOnWhileItLeads) {
    see({topic_image(kOffsets, id_, {BrokerId(1)})}, {id_});
    see({topic_image(kOffsets, id_, {BrokerId(1)})}, {id_});
    see({topic_image(kOffsets, id_, {BrokerId(1)})}, {});
    EXPECT_EQ(trace_.made, 1U);
    see({topic_image(kOffsets, id_, {BrokerId(2)})}, {id_});
    EXPECT_EQ(ask("g"), ErrorCode::not_coordinator);
    see({topic_image(kOffsets, id_, {BrokerId(1)})}, {id_});
    EXPECT_EQ(ask("g"), ErrorCode::none);
    EXPECT_EQ(trace_.made, 2U) << "what it knew it has forgotten";
}

TEST_F(GroupCoordinatorTest, TellsTheGroupsOfTopicsThatAreOtherwise) {
    const Uuid other{3, 3};
    see({topic_image(kOffsets, id_, {BrokerId(1)})}, {id_});
    trace_.lines.clear();
    see({topic_image(kOffsets, id_, {BrokerId(1)}), topic_image("t", other, {BrokerId(2)})},
        {other});
    see({topic_image(kOffsets, id_, {BrokerId(1)})}, {other});
    EXPECT_EQ(std::ranges::count(trace_.lines, "follow t"), 2);
}

TEST_F(GroupCoordinatorTest, EndsWithTheTopic) {
    see({topic_image(kOffsets, id_, {BrokerId(1)})}, {id_});
    see({}, {id_});
    EXPECT_EQ(ask("g"), ErrorCode::not_coordinator);
}

TEST_F(GroupCoordinatorTest, AsksAllThatAreHere) {
    see({topic_image(kOffsets, id_, {BrokerId(1), BrokerId(2), BrokerId(1)})}, {id_});
    std::vector<Result<coordinator::GroupReply>> replies;
    const auto task = [&]() -> env::Task<void> {
        replies = co_await coordinator_.ask_all(node_.core(0), HeartbeatRequest{});
    };
    ASSERT_TRUE(world_.run(node_, task()));
    EXPECT_EQ(replies.size(), 2U);
}

TEST_F(GroupCoordinatorTest, ForgetsTheOffsetsOfADeletedTopic) {
    const auto offsets = topic_image(kOffsets, id_, {BrokerId(1)});
    see({offsets, topic_image("t", Uuid{1, 1}, {BrokerId(2)})}, {id_, Uuid{1, 1}});
    trace_.lines.clear();
    see({offsets}, {Uuid{1, 1}});
    EXPECT_EQ(trace_.lines, (std::vector<std::string>{"follow t", "forget t of 0 offsets"}));
}

TEST_F(GroupCoordinatorTest, LooksForExpiredOffsetsAtItsInterval) {
    see({topic_image(kOffsets, id_, {BrokerId(1)})}, {id_});
    trace_.lines.clear();
    world_.run_for(130s);
    EXPECT_EQ(trace_.lines, std::vector<std::string>(2, "expire 0 offsets, last true"));
}

TEST_F(GroupCoordinatorTest, TellsTheGroupsWhatIsStored) {
    see({topic_image(kOffsets, id_, {BrokerId(1)})}, {id_});
    coordinator_.store_moved({id_, PartitionIndex(0)});
    coordinator_.store_moved({Uuid{9, 9}, PartitionIndex(0)});
    EXPECT_EQ(ask("g"), ErrorCode::none);
}

TEST_F(GroupCoordinatorTest, ShowsItsPartitionsAndGroups) {
    see({topic_image(kOffsets, id_, {BrokerId(1), BrokerId(2)})}, {id_});
    telemetry::Page page;
    coordinator_.write_metrics(page);
    const std::string text = page.text();
    for (const std::string_view line :
         {"kafka_coordinator_group_groupmetadatamanager_numgroups 1",
          "kafka_server_group_coordinator_metrics_num_partitions{state=\"active\"} 1",
          "milena_group_coordinator_waiting_requests 0"}) {
        EXPECT_TRUE(text.contains(line)) << line << text;
    }
}

TEST_F(GroupCoordinatorTest, TellsWhichPartitionsAndGroupsAreHere) {
    const auto groups = [this] {
        std::string names;
        coordinator_.each_group([&](const coordinator::GroupSummary& group) {
            names += group.group;
            EXPECT_EQ(group.members, 2U);
        });
        return names;
    };
    EXPECT_EQ(groups(), "");
    see({topic_image(kOffsets, id_, {BrokerId(1), BrokerId(2), BrokerId(1)})}, {id_});
    EXPECT_EQ(coordinator_.coordinated(), (std::vector<storage::StateSpace>{
                                              {id_, PartitionIndex(0)}, {id_, PartitionIndex(2)}}));
    EXPECT_EQ(groups(), "abcabc");
    run([this] { coordinator_.resign(); });
    EXPECT_TRUE(coordinator_.coordinated().empty());
    EXPECT_EQ(groups(), "");
}

TEST_F(GroupCoordinatorTest, IsNobodysOnceItHasResigned) {
    see({topic_image(kOffsets, id_, {BrokerId(1)})}, {id_});
    run([this] { coordinator_.resign(); });
    EXPECT_EQ(ask("g"), ErrorCode::not_coordinator);
    see({topic_image(kOffsets, id_, {BrokerId(1)})}, {id_});
    EXPECT_EQ(ask("g"), ErrorCode::not_coordinator);
}

}  // namespace
}  // namespace milena::drivers
