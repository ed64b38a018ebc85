// SPDX-License-Identifier: Apache-2.0
// Small requests that could make much: they are refused, and cost little.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "host.h"
#include "messages.h"

namespace milena::coordinator::test {
namespace {

TEST(CommitBounds, WritesNothingOfWhatNoBatchCouldHave) {
    Host host;
    auto request = commit_request(std::string(32'000, 'g'), "t", 7);
    auto& partitions = request.topics.front().partitions;
    partitions.assign(1000, partitions.front());
    const auto reply = host.reply<CommitReply>(request);
    EXPECT_EQ(reply.code, ErrorCode::unknown_server_error);
    EXPECT_TRUE(reply.topics.empty());
    EXPECT_TRUE(host.log().empty());
    partitions.resize(10);
    EXPECT_EQ(host.reply<CommitReply>(request).code, ErrorCode::none);
    EXPECT_EQ(host.log().size(), 10U);
}

TEST(FetchBounds, ReadsNothingForAGroupThatThereIsNot) {
    Host host;
    auto request = fetch_request(std::string(32'000, 'g'), "t");
    auto& partitions = request.topics->front().partitions;
    partitions.assign(100'000, PartitionIndex(0));
    const auto reads = host.groups().reads_of(request);
    ASSERT_TRUE(reads);
    EXPECT_TRUE(reads->empty());
    EXPECT_EQ(host.reply<FetchOffsetsReply>(request).topics.front().partitions.size(), 100'000U);
}

TEST(FetchBounds, NamesNoMoreKeysThanOneRequestMay) {
    Host host;
    const std::string group(32'000, 'g');
    host.ask(commit_request(group, "t", 7));
    auto request = fetch_request(group, "t");
    auto& partitions = request.topics->front().partitions;
    partitions.assign(100'000, PartitionIndex(0));
    EXPECT_EQ(host.refused(host.ask(request)), ErrorCode::policy_violation);
    DeleteOffsetsRequest remove;
    remove.group = group;
    remove.topics.push_back({"t", partitions});
    EXPECT_EQ(host.refused(host.ask(remove)), ErrorCode::policy_violation);
    partitions.resize(100);
    EXPECT_EQ(host.reply<FetchOffsetsReply>(request).topics.front().partitions[99].offset,
              Offset(7));
}

TEST(FetchBounds, TellsTheSameMetadataNotWithoutEnd) {
    Host host;
    auto commit = commit_request("g", "t", 7);
    commit.topics.front().partitions.front().metadata = std::string(4096, 'm');
    host.ask(commit);
    auto request = fetch_request("g", "t");
    request.topics->front().partitions.assign(16'385, PartitionIndex(0));
    const auto refused = host.reply<FetchOffsetsReply>(request);
    EXPECT_EQ(refused.code, ErrorCode::policy_violation);
    EXPECT_TRUE(refused.topics.empty());
    request.topics->front().partitions.resize(16'384);
    EXPECT_EQ(host.reply<FetchOffsetsReply>(request).code, ErrorCode::none);
}

TEST(JoinBounds, AMemberSaysNoMoreThanARecordMayHold) {
    Host host;
    auto request = join_request("g", "a");
    request.protocols.front().metadata = Bytes(1 << 20);
    EXPECT_EQ(host.reply<JoinReply>(request).code, ErrorCode::invalid_request);
    request.protocols.front().metadata = Bytes(1000);
    request.protocols.resize(20'000, request.protocols.front());
    EXPECT_EQ(host.reply<JoinReply>(request).code, ErrorCode::invalid_request);
    EXPECT_EQ(host.groups().figures().groups, 0U);
}

TEST(JoinBounds, AGroupHasNoMoreThanItMay) {
    Host host;
    auto request = join_request("g", "a");
    request.protocols.front().metadata = Bytes(1'000'000);
    for (int i = 0; i < 67; ++i) EXPECT_FALSE(host.has_been_told(host.ask(request))) << i;
    EXPECT_EQ(host.reply<JoinReply>(request).code, ErrorCode::group_max_size_reached);
    request.protocols.front().metadata = Bytes(1000);
    EXPECT_FALSE(host.has_been_told(host.ask(request)));
}

TEST(ListBounds, AFilterIsResolvedOnce) {
    ListGroupsRequest request;
    request.states.assign(1000, " stable ");
    request.states.emplace_back("no state");
    request.types.assign(1000, "no type");
    const auto wanted = resolved(request);
    EXPECT_EQ(wanted.states, (std::vector<std::string>{"Stable"}));
    ASSERT_EQ(wanted.types.size(), 1U);
    Host host;
    host.ask(commit_request("g", "t", 7));
    EXPECT_EQ(host.reply<ListGroupsReply>(ListGroupsRequest{}).groups.size(), 1U);
    request.states.clear();
    EXPECT_TRUE(host.reply<ListGroupsReply>(request).groups.empty());
    EXPECT_TRUE(host.reply<ListGroupsReply>(wanted).groups.empty());
}

TEST(RebalanceBounds, LooksForStaticMembersNotWithoutPause) {
    GroupOptions options;
    options.group_initial_rebalance_delay_ms = 0;
    Host host(options);
    auto request = join_request("g", "a");
    request.instance_id = "i";
    request.rebalance_timeout_ms = 0;
    host.ask(request);
    host.groups().tick(host.time());
    EXPECT_EQ(host.groups().figures().completing_rebalance, 1U);

    auto other = join_request("g", "b");
    other.instance_id = "j";
    other.rebalance_timeout_ms = 0;
    host.ask(other);
    LeaveRequest leave;
    leave.group = "g";
    leave.members.push_back({"", "j", ""});
    host.ask(leave);
    // Nobody is left but one that does not come, and its session lasts.
    host.groups().tick(host.time());
    EXPECT_GT(host.groups().deadline(), host.time().now);
}

/// Offsets whose keys are too many for one batch.
CommitRequest many(const std::string& group, std::int32_t first) {
    auto request = commit_request(group, std::string(249, 't'), 7);
    auto& partitions = request.topics.front().partitions;
    partitions.assign(200, partitions.front());
    for (auto& partition : partitions) partition.partition = PartitionIndex(first++);
    return request;
}

class DeletionBounds : public testing::Test {
protected:
    DeletionBounds() {
        for (int i = 0; i < 3; ++i) host_.ask(many(group_, 200 * i));
    }
    /// All records since the last call, which must fit into one batch.
    std::size_t written() {
        std::size_t bytes = 0;
        std::size_t count = 0;
        for (; looked_at_ < host_.log().size(); ++looked_at_, ++count)
            bytes += host_.log()[looked_at_].key.size();
        EXPECT_LT(bytes, 1U << 20);
        return count;
    }

    const std::string group_ = std::string(4000, 'g');
    Host host_;
    std::size_t looked_at_ = 0;
};

TEST_F(DeletionBounds, AGroupGoesInAsManyBatchesAsItTakes) {
    for (const bool is_stored : {false, true}) {
        if (is_stored) {
            for (int i = 0; i < 3; ++i) host_.ask(many(group_, 200 * i));
            host_.store();
        }
        looked_at_ = host_.log().size();
        DeleteGroupReply reply{.has_more = true};
        std::size_t count = 0;
        for (int asked = 0; reply.has_more && asked < 100; ++asked) {
            reply = host_.reply<DeleteGroupReply>(DeleteGroupRequest{.group = group_});
            EXPECT_EQ(reply.code, ErrorCode::none);
            count += written();
        }
        EXPECT_EQ(count, 601U) << "its offsets and itself";
        EXPECT_EQ(host_.groups().figures().groups, 0U);
    }
}

TEST_F(DeletionBounds, APageThatIsNotTheLastLeavesTheGroup) {
    DeleteGroupRequest request{.group = group_, .is_last_page = false};
    EXPECT_EQ(host_.reply<DeleteGroupReply>(request).code, ErrorCode::none);
    EXPECT_EQ(host_.groups().figures().groups, 1U);
}

TEST_F(DeletionBounds, OffsetsOfATopicGoInAsManyBatchesAsItTakes) {
    looked_at_ = host_.log().size();
    ForgetTopicsRequest request;
    request.topics.push_back({std::string(249, 't'), {}});
    ForgetTopicsReply reply{.has_more = true};
    std::size_t count = 0;
    for (int asked = 0; reply.has_more && asked < 100; ++asked) {
        reply = host_.reply<ForgetTopicsReply>(request);
        count += written();
    }
    EXPECT_EQ(count, 600U);
}

TEST(ExpirationBounds, GroupsWithLongNamesGoInSeveralRounds) {
    GroupOptions options;
    options.offsets_retention_ms = 1000;
    Host host(options);
    for (int i = 0; i < 100; ++i) host.ask(commit_request(fmt::format("{:0>30000}", i), "t", 7));
    host.store();
    host.advance_ms(1000);
    for (int round = 0; round < 100 && host.groups().figures().groups != 0; ++round) {
        const std::size_t before = host.log().size();
        host.expire();
        host.store();
        std::size_t bytes = 0;
        for (std::size_t i = before; i < host.log().size(); ++i) {
            const bool is_offset = leading_number(host.log()[i].key) == 1;
            if (!is_offset) bytes += host.log()[i].key.size();
        }
        EXPECT_LT(bytes, 1U << 20);
    }
    EXPECT_EQ(host.groups().figures().groups, 0U);
}

TEST(Expiration, KeepsAGroupThatCommitsBetweenReadAndDecision) {
    GroupOptions options;
    options.offsets_retention_ms = 1000;
    Host host(options);
    host.ask(commit_request("g", "t", 7));
    // The first page was read before, and lacks the commit; the store has it before the last one.
    host.groups().ask(1000, ExpireOffsetsRequest{.is_last_page = false}, {}, host.time());
    host.store();
    const auto step = host.groups().ask(1001, ExpireOffsetsRequest{}, {}, host.time());
    EXPECT_TRUE(step.records.empty());
}

TEST(CommitExtendsTheSession, OfAMemberOfAStableGroup) {
    GroupOptions options;
    options.group_initial_rebalance_delay_ms = 0;
    Host host(options);
    const Ticket joining = host.ask(join_request("g", "a"));
    host.advance_ms(0);
    const auto joined = host.reply_to<JoinReply>(joining);
    SyncRequest sync;
    sync.group = "g";
    sync.generation = joined.generation;
    sync.member_id = joined.member_id;
    host.ask(sync);
    auto commit = commit_request("g", "t", 7);
    commit.generation_or_epoch = joined.generation;
    commit.member_id = joined.member_id;
    for (int i = 0; i < 3; ++i) {
        host.advance_ms(9'999);
        EXPECT_EQ(host.reply<CommitReply>(commit).code, ErrorCode::none);
    }
    EXPECT_EQ(host.groups().figures().stable, 1U);
    host.advance_ms(10'000);
    EXPECT_EQ(host.groups().figures().stable, 0U);
}

}  // namespace
}  // namespace milena::coordinator::test
