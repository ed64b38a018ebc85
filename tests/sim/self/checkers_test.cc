// SPDX-License-Identifier: Apache-2.0
// Each checker is given a history that is sound, and one with the one fault that it is there to
// find.
#include "sim/checkers/checker.h"

#include <gtest/gtest.h>

#include "milena/base/bytes.h"

namespace milena::sim {
namespace {

const Place kPlace{"t", 0};
constexpr Mark kFirst{1, 0}, kSecond{1, 1}, kThird{2, 0};

LimitsSeen limits(int asked, int answered, std::int64_t high_watermark,
                  std::int64_t last_stable_offset, std::int64_t log_start_offset = 0) {
    return {.asked = env::Instant(std::chrono::seconds(asked)),
            .answered = env::Instant(std::chrono::seconds(answered)),
            .high_watermark = high_watermark,
            .last_stable_offset = last_stable_offset,
            .log_start_offset = log_start_offset};
}

/// A log with one batch an offset.
ReplicaLog replica(std::string server, const std::vector<std::string>& batches) {
    ReplicaLog log{.server = std::move(server), .batches = {}};
    for (const std::string& text : batches) {
        const BytesView bytes = as_bytes(text);
        log.batches.push_back({.base_offset = log.end(),
                               .end_offset = log.end() + 1,
                               .bytes = {bytes.begin(), bytes.end()}});
    }
    return log;
}

/// Three records of two writers, read and told as they should be.
class CheckersTest : public testing::Test {
protected:
    CheckersTest() : partition(history.partitions[kPlace]) {
        partition.final_log = {{0, kFirst}, {1, kThird}, {2, kSecond}};
        partition.acknowledged = {{0, kFirst}, {1, kThird}, {2, kSecond}};
        partition.sessions = {{.from = 0, .records = {{0, kFirst}, {1, kThird}}},
                              {.from = 1, .records = {{1, kThird}, {2, kSecond}}}};
        partition.limits = {limits(1, 2, 1, 1), limits(3, 4, 3, 3)};
        // Beyond the high watermark they may differ.
        partition.replicas = {replica("n1", {"a", "b", "c", "d"}),
                              replica("n2", {"a", "b", "c", "d", "e"}),
                              replica("n3", {"a", "b", "c", "d", "f"})};
    }

    /// The invariants that are violated, in the order of their checkers.
    std::vector<std::string> violated() const {
        std::vector<std::string> found;
        for (const Violation& one : judge(history)) found.emplace_back(one.invariant);
        return found;
    }
    void expect_violated(std::vector<std::string> expected) const {
        EXPECT_EQ(violated(), expected);
    }

    History history;
    PartitionHistory& partition;
};

TEST_F(CheckersTest, ASoundHistoryIsSound) {
    expect_violated({});
}

TEST_F(CheckersTest, WhatAClientComplainedOfIsAViolation) {
    history.complaints.push_back({"I5", "a batch is refused"});
    expect_violated({"I5"});
}

TEST_F(CheckersTest, AnAcknowledgedRecordThatIsGoneIsFound) {
    partition.acknowledged.push_back({3, {2, 1}});
    expect_violated({"I1"});
}

TEST_F(CheckersTest, ARecordThatWasReadAndIsGoneIsFound) {
    partition.sessions[1].records.push_back({3, {2, 1}});
    expect_violated({"I2"});
}

TEST_F(CheckersTest, AnOffsetWhoseRecordChangedIsFound) {
    partition.sessions[0].records[1].mark = {3, 7};
    expect_violated({"I2"});
}

TEST_F(CheckersTest, AnOffsetThatStandsTwiceInTheLogIsFound) {
    partition.final_log.push_back({2, {3, 7}});
    expect_violated({"I2"});
}

TEST_F(CheckersTest, AReplicaWithOtherBytesBelowTheHighWatermarkIsFound) {
    partition.replicas[1] = replica("n2", {"a", "x", "c"});
    expect_violated({"I2"});
}

TEST_F(CheckersTest, AReplicaThatEndsBelowTheHighWatermarkIsFound) {
    partition.replicas[2] = replica("n3", {"a", "b"});
    expect_violated({"I2"});
}

TEST_F(CheckersTest, AReplicaThatLacksABatchInTheMiddleIsFound) {
    partition.replicas[2].batches.erase(partition.replicas[2].batches.begin() + 1);
    expect_violated({"I2"});
}

TEST_F(CheckersTest, AReplicaWithoutALogIsFound) {
    partition.replicas[0] = replica("n1", {});
    expect_violated({"I2"});
}

TEST_F(CheckersTest, ReplicasWhoseBatchesAreCutElsewhereAreFound) {
    partition.replicas[1].batches[0].end_offset = 2;  // one batch of two where others have two
    partition.replicas[1].batches[0].bytes = {std::byte('a'), std::byte('b')};
    partition.replicas[1].batches.erase(partition.replicas[1].batches.begin() + 1);
    expect_violated({"I2"});
}

TEST_F(CheckersTest, AnOffsetThatWasToldWronglyIsFound) {
    partition.acknowledged[1].offset = 0;
    expect_violated({"I3"});
}

TEST_F(CheckersTest, ARecordThatStandsTwiceIsFound) {
    partition.final_log.push_back({3, kSecond});
    expect_violated({"I4"});
}

TEST_F(CheckersTest, RecordsOfOneWriterInTheWrongOrderAreFound) {
    std::swap(partition.final_log[0].mark, partition.final_log[2].mark);
    partition.acknowledged.clear();
    partition.sessions.clear();
    expect_violated({"I5"});
}

TEST_F(CheckersTest, AHighWatermarkThatGoesBackIsFound) {
    partition.limits.push_back(limits(5, 6, 2, 2));
    expect_violated({"I9", "I9"});  // the last stable offset goes with it
}

TEST_F(CheckersTest, AnswersThatCrossedEachOtherSayNothing) {
    partition.limits.push_back(limits(4, 6, 2, 2));  // asked before 3 was answered
    expect_violated({});
}

TEST_F(CheckersTest, AStartThatGoesBackIsFound) {
    partition.limits = {limits(1, 2, 3, 3, 2), limits(3, 4, 3, 3, 1)};
    expect_violated({"I9"});
}

TEST_F(CheckersTest, ALastStableOffsetAboveTheHighWatermarkIsFound) {
    partition.limits = {limits(1, 2, 3, 4)};
    expect_violated({"I9"});
}

TEST_F(CheckersTest, AGapInWhatOneReaderSawIsFound) {
    partition.sessions.push_back({.from = 0, .records = {{0, kFirst}, {2, kSecond}}});
    expect_violated({"I10"});
}

TEST_F(CheckersTest, AReaderThatBeginsElsewhereIsFound) {
    partition.sessions.push_back({.from = 1, .records = {{2, kSecond}}});
    expect_violated({"I10"});
}

class TopicsTest : public CheckersTest {
protected:
    void step(TopicStep::Kind kind, std::optional<int> id, bool is_answered = true,
              std::int64_t offset = 0) {
        TopicStep one{.kind = kind, .topic = "f", .is_answered = is_answered, .id = {}};
        one.offset = offset;
        if (id) one.id = Uuid{0, static_cast<std::uint64_t>(*id)};
        history.topics.push_back(one);
    }
    using enum TopicStep::Kind;
};

TEST_F(TopicsTest, WhatWasMadeIsFoundAndWhatWasDeletedIsNot) {
    step(created, 1);
    step(described, 1);
    step(created, std::nullopt);
    step(deleted, 1);
    step(described, std::nullopt);
    step(created, 2);
    expect_violated({});
}

TEST_F(TopicsTest, ATopicThatIsNotFoundAfterItWasMadeIsAViolation) {
    step(created, 1);
    step(described, std::nullopt);
    expect_violated({"I14"});
}

TEST_F(TopicsTest, ATopicThatIsFoundAfterItWasDeletedIsAViolation) {
    step(created, 1);
    step(deleted, 1);
    step(described, 1);
    expect_violated({"I14"});
}

TEST_F(TopicsTest, AnIdThatIsGivenTwiceIsAViolation) {
    step(created, 1);
    step(deleted, 1);
    step(created, 1);
    expect_violated({"I14"});
}

TEST_F(TopicsTest, AnIdThatIsGivenAgainIsAViolationThoughNobodyWasToldOfTheFirst) {
    step(created, std::nullopt, false);
    step(described, 1);
    step(deleted, 1);
    step(created, 1);
    expect_violated({"I14"});
}

TEST_F(TopicsTest, AServerWhoseMetadataIsOlderMayNotKnow) {
    step(created, 1, true, 10);
    step(described, std::nullopt, true, 9);
    expect_violated({});
    step(described, std::nullopt, true, 10);
    expect_violated({"I14"});
}

TEST_F(TopicsTest, ARefusalMayAnswerTheSecondTryOfAChangeThatWasMade) {
    step(created, 1);
    step(deleted, std::nullopt);
    step(described, std::nullopt);
    step(created, std::nullopt);
    step(described, 2);
    step(deleted, 2);
    expect_violated({});
}

TEST_F(TopicsTest, WhatARefusalSaysOfATopicHolds) {
    step(created, 1);
    step(deleted, std::nullopt);
    step(described, 1);
    expect_violated({"I14"});
}

TEST_F(TopicsTest, ATopicThatIsSaidToExistIsFound) {
    step(created, 1);
    step(deleted, 1);
    step(created, std::nullopt);
    step(described, std::nullopt);
    expect_violated({"I14"});
}

TEST_F(TopicsTest, AfterAStepWithoutAnAnswerAnythingMayBe) {
    step(created, 1);
    step(deleted, std::nullopt, false);
    step(described, std::nullopt);
    step(described, 1);
    expect_violated({});
}

}  // namespace
}  // namespace milena::sim
