// SPDX-License-Identifier: Apache-2.0
// The layer of values over defaults: what it warns about, what it refuses, and what it says.
#include "milena/config/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace milena::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Outcome {
    Result<Settings> settings;
    Warnings warnings;
};

Outcome read(std::string_view text) {
    Warnings warnings;
    auto settings = Settings::from(*Properties::parse("s.properties", text), warnings);
    return {std::move(settings), std::move(warnings)};
}

TEST(Settings, GivesDefaultsAndWhatIsSet) {
    const auto [settings, warnings] = read("num.partitions=6\nlog.dirs=/a, /b");
    ASSERT_TRUE(settings.has_value());
    EXPECT_EQ(settings->number("num.partitions"), 6);
    EXPECT_EQ(settings->integer("socket.request.max.bytes"), 104'857'600);
    EXPECT_THAT(settings->list("log.dirs"), ElementsAre("/a", "/b"));
    EXPECT_TRUE(settings->is_set("log.dirs"));
    EXPECT_FALSE(settings->is_set("log.dir"));
    EXPECT_TRUE(settings->is_null("metadata.log.dir"));
    EXPECT_EQ(settings->text("num.partitions"), "6");
    EXPECT_EQ(settings->text("num.io.threads"), std::nullopt);
    EXPECT_THAT(warnings, IsEmpty());
}

TEST(Settings, RefusesABadValueWithKeyValuePlaceAndRange) {
    const auto [settings, warnings] = read("# first\nlog.segment.bytes=17");
    ASSERT_FALSE(settings.has_value());
    EXPECT_EQ(settings.error().code, ErrorCode::invalid_config);
    EXPECT_EQ(settings.error().why,
              "s.properties:2: log.segment.bytes=17: allowed is a whole number of 32 bits, "
              "1048576 or more");
}

TEST(Settings, WarnsAboutAnUnknownKeyWithTheNearestOne) {
    const auto [settings, warnings] = read("log.segment.byte=17\nzookeeper.connect=z:2181");
    ASSERT_TRUE(settings.has_value());
    EXPECT_THAT(warnings,
                ElementsAre("s.properties:1: log.segment.byte=…: unknown key, ignored; is it "
                            "log.segment.bytes?",
                            "s.properties:2: zookeeper.connect=…: unknown key, ignored"));
}

TEST(Settings, WarnsAboutKeysWithoutEffect) {
    const auto [settings, warnings] = read("num.io.threads=8\nquota.window.num=11");
    ASSERT_TRUE(settings.has_value());
    EXPECT_THAT(warnings,
                ElementsAre(HasSubstr("num.io.threads=8: accepted, without effect. One thread"),
                            HasSubstr("quota.window.num=11: accepted, without effect yet")));
}

TEST(Settings, ChecksTheValuesOfKeysWithoutEffect) {
    EXPECT_FALSE(read("num.io.threads=0").settings.has_value());
}

TEST(Settings, LetsTheLastOfTwoEntriesWinAndSaysSo) {
    const auto [settings, warnings] = read("num.partitions=1\nnum.partitions=2");
    EXPECT_EQ(settings->number("num.partitions"), 2);
    EXPECT_THAT(warnings,
                ElementsAre("s.properties:2: num.partitions=2: set before in line 1; this "
                            "one counts"));
}

TEST(Settings, RefusesKeysThatNameJavaClasses) {
    const auto refused = read("create.topic.policy.class.name=com.example.Policy").settings;
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().why, HasSubstr("refused. Names a Java class"));
    EXPECT_FALSE(read("authorizer.class.name=com.example.Acl").settings.has_value());
    EXPECT_TRUE(read("authorizer.class.name=").settings.has_value());
}

TEST(Settings, KeepsSecretsOutOfMessages) {
    const auto [settings, warnings] = read("ssl.key.password=hunter2\nmy.password=hunter2");
    ASSERT_TRUE(settings.has_value());
    ASSERT_EQ(warnings.size(), 2U);
    for (const auto& warning : warnings) EXPECT_EQ(warning.find("hunter2"), std::string::npos);
}

TEST(Settings, KnowsTheKeysOfOneListener) {
    const auto [settings, warnings] = read("listener.name.internal.ssl.keystore.location=/k");
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("settings of one listener have no effect yet")));
}

TEST(Settings, SaysWhereAValueComesFrom) {
    const auto [settings, warnings] = read("\nnode.id=4");
    EXPECT_EQ(settings->where("node.id"), "s.properties:2: node.id=4");
    EXPECT_EQ(settings->where("listeners"), "s.properties: listeners (not set)");
}

TEST(Settings, PutsDynamicValuesOverTheFiles) {
    const auto file = Settings::defaults();
    const auto now =
        file.with({{"message.max.bytes", "1"}, {"log.roll.ms", "3"}}, {{"message.max.bytes", "2"}});
    EXPECT_EQ(now.number("message.max.bytes"), 2);
    EXPECT_EQ(now.integer("log.roll.ms"), 3);
    EXPECT_TRUE(now.is_set("log.roll.ms"));
    // Not what the file says.
    EXPECT_EQ(now.text("log.roll.ms"), std::nullopt);
}

TEST(Settings, LeavesOutDynamicValuesThatCanNotBe) {
    const auto now = Settings::defaults().with(
        {{"num.partitions", "7"}, {"message.max.bytes", "x"}, {"no.such.key", "1"}}, {});
    EXPECT_EQ(now.number("num.partitions"), 1);
    EXPECT_EQ(now.number("message.max.bytes"), 1'048'588);
}

}  // namespace
}  // namespace milena::config
