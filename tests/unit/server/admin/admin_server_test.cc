// SPDX-License-Identifier: Apache-2.0
// Served in the simulator: a request gets its page, a silent connection is closed, and stop() ends
// all of them.
#include "milena/server/admin.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::server {
namespace {

using namespace std::chrono_literals;

class OnePage final : public AdminPages {
public:
    env::Task<std::optional<AdminAnswer>> get(std::string path) override {
        if (path != "/page") co_return std::nullopt;
        co_return AdminAnswer{200, "text/plain", "content"};
    }
};

class AdminServerTest : public testing::TestWithParam<std::uint64_t> {
protected:
    static constexpr std::uint16_t kPort = 9404;

    void SetUp() override {
        auto opened = AdminServer::open(node, {}, {"", kPort}, pages);
        ASSERT_TRUE(opened);
        server = std::move(*opened);
        server->serve();
    }
    void TearDown() override {
        env::spawn(node.control(), [](AdminServerTest& test) -> env::Task<void> {
            co_await test.server->stop();
            test.stopped = true;
        }(*this));
        world.run_for(1s);
        EXPECT_TRUE(stopped);
    }

    /// What comes back for `text` until the server closes.
    void say(std::string_view text) {
        env::spawn(client.control(),
                   [](AdminServerTest& test, std::string what) -> env::Task<void> {
                       auto stream = co_await test.client.network().connect({"server", kPort},
                                                                            test.client.control());
                       if (!stream) co_return;
                       const BytesView piece = as_bytes(what);
                       if (!what.empty()) (void)co_await (*stream)->write(std::span(&piece, 1));
                       std::array<std::byte, 100> bytes;
                       for (;;) {
                           const auto count = co_await (*stream)->read_some(bytes);
                           if (!count || *count == 0) break;
                           test.answer.append(reinterpret_cast<const char*>(bytes.data()), *count);
                       }
                       test.closed = true;
                   }(*this, std::string(text)));
    }

    sim::World world{GetParam()};
    sim::Node& node = world.add_node("server");
    sim::Node& client = world.add_node("client");
    OnePage pages;
    std::unique_ptr<AdminServer> server;
    std::string answer;
    bool closed = false;
    bool stopped = false;
};

TEST_P(AdminServerTest, AnswersAndCloses) {
    say("GET /page HTTP/1.1\r\nHost: x\r\n\r\n");
    world.run_for(2s);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
    EXPECT_TRUE(answer.ends_with("content"));
    EXPECT_TRUE(closed);
}

TEST_P(AdminServerTest, ClosesAConnectionThatSaysNothingForLong) {
    say("GET /pa");
    world.run_for(20s);
    EXPECT_FALSE(closed);
    world.run_for(20s);
    EXPECT_TRUE(closed);
    EXPECT_EQ(answer, "");
}

TEST_P(AdminServerTest, StopsWhileARequestIsHalfWay) {
    say("");
    world.run_for(1s);
    EXPECT_FALSE(closed);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AdminServerTest, testing::Range<std::uint64_t>(1, 6));

}  // namespace
}  // namespace milena::server
