// SPDX-License-Identifier: Apache-2.0
// The time of a broker's last registration, out of what is committed.
#include "milena/drivers/registration_times.h"

#include <gtest/gtest.h>

#include "milena/metadata/records.h"
#include "milena/protocol/records/metadata.h"

namespace milena::drivers {
namespace {

std::vector<std::byte> registration(int broker, std::int64_t epoch) {
    protocol::RegisterBrokerRecord record;
    record.broker_id = broker;
    record.broker_epoch = epoch;
    return metadata::encode_record(record);
}

void commit(RegistrationTimes& times, std::int64_t at_ms,
            const std::vector<std::vector<std::byte>>& values) {
    MetadataBatch batch;
    batch.timestamp = Timestamp(at_ms);
    batch.values.assign(values.begin(), values.end());
    times.on_committed(std::span(&batch, 1));
}

TEST(RegistrationTimesTest, TheLastRegistrationOfThatBrokerCounts) {
    RegistrationTimes times(BrokerId(7));
    EXPECT_EQ(times.of(BrokerEpoch(3)), std::nullopt);
    commit(times, 1000, {registration(7, 3), registration(8, 4)});
    EXPECT_EQ(times.of(BrokerEpoch(3)), Timestamp(1000));
    EXPECT_EQ(times.of(BrokerEpoch(4)), std::nullopt);
    commit(times, 2000, {metadata::encode_record(protocol::NoOpRecord{}), registration(7, 9)});
    EXPECT_EQ(times.of(BrokerEpoch(9)), Timestamp(2000));
    EXPECT_EQ(times.of(BrokerEpoch(3)), std::nullopt) << "it is registered anew";
}

TEST(RegistrationTimesTest, WhatIsNoRecordIsPassedOver) {
    RegistrationTimes times(BrokerId(7));
    auto half = registration(7, 3);
    half.resize(half.size() / 2);
    commit(times, 1000, {{}, half});
    EXPECT_EQ(times.of(BrokerEpoch(3)), std::nullopt);
}

}  // namespace
}  // namespace milena::drivers
