// SPDX-License-Identifier: Apache-2.0
// The faults of the simulated network: delays, cuts in one direction, broken connections, hosts
// that die.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>

#include "sim/world.h"

namespace milena::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using StreamPtr = std::unique_ptr<env::Stream>;

constexpr std::uint16_t kPort = 9092;

/// A server that answers each byte with itself, and counts how its connections end.
struct Echo {
    int accepted = 0;
    int ended = 0;
    int broken = 0;
};

env::Task<void> echo(StreamPtr stream, Echo& counts) {
    std::array<std::byte, 16> buffer{};
    while (true) {
        const auto got = co_await stream->read_some(buffer);
        if (!got || *got == 0) {
            ++(got ? counts.ended : counts.broken);
            co_return;
        }
        const BytesView piece = BytesView(buffer).first(*got);
        if (!co_await stream->write(std::span(&piece, 1))) co_return;
    }
}

env::Task<void> serve(Node& node, Echo& counts) {
    const auto acceptor = node.network().listen({"", kPort}, node.core(0));
    EXPECT_TRUE(acceptor);
    while (auto stream = co_await (*acceptor)->accept(node.core(0))) {
        ++counts.accepted;
        env::spawn(node.core(0), echo(*std::move(stream), counts));
    }
}

env::Task<std::string> ask(env::Stream& stream, std::string text) {
    const BytesView piece = as_bytes(text);
    const auto written = co_await stream.write(std::span(&piece, 1));
    if (!written) co_return written.error().why;
    std::string answer;
    std::array<std::byte, 16> buffer{};
    while (answer.size() < text.size()) {
        const auto got = co_await stream.read_some(buffer);
        if (!got) co_return got.error().why;
        if (*got == 0) co_return "end";
        answer += as_text(BytesView(buffer).first(*got));
    }
    co_return answer;
}

class SimNetworkTest : public testing::Test {
protected:
    void SetUp() override {
        world.boot(server, [this](Node& node) { env::spawn(node.core(0), serve(node, counts)); });
        world.run_for(milliseconds(1));
    }
    /// Connects within `patience`, or says why not.
    std::string connect(env::Duration patience = seconds(60)) {
        std::string why;
        world.run(client,
                  [](Node& node, env::Duration within, StreamPtr& into,
                     std::string& error) -> env::Task<void> {
                      auto made = co_await node.network().connect({"server", kPort}, node.core(0),
                                                                  node.clock().now() + within);
                      if (made) {
                          into = *std::move(made);
                      } else {
                          error = made.error().why;
                      }
                  }(client, patience, stream, why));
        return why;
    }
    /// The answer to `text`, "?" if there is none within `patience`.
    std::string say(std::string text, env::Duration patience = seconds(5)) {
        const auto answer = std::make_shared<std::string>("?");
        world.run(
            client,
            [](env::Stream& to, std::string what,
               std::shared_ptr<std::string> out) -> env::Task<void> {
                *out = co_await ask(to, what);
            }(*stream, std::move(text), answer),
            patience);
        return *answer;
    }

    World world{1};
    Node& client = world.add_node("client");
    Node& server = world.add_node("server");
    Echo counts;
    StreamPtr stream;
};

TEST_F(SimNetworkTest, LatencyTakesVirtualTime) {
    world.network().set_latency(milliseconds(100), milliseconds(200));
    EXPECT_EQ(connect(), "");
    const env::Instant before = world.now();
    EXPECT_EQ(say("x"), "x");
    EXPECT_GE(world.now() - before, milliseconds(200));
    EXPECT_LE(world.now() - before, milliseconds(400));
}

TEST_F(SimNetworkTest, ConnectIsRefusedByAHostWhoseProcessIsDead) {
    world.crash(server, Crash::process);
    EXPECT_EQ(connect(), "connect to server:9092: Connection refused");
}

TEST_F(SimNetworkTest, AHostWithoutPowerDoesNotAnswer) {
    world.crash(server, Crash::power);
    const env::Instant before = world.now();
    EXPECT_EQ(connect(seconds(3)), "connect to server:9092: no answer in time");
    EXPECT_EQ(world.now() - before, seconds(3));
}

TEST_F(SimNetworkTest, ConnectReachesAHostThatComesBackInTime) {
    world.crash(server, Crash::power);
    world.after(seconds(2), [this] { world.restart(server); });
    EXPECT_EQ(connect(seconds(10)), "");
    EXPECT_EQ(say("x"), "x");
}

TEST_F(SimNetworkTest, PeersOfADeadProcessSeeItAtOnce) {
    EXPECT_EQ(connect(), "");
    EXPECT_EQ(say("x"), "x");
    world.crash(server, Crash::process);
    EXPECT_EQ(say("y"), "end");
}

TEST_F(SimNetworkTest, PeersOfAHostWithoutPowerHearNothingUntilItIsBack) {
    EXPECT_EQ(connect(), "");
    EXPECT_EQ(say("x"), "x");
    world.crash(server, Crash::power);
    EXPECT_EQ(say("y", seconds(5)), "?");
    world.restart(server);
    world.run_for(seconds(1));
    std::optional<bool> is_reset;
    // The host that came back knows nothing of the connection and says so to the byte that was
    // never answered.
    EXPECT_TRUE(stream->readable());
    const BytesView piece = as_bytes("z");
    world.run(client,
              [](env::Stream& to, BytesView what, std::optional<bool>& out) -> env::Task<void> {
                  out = !co_await to.write(std::span(&what, 1));
              }(*stream, piece, is_reset));
    EXPECT_EQ(is_reset, true);
}

TEST_F(SimNetworkTest, ACutHoldsBytesBackUntilItIsMended) {
    EXPECT_EQ(connect(), "");
    world.network().cut("client", "server");
    EXPECT_EQ(say("x", seconds(5)), "?");
    world.network().mend("client", "server");
    // The first question's answer reaches the reader that still waits for it, then the second
    // question goes.
    world.run_for(seconds(1));
    EXPECT_EQ(say("y"), "y");
}

TEST_F(SimNetworkTest, ACutIsOfOneDirection) {
    EXPECT_EQ(connect(), "");
    world.network().cut("server", "client");
    EXPECT_EQ(connect(seconds(3)), "connect to server:9092: no answer in time");
    EXPECT_GE(counts.accepted, 1) << "the request came through, only the answer did not";
    world.network().mend_all();
    EXPECT_EQ(connect(), "");
}

TEST_F(SimNetworkTest, ASplitSeparatesTwoGroups) {
    Node& third = world.add_node("third");
    world.network().split({"client", "third"}, {"server"});
    EXPECT_EQ(connect(seconds(2)), "connect to server:9092: no answer in time");
    EXPECT_TRUE(world.network().is_cut("server", third.name()));
    EXPECT_FALSE(world.network().is_cut("client", third.name()));
    world.network().mend_all();
    EXPECT_EQ(connect(), "");
}

TEST_F(SimNetworkTest, ConnectionsBreakOnDemand) {
    EXPECT_EQ(connect(), "");
    world.network().break_connections("server", "client");
    EXPECT_EQ(say("x"), "write server:9092: reset by the peer");
    world.run_for(seconds(1));
    EXPECT_EQ(counts.broken, 1);
}

TEST_F(SimNetworkTest, ABreakRateBreaksSomeConnections) {
    world.network().set_break_rate(0.2);
    int broken = 0;
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(connect(), "");
        broken += say("x") == "x" ? 0 : 1;
    }
    EXPECT_GT(broken, 2);
    EXPECT_LT(broken, 40);
}

TEST_F(SimNetworkTest, ACallThatFailsBreaksItsConnection) {
    EXPECT_EQ(connect(), "");
    client.faults().fail_call(0);
    EXPECT_EQ(say("x"), "write server:9092: reset by the peer");
    EXPECT_TRUE(client.faults().has_fired());
    client.faults().fail_call(0);
    EXPECT_EQ(connect(), "connect to server:9092: Network is unreachable");
}

TEST_F(SimNetworkTest, ALeavingClientIsSeenByTheServer) {
    EXPECT_EQ(connect(), "");
    EXPECT_EQ(say("x"), "x");
    world.crash(client, Crash::process);
    world.run_for(seconds(1));
    EXPECT_EQ(counts.ended, 1);
    EXPECT_EQ(counts.accepted, 1);
}

TEST_F(SimNetworkTest, AClientThatDiesWhileItConnectsLeavesNothingBehind) {
    for (int delay_us = 0; delay_us < 400; delay_us += 20) {
        env::spawn(client.core(0), [](Node& node) -> env::Task<void> {
            const auto made = co_await node.network().connect({"server", kPort}, node.core(0));
            co_await node.sleep(node.core(0), seconds(1000));
        }(client));
        world.run_for(std::chrono::microseconds(delay_us));
        world.crash(client, Crash::process);
        world.restart(client);
        world.run_for(seconds(1));
    }
    EXPECT_EQ(counts.accepted, counts.ended + counts.broken);
}

}  // namespace
}  // namespace milena::sim
