// SPDX-License-Identifier: Apache-2.0
// A producer's properties by Kafka's names.
#include "cluster/producer_options.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(ProducerOptions, AreWhatThePropertiesSay) {
    const auto options = producer_options({{"acks", "1"},
                                           {"batch.size", "1000"},
                                           {"linger.ms", "7"},
                                           {"compression.type", "lz4"},
                                           {"max.in.flight.requests.per.connection", "2"},
                                           {"buffer.memory", "4096"},
                                           {"retries", "3"}},
                                          {});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->acks, 1);
    EXPECT_EQ(options->limits.batch_bytes, 1000U);
    EXPECT_EQ(options->limits.linger, std::chrono::milliseconds(7));
    EXPECT_EQ(options->limits.codec, record::Codec::lz4);
    EXPECT_EQ(options->limits.buffer_bytes, 4096U);
    EXPECT_EQ(options->requests_max, 2U);
    EXPECT_EQ(options->retries, 3);
}

TEST(ProducerOptions, KeepTheDefaultsThatNothingSays) {
    ProducerOptions defaults;
    defaults.requests_max = 1;
    EXPECT_EQ(producer_options({{"acks", "all"}}, defaults)->requests_max, 1U);
    EXPECT_EQ(producer_options({}, {})->acks, -1);
}

TEST(ProducerOptions, AWrongValueIsNamedWithItsKey) {
    EXPECT_EQ(producer_options({{"acks", "7"}}, {}).error().why,
              "Invalid value 7 for configuration acks: String must be one of: all, -1, 0, 1");
    EXPECT_EQ(producer_options({{"max.in.flight.requests.per.connection", "0"}}, {}).error().why,
              "Invalid value 0 for configuration max.in.flight.requests.per.connection: Value must "
              "be at least 1 and at most 2147483647");
    EXPECT_FALSE(producer_options({{"linger.ms", "-1"}}, {}));
    EXPECT_FALSE(producer_options({{"batch.size", "much"}}, {}));
}

}  // namespace
}  // namespace milena::cli
