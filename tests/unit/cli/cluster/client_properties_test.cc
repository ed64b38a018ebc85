// SPDX-License-Identifier: Apache-2.0
// What a tool's client takes from properties.
#include "cluster/client_properties.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::cli {
namespace {

using namespace std::chrono_literals;

TEST(ClientProperties, ThoseOfTheCommandLineWin) {
    sim::World world(1);
    auto& files = world.add_node("n").files();
    ASSERT_TRUE(env::replace_file(files, "/c", "client.id=file\nrequest.timeout.ms=7000\n"));
    auto properties = read_client_properties(files, "/c");
    ASSERT_TRUE(properties);
    ASSERT_TRUE(add_properties(*properties, {"client.id=line"}));
    const auto options = client_options(*properties);
    ASSERT_TRUE(options);
    EXPECT_EQ(options->client_id, "line");
    EXPECT_EQ(options->request_timeout, 7s);
}

TEST(ClientProperties, ANumberThatIsNoneIsNamed) {
    const auto options = client_options({{"request.timeout.ms", "soon"}});
    ASSERT_FALSE(options);
    EXPECT_EQ(options.error().why,
              "Invalid value soon for configuration request.timeout.ms: Not a number of type LONG");
}

TEST(ClientProperties, SecurityThatIsNotThereIsAnError) {
    const auto options = client_options({{"security.protocol", "SASL_SSL"}});
    ASSERT_FALSE(options);
    EXPECT_NE(options.error().why.find("SASL_SSL"), std::string::npos);
}

TEST(ClientProperties, APropertyNeedsAKey) {
    ClientProperties properties;
    EXPECT_FALSE(add_properties(properties, {"=x"}));
    EXPECT_FALSE(add_properties(properties, {"x"}));
    EXPECT_TRUE(add_properties(properties, {"x="}));
    EXPECT_EQ(text_property(properties, "x", "other"), "");
}

}  // namespace
}  // namespace milena::cli
