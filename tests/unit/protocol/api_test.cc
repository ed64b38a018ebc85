// SPDX-License-Identifier: Apache-2.0
// The table of APIs against the schema and against what is known of single APIs.
#include "milena/protocol/api.h"

#include <gtest/gtest.h>

#include "milena/protocol/message_type.h"

namespace milena::protocol {

namespace {

TEST(Api, IsFoundByItsNumberOnly) {
    for (const Api& api : apis()) EXPECT_EQ(find_api(static_cast<std::int16_t>(api.key)), &api);
    EXPECT_EQ(apis().size(), 91U);
    for (const std::int16_t key :
         std::initializer_list<std::int16_t>{-1, 4, 5, 6, 7, 95, 32767, -32768}) {
        EXPECT_EQ(find_api(key), nullptr) << key;
    }
}

TEST(Api, HasARequestAndAResponseOfTheSameVersions) {
    for (const Api& api : apis()) {
        for (const char* const half : {"Request", "Response"}) {
            const MessageType* const type = find_message_type(std::string(api.name) + half);
            ASSERT_NE(type, nullptr) << api.name << half;
            EXPECT_EQ(type->key, static_cast<std::int16_t>(api.key));
            EXPECT_EQ(type->min_version, api.min_version) << type->name;
            EXPECT_EQ(type->max_version, api.max_version) << type->name;
            EXPECT_EQ(type->first_flexible_version, api.first_flexible_version) << type->name;
        }
    }
}

TEST(Api, KnowsWhoServesIt) {
    const Api& produce = *find_api(0);
    EXPECT_EQ(produce.name, "Produce");
    EXPECT_TRUE(produce.on_broker && !produce.on_controller);
    const Api& fetch = *find_api(1);
    EXPECT_TRUE(fetch.on_broker && fetch.on_controller);
    const Api& vote = *find_api(52);
    EXPECT_TRUE(!vote.on_broker && vote.on_controller);
}

TEST(Api, HidesAnUnstableVersion) {
    for (const Api& api : apis()) {
        const bool unstable = api.key == ApiKey::init_producer_id;
        EXPECT_EQ(api.max_stable_version, api.max_version - (unstable ? 1 : 0)) << api.name;
    }
}

TEST(Api, HasHeadersWithTagsInFlexibleVersions) {
    const Api& produce = *find_api(0);
    EXPECT_EQ(produce.request_header_version(8), 1);
    EXPECT_EQ(produce.response_header_version(8), 0);
    EXPECT_EQ(produce.request_header_version(9), 2);
    EXPECT_EQ(produce.response_header_version(9), 1);
    const Api& sasl_handshake = *find_api(17);  // never flexible
    EXPECT_EQ(sasl_handshake.request_header_version(sasl_handshake.max_version), 1);
}

TEST(Api, AnswersApiVersionsUnderTheOldHeader) {
    const Api& api_versions = *find_api(18);
    EXPECT_EQ(api_versions.request_header_version(3), 2);
    EXPECT_EQ(api_versions.response_header_version(3), 0);
    EXPECT_EQ(api_versions.response_header_version(99), 0);
}

}  // namespace

}  // namespace milena::protocol
