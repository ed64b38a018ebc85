// SPDX-License-Identifier: Apache-2.0
// What a tool connects with, by its options.
#include "cluster/connect_options.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(AdminOptions, ControllersAreASecondWayIn) {
    Parser parser("tool", "Does something.");
    const AdminOptions cluster(parser, AdminOptions::To::brokers_or_controllers);
    ASSERT_FALSE(parser.parse({"--bootstrap-controller", "c:1", "--command-config", "f"}));
    EXPECT_TRUE(cluster.says_one());
    const Connect connect = cluster.connect();
    EXPECT_EQ(connect.bootstrap, "c:1");
    EXPECT_TRUE(connect.to_controllers);
    EXPECT_EQ(connect.config_file, "f");
}

TEST(AdminOptions, ItTellsBothOrNoneFromOne) {
    for (const Arguments& arguments :
         {Arguments{"--help-me", "x"},
          Arguments{"--bootstrap-server", "b:1", "--bootstrap-controller", "c:1"}}) {
        Parser parser("tool", "Does something.");
        const AdminOptions cluster(parser, AdminOptions::To::brokers_or_controllers);
        testing::internal::CaptureStderr();
        parser.parse(arguments);
        testing::internal::GetCapturedStderr();
        EXPECT_FALSE(cluster.says_one());
    }
}

TEST(RecordClientOptions, OlderNamesMeanTheSame) {
    Parser parser("tool", "Does something.");
    const RecordClientOptions client(parser, {"producer-property", "producer.config"});
    ASSERT_FALSE(parser.parse(
        {"--bootstrap-server", "b:1", "--producer-property", "acks=1", "--producer.config", "f"}));
    EXPECT_FALSE(client.check(parser));
    const Connect connect = client.connect("me");
    EXPECT_EQ(connect.properties, std::vector<std::string>{"acks=1"});
    EXPECT_EQ(connect.config_file, "f");
    EXPECT_EQ(connect.client_id, "me");
}

TEST(RecordClientOptions, NotBothNamesOfOne) {
    Parser parser("tool", "Does something.");
    const RecordClientOptions client(parser, {"producer-property", "producer.config"});
    ASSERT_FALSE(parser.parse({"--producer-property", "a=1", "--command-property", "b=2"}));
    testing::internal::CaptureStderr();
    EXPECT_EQ(client.check(parser), kExitFailed);
    EXPECT_TRUE(testing::internal::GetCapturedStderr().starts_with(
        "Options --command-property and --producer-property cannot be specified together.\n"));
}

}  // namespace
}  // namespace milena::cli
