// SPDX-License-Identifier: Apache-2.0
// Records of coordinators as JSON, as Kafka 4.4's tools printed them.
#include "text/coordinator_records.h"

#include <gtest/gtest.h>

#include "milena/protocol/codec.h"
#include "milena/protocol/records/group.h"
#include "milena/protocol/records/transaction.h"

namespace milena::cli {
namespace {

using protocol::MessageKind;

TEST(CoordinatorRecords, EachCoordinatorHasItsOwnTypeZero) {
    const auto name = [](Coordinator coordinator) {
        return coordinator_message(coordinator, MessageKind::coordinator_key, 0)->name;
    };
    EXPECT_EQ(name(Coordinator::group), "LegacyOffsetCommitKey");
    EXPECT_EQ(name(Coordinator::transaction), "TransactionLogKey");
    EXPECT_EQ(name(Coordinator::share), "ShareSnapshotKey");
    EXPECT_EQ(coordinator_message(Coordinator::share, MessageKind::coordinator_key, 2), nullptr);
}

TEST(CoordinatorRecords, ATransactionsStateHasAName) {
    protocol::TransactionLogValue value;
    value.producer_id = 5;
    value.previous_producer_id = 4;
    value.next_producer_epoch = 1;
    value.transaction_status = 3;
    const auto bytes = protocol::encode(value, 1);
    const auto json = readable_value_json(value.kType, *bytes, 1);
    ASSERT_TRUE(json);
    EXPECT_NE(json->find(R"("transactionStatus":"PrepareAbort")"), std::string::npos) << *json;
    EXPECT_TRUE(json->starts_with(R"({"producerId":5,"previousProducerId":4,"producerEpoch":0,)"
                                  R"("nextProducerEpoch":1,"transactionTimeoutMs":0,)"))
        << *json;
}

TEST(CoordinatorRecords, WhatAMemberSubscribesToIsReadable) {
    // i16 version 0, one topic "t", no user data; i16 version 0, no partitions, no user data.
    const std::string subscription("\0\0\0\0\0\1\0\1t\xFF\xFF\xFF\xFF", 13);
    const std::string assignment("\0\0\0\0\0\0\xFF\xFF\xFF\xFF", 10);
    protocol::GroupMetadataValue group;
    group.protocol_type = "consumer";
    std::array<protocol::GroupMetadataValue::MemberMetadata, 1> members;
    members[0].member_id = "m";
    members[0].subscription = as_bytes(subscription);
    members[0].assignment = as_bytes(assignment);
    group.members = members;
    const auto bytes = protocol::encode(group, 3);
    const auto json = readable_value_json(group.kType, *bytes, 3);
    ASSERT_TRUE(json);
    EXPECT_NE(json->find(R"("subscription":{"topics":["t"],"userData":null},)"
                         R"("assignment":{"assignedPartitions":[],"userData":null})"),
              std::string::npos)
        << *json;
}

TEST(CoordinatorRecords, AMemberThatNeverWasClassicHasNoClassicMetadata) {
    // As Kafka 4.4 wrote it: a tagged struct that is null is one byte, 0.
    const std::string bytes("\0\0\2c\2h\1\1\xFF\xFF\xFF\xFF\0\1\0\1\0", 17);
    const auto json =
        coordinator_json(protocol::ConsumerGroupMemberMetadataValue::kType, as_bytes(bytes), 0);
    ASSERT_TRUE(json) << json.error().why;
    EXPECT_TRUE(json->ends_with(R"("serverAssignor":null,"classicMemberMetadata":null})")) << *json;
}

TEST(CoordinatorRecords, AMemberThatWasClassicHas) {
    const std::string bytes("\0\0\2c\2h\1\1\xFF\xFF\xFF\xFF\0\1\0\7\1\0\0\1\2\1\0", 23);
    const auto json =
        coordinator_json(protocol::ConsumerGroupMemberMetadataValue::kType, as_bytes(bytes), 0);
    ASSERT_TRUE(json) << json.error().why;
    EXPECT_TRUE(json->ends_with(
        R"("classicMemberMetadata":{"sessionTimeoutMs":258,"supportedProtocols":[]}})"))
        << *json;
}

TEST(CoordinatorRecords, AVersionThatIsNotThereIsNamed) {
    EXPECT_EQ(coordinator_json(protocol::TransactionLogValue::kType, {}, 9).error().why,
              "Unknown version 9 of TransactionLogValue");
}

}  // namespace
}  // namespace milena::cli
