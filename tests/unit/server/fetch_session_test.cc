// SPDX-License-Identifier: Apache-2.0
// The turns of a session over partitions that only keep who listens to them.
#include "fetch/fetch_session.h"

#include <gtest/gtest.h>

#include "fetch/session_slots.h"

namespace milena::server {
namespace {

using protocol::FetchRequest;

constexpr std::int16_t kVersion = 12;

class FetchSessionTest : public testing::Test {
protected:
    using Partitions = std::vector<FetchRequest::FetchPartition>;

    static Partitions numbered(std::int32_t from, std::int32_t count) {
        Partitions out(static_cast<std::size_t>(count));
        for (auto& one : out) one.partition = from++;
        return out;
    }
    /// The session's next request asks for these, and no longer for those.
    SessionTurn begin(const Partitions& asked, const std::vector<std::int32_t>& forgotten = {}) {
        FetchRequest::FetchTopic topic;
        topic.topic = "topic";
        topic.partitions = std::span(asked);
        FetchRequest::ForgottenTopic gone;
        gone.topic = "topic";
        gone.partitions = std::span(forgotten);
        FetchRequest body;
        body.session_epoch = epoch;
        body.topics = std::span(&topic, 1);
        body.forgotten_topics_data = std::span(&gone, 1);
        const SessionTurn turn = session->begin(body, kVersion, scratch);
        if (turn.code == ErrorCode::none) epoch = turn.epoch;
        return turn;
    }

    std::shared_ptr<FetchSession> session = std::make_shared<FetchSession>(7, false);
    std::int32_t epoch = 1;
    std::vector<ForgottenPartition> scratch;
};

TEST_F(FetchSessionTest, MayAskAgainForAllOfManyPartitions) {
    const auto many = numbered(0, SessionSlots::kPartitionsMax / 2 + 1);
    EXPECT_EQ(begin(many).partitions, many.size());
    EXPECT_EQ(begin(many).partitions, many.size());
    EXPECT_EQ(
        begin(numbered(-static_cast<std::int32_t>(many.size()), SessionSlots::kPartitionsMax / 2))
            .code,
        ErrorCode::fetch_session_id_not_found);
}

}  // namespace
}  // namespace milena::server
