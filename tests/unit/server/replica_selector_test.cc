// SPDX-License-Identifier: Apache-2.0
// Where a consumer in rack "b" is sent by a leader 1 in rack "a", with followers 2, 3 and 4.
#include "fetch/replica_selector.h"

#include <gtest/gtest.h>

namespace milena::server {
namespace {

using namespace std::chrono_literals;
using replication::ReadableFollower;

class ReplicaSelectorTest : public testing::Test {
protected:
    void broker(int id, std::optional<std::string> rack, bool fenced = false,
                const std::string& listener = "CLIENTS") {
        metadata::BrokerRegistration broker;
        broker.id = BrokerId(id);
        broker.rack = std::move(rack);
        broker.fenced = fenced;
        broker.endpoints = {{.listener = listener, .host = "h", .port = 9092}};
        auto editor = decltype(cluster_.brokers)::Editor(cluster_.brokers);
        editor.set(broker.id, broker);
        cluster_.brokers = std::move(editor).finish();
    }
    int select(std::vector<ReadableFollower> followers) {
        metadata::Image image = *metadata::Image::empty();
        image.cluster = std::make_shared<const metadata::ClusterImage>(cluster_);
        return ReplicaSelector(image, "CLIENTS", "b").select(BrokerId(1), followers).value;
    }
    static ReadableFollower at(int id, std::int64_t log_end, env::Duration since = 0ms) {
        return {BrokerId(id), Offset(log_end), since};
    }

    metadata::ClusterImage cluster_;
};

TEST_F(ReplicaSelectorTest, GoesToTheOneInTheRack) {
    broker(1, "a");
    broker(2, "c");
    broker(3, "b");
    EXPECT_EQ(select({at(2, 9), at(3, 5)}), 3);
}

TEST_F(ReplicaSelectorTest, StaysWhereNobodyStandsInTheRack) {
    broker(1, "a");
    broker(2, std::nullopt);
    EXPECT_EQ(select({at(2, 9)}), -1);
}

TEST_F(ReplicaSelectorTest, StaysWithALeaderInTheRack) {
    broker(1, "b");
    broker(2, "b");
    EXPECT_EQ(select({at(2, 9)}), -1);
}

TEST_F(ReplicaSelectorTest, TheLongestLogThenTheLastCatchUpThenTheHighestId) {
    broker(1, "a");
    for (const int id : {2, 3, 4}) broker(id, "b");
    EXPECT_EQ(select({at(2, 9), at(3, 8), at(4, 8)}), 2);
    EXPECT_EQ(select({at(2, 9, 5ms), at(3, 9, 1ms), at(4, 9, 7ms)}), 3);
    EXPECT_EQ(select({at(2, 9), at(4, 9), at(3, 9)}), 4);
}

TEST_F(ReplicaSelectorTest, NobodyGoesToAFencedOneOrToOneItCanNotReach) {
    broker(1, "a");
    broker(2, "b", true);
    broker(3, "b", false, "OTHERS");
    EXPECT_EQ(select({at(2, 9), at(3, 9)}), -1);
}

}  // namespace
}  // namespace milena::server
