// SPDX-License-Identifier: Apache-2.0
// The bytes are those of Kafka's DefaultKafkaPrincipalBuilder (tests/compat/test_forwarding.py).
#include "forwarding/identity.h"

#include <gtest/gtest.h>

namespace milena::server {
namespace {

std::string text(const std::vector<std::byte>& bytes) {
    return std::string(as_text(bytes));
}

TEST(IdentityTest, AClientIsWrittenAsKafkaWritesIt) {
    const Client anonymous{{}, "127.0.0.1"};
    EXPECT_EQ(text(client_to_bytes(anonymous).principal), std::string("\0\0\x05User\x0a"
                                                                      "ANONYMOUS\0\0",
                                                                      19));
    EXPECT_EQ(text(client_to_bytes(anonymous).address), std::string("\x7f\0\0\x01", 4));

    const Client with_token{{"User", "zoë", true}, "::1"};
    EXPECT_EQ(text(client_to_bytes(with_token).principal),
              std::string("\0\0\x05User\x05zo\xc3\xab\x01\0", 14));
    EXPECT_EQ(client_to_bytes(with_token).address.size(), 16u);
}

TEST(IdentityTest, AClientComesBackAsItWas) {
    for (const Client& client : {Client{{}, "10.0.0.1"}, Client{{"Robot", "", true}, "fe80::1"},
                                 Client{{"User", std::string(32'767, 'x')}, "1.2.3.4"}}) {
        const ClientBytes bytes = client_to_bytes(client);
        const auto back = client_from_bytes(bytes.principal, bytes.address);
        ASSERT_TRUE(back) << back.error().why;
        EXPECT_EQ(back->principal, client.principal);
        EXPECT_EQ(back->host, client.host);
    }
}

TEST(IdentityTest, AHostThatIsNoAddressHasNone) {
    const ClientBytes bytes = client_to_bytes({{}, "n1"});
    EXPECT_EQ(client_from_bytes(bytes.principal, bytes.address)->host, "0.0.0.0");
}

TEST(IdentityTest, EveryShorterPrincipalIsRefused) {
    const ClientBytes bytes = client_to_bytes({{}, "1.2.3.4"});
    for (std::size_t length = 0; length < bytes.principal.size(); ++length) {
        const auto read =
            client_from_bytes(BytesView(bytes.principal).first(length), bytes.address);
        ASSERT_FALSE(read) << length;
        EXPECT_EQ(read.error().code, ErrorCode::principal_deserialization_failure);
    }
}

TEST(IdentityTest, AnAddressHasFourOrSixteenBytes) {
    const ClientBytes bytes = client_to_bytes({{}, "1.2.3.4"});
    for (const std::size_t length : {0U, 3U, 5U, 15U, 17U}) {
        const auto read =
            client_from_bytes(bytes.principal, std::vector<std::byte>(length, std::byte{1}));
        ASSERT_FALSE(read) << length;
        EXPECT_EQ(read.error().code, ErrorCode::invalid_request);
    }
}

}  // namespace
}  // namespace milena::server
