// SPDX-License-Identifier: Apache-2.0
// The limits of throttled replication as images with dynamic configuration say them.
#include "throttles.h"

#include <gtest/gtest.h>

#include "milena/metadata/delta.h"
#include "milena/metadata/records.h"
#include "milena/protocol/records/metadata.h"

namespace milena::node {
namespace {

constexpr env::Instant kNow{std::chrono::hours(1)};

class ThrottlesTest : public ::testing::Test {
protected:
    ThrottlesTest() : image_(metadata::Image::empty()) {
        const auto loaded = config::parse_broker_config(
            "server.properties",
            "process.roles=broker,controller\nnode.id=1\ncontroller.listener.names=C\n"
            "listeners=PLAINTEXT://:9092,C://:9093\n"
            "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,C:PLAINTEXT\n"
            "controller.quorum.bootstrap.servers=localhost:9093\n"
            "replication.quota.window.num=2\nreplication.quota.window.size.seconds=10\n",
            "localhost");
        EXPECT_TRUE(loaded.has_value()) << loaded.error().why;
        throttles_.emplace(loaded->config);
    }

    void set(std::string_view broker, std::string_view key, protocol::NullableString value) {
        protocol::ConfigRecord record;
        record.resource_type = static_cast<std::int8_t>(metadata::ResourceType::broker);
        record.resource_name = broker;
        record.name = key;
        record.value = value;
        metadata::Delta delta(image_);
        ASSERT_TRUE(delta.apply(metadata::encode_record(record)));
        image_ = std::move(delta).finish({});
        throttles_->follow(*image_);
    }

    std::shared_ptr<const metadata::Image> image_;
    std::optional<Throttles> throttles_;
};

TEST_F(ThrottlesTest, TheBrokersOwnLimitGoesBeforeThatOfAll) {
    auto& leader = throttles_->quotas().leader;
    leader.record(10'000, kNow);  // 1,000 a second: a window has ten
    EXPECT_FALSE(leader.is_exceeded(kNow));
    set("", "leader.replication.throttled.rate", "900");
    EXPECT_TRUE(leader.is_exceeded(kNow));
    set("1", "leader.replication.throttled.rate", "1100");
    EXPECT_FALSE(leader.is_exceeded(kNow));
    set("2", "leader.replication.throttled.rate", "1");
    EXPECT_FALSE(leader.is_exceeded(kNow));
    set("1", "leader.replication.throttled.rate", std::nullopt);
    EXPECT_TRUE(leader.is_exceeded(kNow));
    set("", "leader.replication.throttled.rate", std::nullopt);
    EXPECT_FALSE(leader.is_limited());
}

TEST_F(ThrottlesTest, EachKeyHasItsOwnQuotaAndMetric) {
    set("", "follower.replication.throttled.rate", "5");
    EXPECT_TRUE(throttles_->quotas().follower.is_limited());
    EXPECT_FALSE(throttles_->quotas().leader.is_limited());
    EXPECT_FALSE(throttles_->quotas().directories.is_limited());
    throttles_->quotas().follower.record(200, kNow);
    telemetry::Page page;
    throttles_->write_metrics(page, kNow);
    EXPECT_NE(page.text().find("kafka_server_followerreplication_byte_rate 20\n"),
              std::string::npos)
        << page.text();
}

}  // namespace
}  // namespace milena::node
