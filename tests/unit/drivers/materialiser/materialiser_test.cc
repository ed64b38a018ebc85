// SPDX-License-Identifier: Apache-2.0
// Which replicas are followed, when they are read, what is dropped and what is saved; and that no
// call that fails leaves anything but work to be done again.
#include "milena/drivers/materialiser.h"

#include <gmock/gmock.h>

#include "followed_replica.h"
#include "sim/fail_each.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;
using Content = std::map<std::string, std::string>;
using testing::HasSubstr;

metadata::Image image_with(std::string name, std::optional<int> partitions) {
    metadata::TopicsImage topics;
    if (partitions) {
        metadata::TopicImage topic{.name = std::move(name), .id = kTopic, .partitions = {}};
        auto editor = decltype(topic.partitions)::Editor(topic.partitions);
        for (int i = 0; i < *partitions; ++i) editor.set(PartitionIndex(i), {});
        topic.partitions = std::move(editor).finish();
        auto all = decltype(topics.by_id)::Editor(topics.by_id);
        all.set(kTopic, std::make_shared<const metadata::TopicImage>(topic));
        topics.by_id = std::move(all).finish();
    }
    metadata::Image image = *metadata::Image::empty();
    image.topics = std::make_shared<const metadata::TopicsImage>(topics);
    return image;
}

/// Replicas of one node, its store and what follows them.
class Followed {
public:
    explicit Followed(sim::World& world, sim::Node& node,
                      std::function<std::optional<Error>()> fault)
        : world_(world), node_(node), fault_(std::move(fault)) {
        for (int i = 0; i < 2; ++i) replicas.push_back(std::make_unique<FollowedReplica>(node, i));
        begin();
    }
    void begin() {
        store = disk.open();
        MaterialiserOptions options;
        options.replica = [this](Uuid topic, PartitionIndex partition) {
            const auto at = static_cast<std::size_t>(partition.value);
            return topic == kTopic && at < replicas.size() && replicas[at] != nullptr
                       ? replicas[at]->partition
                       : nullptr;
        };
        options.delete_retention_ms = [](const metadata::Image&, std::string_view) {
            return 24LL * 3600 * 1000;
        };
        materialiser.emplace(node_, Logger(), *store, options);
        materialiser->when_moved(
            [this](const storage::StateSpace& space) { moved.push_back(space.partition.value); });
    }
    void on_control(std::function<void()> what) {
        const auto task = [&]() -> env::Task<void> {
            what();
            co_return;
        };
        ASSERT_TRUE(world_.run(node_, env::run_on(node_.control(), task())));
    }
    void follow(const metadata::Image& image) {
        on_control([&] { materialiser->follow(image, std::span(&kTopic, 1)); });
    }
    void start() {
        on_control([&] { materialiser->start(); });
    }
    void stop() {
        ASSERT_TRUE(world_.run(node_, env::run_on(node_.control(), materialiser->stop())));
    }
    /// And the loop has heard of it.
    bool has_come_to(std::size_t replica, std::int64_t offset) {
        const bool has_come = world_.run_until(
            [&] { return materialiser->applied(replicas[replica]->space()) == Offset(offset); },
            20s);
        world_.run_for(100ms);
        return has_come;
    }
    Content content(std::size_t replica) {
        return drivers::content(*store, replicas[replica]->space());
    }

    sim::SeededRandom random{1};
    support::StateDisk disk{[this](std::uint64_t bound) { return random.below(bound); },
                            [this] { return fault_ ? fault_() : std::nullopt; }};
    std::unique_ptr<storage::StateStore> store;
    std::vector<std::unique_ptr<FollowedReplica>> replicas;
    std::vector<std::int32_t> moved;
    std::optional<Materialiser> materialiser;

private:
    sim::World& world_;
    sim::Node& node_;
    const std::function<std::optional<Error>()> fault_;
};

class MaterialiserTest : public testing::Test {
protected:
    void run(std::string_view name = "__consumer_offsets") {
        all.follow(image_with(std::string(name), 2));
        all.start();
    }
    sim::World world{1};
    sim::Node& node = world.add_node("n1");
    Followed all{world, node, {}};
    const std::string a = typed_key(1, "a");
};

TEST_F(MaterialiserTest, FollowsWhatReplicasOfItsTopicHave) {
    ASSERT_TRUE(all.replicas[0]->take(batch_at(0, {{a, "1"}}), 1));
    run();
    EXPECT_TRUE(all.has_come_to(0, 1));
    EXPECT_TRUE(all.has_come_to(1, 0));
    all.moved.clear();
    ASSERT_TRUE(all.replicas[1]->take(batch_at(0, {{a, "2"}, {a, "3"}}), 2));
    EXPECT_TRUE(all.has_come_to(1, 2));
    EXPECT_EQ(all.moved, (std::vector<std::int32_t>{1}));
    EXPECT_EQ(all.content(0), (Content{{a, "1"}}));
    EXPECT_EQ(all.content(1), (Content{{a, "3"}}));
    all.stop();
}

TEST_F(MaterialiserTest, LeavesOtherTopicsAlone) {
    ASSERT_TRUE(all.replicas[0]->take(batch_at(0, {{a, "1"}}), 1));
    run("orders");
    world.run_for(10s);
    EXPECT_EQ(all.materialiser->applied(all.replicas[0]->space()), std::nullopt);
    EXPECT_EQ(all.materialiser->cleaner_limit(all.replicas[0]->space()), std::nullopt);
    EXPECT_TRUE(all.store->spaces()->empty());
    all.stop();
}

TEST_F(MaterialiserTest, DropsTheSpaceOfAReplicaThatIsGone) {
    for (auto& replica : all.replicas) ASSERT_TRUE(replica->take(batch_at(0, {{a, "1"}}), 1));
    run();
    ASSERT_TRUE(all.has_come_to(0, 1) && all.has_come_to(1, 1));
    all.replicas[1].reset();
    all.follow(image_with("__consumer_offsets", 2));
    world.run_for(1s);
    EXPECT_EQ(all.store->spaces()->size(), 1U);
    all.follow(image_with("", std::nullopt));
    world.run_for(1s);
    EXPECT_TRUE(all.store->spaces()->empty()) << "the topic is deleted";
    all.stop();
}

TEST_F(MaterialiserTest, DropsAtTheStartWhatIsOfNoReplica) {
    const storage::StateSpace stray{Uuid{1, 1}, PartitionIndex(0)};
    ASSERT_TRUE(all.store->write(stray, {}, {Offset(1)}));
    run();
    world.run_for(1s);
    EXPECT_TRUE(all.store->spaces()->empty());
    all.stop();
}

TEST_F(MaterialiserTest, BeginsAnewWithAnotherReplicaOfThePartition) {
    ASSERT_TRUE(all.replicas[0]->take(batch_at(0, {{a, "1"}, {a, "2"}}), 2));
    run();
    ASSERT_TRUE(all.has_come_to(0, 2));
    ASSERT_TRUE(node.files().remove("/data/__consumer_offsets-0"));
    all.replicas[0] = std::make_unique<FollowedReplica>(node, 0);
    ASSERT_TRUE(all.replicas[0]->take(batch_at(0, {{a, "other"}}), 1));
    all.follow(image_with("__consumer_offsets", 2));
    EXPECT_TRUE(all.has_come_to(0, 1));
    EXPECT_EQ(all.content(0), (Content{{a, "other"}}));
    all.stop();
}

TEST_F(MaterialiserTest, FlushesAfterAWhileAndTellsTheCleaner) {
    run();
    const auto space = all.replicas[0]->space();
    ASSERT_TRUE(all.replicas[0]->take(batch_at(0, {{a, "1"}}), 1));
    ASSERT_TRUE(all.has_come_to(0, 1));
    EXPECT_EQ(all.materialiser->cleaner_limit(space), Offset(0));
    world.run_for(MaterialiserOptions().flush_interval + 1s);
    EXPECT_EQ(all.materialiser->cleaner_limit(space), Offset(1));
    all.stop();
}

TEST_F(MaterialiserTest, FlushesWhenItStops) {
    run();
    ASSERT_TRUE(all.replicas[0]->take(batch_at(0, {{a, "1"}}), 1));
    ASSERT_TRUE(all.has_come_to(0, 1));
    all.stop();
    all.begin();
    EXPECT_EQ(all.content(0), (Content{{a, "1"}}));
    run();
    EXPECT_TRUE(all.has_come_to(0, 1));
    all.stop();
}

TEST_F(MaterialiserTest, KeepsAnIdleSpaceYoung) {
    run();
    ASSERT_TRUE(all.replicas[0]->take(batch_at(0, {{a, "1"}}), 1));
    ASSERT_TRUE(all.has_come_to(0, 1));
    const auto space = all.replicas[0]->space();
    const auto written = all.store->position(space).value()->written_ms;
    world.run_for(5h);
    const auto later = all.store->flushed(space).value()->written_ms;
    EXPECT_GT(later - written, 3LL * 3600 * 1000);
    all.stop();
}

TEST_F(MaterialiserTest, GathersNewsForAMoment) {
    run();
    ASSERT_TRUE(all.has_come_to(0, 0));
    world.run_for(1s);
    all.moved.clear();
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(all.replicas[0]->take(batch_at(i, {{a, "1"}}), i + 1));
    ASSERT_TRUE(all.has_come_to(0, 100));
    EXPECT_EQ(all.moved.size(), 1U);
    all.stop();
}

TEST_F(MaterialiserTest, ShowsHowFarItIs) {
    run();
    ASSERT_TRUE(all.replicas[0]->take(batch_at(0, {{a, "1"}, {a, "2"}}), 2));
    ASSERT_TRUE(all.has_come_to(0, 2));
    telemetry::Page page;
    all.materialiser->write_metrics(page);
    const std::string text = page.text();
    EXPECT_THAT(text,
                HasSubstr("milena_state_lag{topic=\"__consumer_offsets\",partition=\"0\"} 0"));
    EXPECT_THAT(text, HasSubstr("milena_state_records_total 2"));
    EXPECT_THAT(text, HasSubstr("milena_state_memory_bytes 4"));
    all.stop();
}

TEST(MaterialiserErrors, LeaveWorkToBeDoneAgain) {
    // Files and store fail at the n-th call; a second later all has come where it should.
    sim::fail_each_call(1, [](sim::World& world, sim::Node& node, sim::FaultPlan& faults) {
        faults.pause();
        Followed all(world, node, [&]() -> std::optional<Error> {
            const auto number = faults.next_call();
            if (!number) return std::nullopt;
            return env::storage_error("write", "/state", *number);
        });
        const std::string key = typed_key(1, "a");
        ASSERT_TRUE(all.store->write({Uuid{1, 1}, PartitionIndex(0)}, {}, {Offset(1)}));
        ASSERT_TRUE(all.replicas[0]->take(batch_at(0, {{key, "1"}}), 1));
        faults.resume();
        all.follow(image_with("__consumer_offsets", 2));
        all.start();
        bool has_come = all.has_come_to(0, 1);
        faults.pause();
        if (has_come) ASSERT_TRUE(all.replicas[0]->take(batch_at(1, {{key, "2"}}), 2));
        faults.resume();
        has_come = has_come && all.has_come_to(0, 2);
        if (!has_come) {
            // A disk that does not read takes the replica with it.
            EXPECT_TRUE(all.replicas[0]->partition->offline());
            return all.stop();
        }
        world.run_for(MaterialiserOptions().flush_interval * 2 + 5s);
        faults.pause();
        EXPECT_EQ(all.content(0), (Content{{key, "2"}}));
        EXPECT_EQ(all.store->spaces()->size(), 1U);
        EXPECT_EQ(all.materialiser->cleaner_limit(all.replicas[0]->space()), Offset(2));
        all.stop();
    });
}

}  // namespace
}  // namespace milena::drivers
