// SPDX-License-Identifier: Apache-2.0
// Where replicas lie, told in virtual time to a controller that may not answer.
#include "milena/drivers/directory_reports.h"

#include <gtest/gtest.h>

#include "sim/world.h"
#include "unit/server/no_gateway.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;
using controller::AssignedReplica;
using controller::AssignReplicasRequest;
using replication::PlacedReplica;

constexpr Uuid kTopic{7, 1};
constexpr Uuid kOther{7, 2};
constexpr Uuid kFirst{8, 100};
constexpr Uuid kSecond{8, 101};

/// Takes what it is told, or refuses it.
class Listener final : public controller::NoGateway {
public:
    env::Task<Result<std::vector<AssignedReplica>>> assign_replicas(AssignReplicasRequest request,
                                                                    env::Instant) override {
        requests.push_back(request);
        if (refuses) co_return fail(ErrorCode::not_controller, "");
        std::vector<AssignedReplica> told;
        for (const auto& directory : request.directories) {
            for (const auto& topic : directory.topics) {
                for (const PartitionIndex index : topic.partitions)
                    told.push_back({directory.directory, topic.topic, index, code});
            }
        }
        co_return told;
    }

    bool refuses = false;
    ErrorCode code = ErrorCode::none;
    std::vector<AssignReplicasRequest> requests;
};

class DirectoryReportsTest : public ::testing::Test {
protected:
    ~DirectoryReportsTest() override {
        EXPECT_TRUE(world_.run(node_, env::run_on(node_.control(), reports_.stop())));
    }

    void on_control(std::function<void()> what) {
        env::post(node_.control(), std::move(what));
        world_.run_for(1ms);
    }
    void note(std::vector<Uuid> topics, std::vector<PlacedReplica> misplaced) {
        on_control([&] { reports_.note(topics, misplaced); });
    }
    void start() {
        on_control([this] { reports_.start(BrokerEpoch(5)); });
    }
    static PlacedReplica lies(Uuid topic, int partition, Uuid directory) {
        return {topic, PartitionIndex(partition), directory};
    }
    const AssignReplicasRequest& last() const { return listener_.requests.back(); }

    sim::World world_{1};
    sim::Node& node_ = world_.add_node("n");
    Listener listener_;
    DirectoryReports reports_{node_, Logger(), BrokerId(3), listener_};
};

TEST_F(DirectoryReportsTest, GoTogetherByDirectory) {
    note({kTopic}, {lies(kTopic, 0, kSecond), lies(kTopic, 2, kFirst)});
    start();
    note({kOther}, {lies(kOther, 1, kFirst)});
    world_.run_for(1s);
    ASSERT_EQ(listener_.requests.size(), 1U);
    EXPECT_EQ(last().broker, BrokerId(3));
    EXPECT_EQ(last().epoch, BrokerEpoch(5));
    const std::vector<controller::DirectoryReplicas> expected{
        {kFirst, {{kTopic, {PartitionIndex(2)}}, {kOther, {PartitionIndex(1)}}}},
        {kSecond, {{kTopic, {PartitionIndex(0)}}}}};
    EXPECT_EQ(last().directories, expected);
}

TEST_F(DirectoryReportsTest, AreMadeAgainWithPausesUntilTheyAreTaken) {
    listener_.refuses = true;
    start();
    note({kTopic}, {lies(kTopic, 0, kFirst)});
    world_.run_for(60s);
    EXPECT_GT(listener_.requests.size(), 8U);
    EXPECT_LT(listener_.requests.size(), 20U);
    listener_.refuses = false;
    world_.run_for(20s);
    const std::size_t taken = listener_.requests.size();
    world_.run_for(60s);
    EXPECT_EQ(listener_.requests.size(), taken);
}

TEST_F(DirectoryReportsTest, FollowTheNewestWord) {
    note({kTopic}, {lies(kTopic, 0, kFirst), lies(kTopic, 1, kFirst)});
    note({kTopic}, {lies(kTopic, 1, kSecond)});
    note({kOther}, {});
    start();
    world_.run_for(1s);
    ASSERT_EQ(listener_.requests.size(), 1U);
    const std::vector<controller::DirectoryReplicas> expected{
        {kSecond, {{kTopic, {PartitionIndex(1)}}}}};
    EXPECT_EQ(last().directories, expected);
}

TEST_F(DirectoryReportsTest, AreGivenUpWhereThereIsNoSuchReplica) {
    listener_.code = ErrorCode::unknown_topic_id;
    start();
    note({kTopic}, {lies(kTopic, 0, kFirst)});
    world_.run_for(60s);
    EXPECT_EQ(listener_.requests.size(), 1U);
}

TEST_F(DirectoryReportsTest, AreMadeAgainOneByOne) {
    listener_.code = ErrorCode::request_timed_out;
    start();
    note({kTopic}, {lies(kTopic, 0, kFirst)});
    world_.run_for(1s);
    EXPECT_GT(listener_.requests.size(), 2U);
}

TEST_F(DirectoryReportsTest, AreCutToWhatOneRequestMayHold) {
    std::vector<PlacedReplica> many;
    for (int i = 0; i < static_cast<int>(DirectoryReports::kReplicasMax) + 1; ++i)
        many.push_back(lies(kTopic, i, kFirst));
    note({kTopic}, many);
    start();
    world_.run_for(1s);
    ASSERT_EQ(listener_.requests.size(), 2U);
    EXPECT_EQ(listener_.requests[0].directories[0].topics[0].partitions.size(),
              DirectoryReports::kReplicasMax);
    EXPECT_EQ(last().directories[0].topics[0].partitions.size(), 1U);
}

}  // namespace
}  // namespace milena::drivers
