// SPDX-License-Identifier: Apache-2.0
// The head of a request however it is cut into pieces, and what is refused.
#include "admin/http_request.h"

#include <gtest/gtest.h>

namespace milena::server {
namespace {

Result<std::optional<HttpRequest>> in_pieces(HttpRequestParser& parser, std::string_view text,
                                             std::size_t piece) {
    for (std::size_t at = 0; at < text.size(); at += piece) {
        auto taken = parser.take(as_bytes(text.substr(at, piece)));
        if (!taken || *taken) return taken;
    }
    return std::nullopt;
}

TEST(HttpRequestParser, FindsMethodAndPathHoweverTheBytesCome) {
    const std::string_view text = "GET /metrics?a=b HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n";
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        HttpRequestParser parser;
        const auto request = in_pieces(parser, text, piece);
        ASSERT_TRUE(request && *request) << piece;
        EXPECT_TRUE((*request)->is_get);
        EXPECT_FALSE((*request)->is_head);
        EXPECT_EQ((*request)->path, "/metrics");
    }
}

TEST(HttpRequestParser, WaitsForTheWholeHead) {
    HttpRequestParser parser;
    const auto request = in_pieces(parser, "GET / HTTP/1.1\r\nHost: x\r\n", 100);
    ASSERT_TRUE(request);
    EXPECT_FALSE(request->has_value());
}

TEST(HttpRequestParser, RefusesWhatIsNotHttp) {
    HttpRequestParser parser;
    EXPECT_FALSE(in_pieces(parser, "\x16\x03\x01\r\n\r\n", 100));
    EXPECT_EQ(parser.status(), 400);
}

TEST(HttpRequestParser, RefusesAHeadThatDoesNotEnd) {
    HttpRequestParser parser;
    const std::string text = "GET / HTTP/1.1\r\nA: " + std::string(2 * kHttpHeadBytesMax, 'x');
    EXPECT_FALSE(in_pieces(parser, text, 1000));
    EXPECT_EQ(parser.status(), 431);
}

TEST(HttpAnswer, HasALengthAndNoBodyForHead) {
    const AdminAnswer answer{200, "text/plain", "hello"};
    const std::string whole = http_answer(answer, false);
    EXPECT_TRUE(
        whole.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"));
    EXPECT_TRUE(whole.ends_with("\r\n\r\nhello"));
    EXPECT_EQ(http_answer(answer, true) + "hello", whole);
}

}  // namespace
}  // namespace milena::server
