// SPDX-License-Identifier: Apache-2.0
// A group's values against the broker's limits, in the words of Apache Kafka 4.4.0.
#include <gtest/gtest.h>

#include "milena/config/resource_keys.h"

namespace milena::config {
namespace {

std::string why(const ConfigMap& all, const ConfigMap& broker = {}) {
    Warnings warnings;
    Properties properties;
    for (const auto& [key, value] : broker) properties.entries.push_back({key, value, 1});
    const auto checked = check_group_config(all, *Settings::from(properties, warnings));
    if (checked) return "fine";
    EXPECT_EQ(checked.error().code, ErrorCode::invalid_config);
    return checked.error().why;
}

TEST(GroupKeys, EveryDefaultIsAllowed) {
    ConfigMap all;
    for (const ResourceKey& key : group_keys()) {
        if (key.default_text) all.emplace(key.name, *key.default_text);
    }
    EXPECT_EQ(why(all), "fine");
}

TEST(GroupKeys, EveryKeyOfTheBrokerIsOne) {
    for (const ResourceKey& key : group_keys()) {
        for (const auto name : {key.broker_key, key.min_key, key.max_key})
            EXPECT_TRUE(name.empty() || find_broker_key(name) != nullptr) << name;
    }
}

TEST(GroupKeys, TheBrokerDrawsTheLimits) {
    const ConfigMap all{{"consumer.session.timeout.ms", "70000"}};
    EXPECT_EQ(why(all),
              "consumer.session.timeout.ms must be in the range 45000 to 60000 inclusive.");
    EXPECT_EQ(why(all, {{"group.consumer.max.session.timeout.ms", "70000"}}), "fine");
    EXPECT_EQ(why({{"streams.num.standby.replicas", "9"}}),
              "streams.num.standby.replicas must be less than or equal to 2");
    EXPECT_EQ(why({{"streams.task.offset.interval.ms", "1"}}),
              "streams.task.offset.interval.ms must be greater than or equal to 15000");
}

TEST(GroupKeys, RefusesWhatItDoesNotKnow) {
    EXPECT_EQ(why({{"nope", "1"}}), "Unknown group config name: nope");
    EXPECT_EQ(why({{"streams.assignor.name", "nope"}}),
              "streams.assignor.name 'nope' is not a registered task assignor. Registered "
              "assignors are: [sticky].");
}

TEST(GroupKeys, TakesDurationsInWhichToLookBack) {
    const auto reset = [](const std::string& value) {
        return why({{"share.auto.offset.reset", value}}) == "fine";
    };
    for (const auto* const good : {"earliest", "latest", "by_duration:P1D", "by_duration:PT1H",
                                   "by_duration:P1DT2H3M4.5S", "by_duration:PT0S"}) {
        EXPECT_TRUE(reset(good)) << good;
    }
    for (const auto* const bad : {"", "EARLIEST", "by_duration:", "by_duration:P", "by_duration:PT",
                                  "by_duration:P1Y", "by_duration:P1DT", "by_duration:1D",
                                  "by_duration:PT1S1H", "by_duration:PT.5S", "by_duration:-PT1S"}) {
        EXPECT_FALSE(reset(bad)) << bad;
    }
}

TEST(GroupKeys, ATagComesOnce) {
    EXPECT_EQ(why({{"streams.rack.aware.assignment.tags", "a,b"}}), "fine");
    EXPECT_EQ(why({{"streams.rack.aware.assignment.tags", "a,a"}}),
              "streams.rack.aware.assignment.tags must not contain duplicate tag keys.");
}

}  // namespace
}  // namespace milena::config
