// SPDX-License-Identifier: Apache-2.0
// A server and its clients on a simulated network. The handler here speaks a protocol of one byte:
// the first byte of a frame says what to do with it, the answer is a frame with the same bytes.
#include "milena/wire/connection.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::wire {
namespace {

using namespace std::chrono_literals;

enum class Order : std::uint8_t {
    echo = 'e',
    park = 'p',
    refuse = 'r',
    close_after = 'c',
    silent = 's'
};

void echo(ReplySlot& slot, BytesView frame) {
    ByteWriter writer(slot.output.extend(4 + frame.size()));
    writer.write(static_cast<std::int32_t>(frame.size()));
    writer.write_bytes(frame);
}

/// Parked frames, answered by the test.
struct Parked {
    DeferredReply reply;
    std::vector<std::byte> frame;
};

class OneByteHandler final : public FrameHandler {
public:
    explicit OneByteHandler(std::vector<Parked>& parked) : parked_(parked) {}

    env::Task<Result<void>> serve(MutableBytes frame, Connection& connection) override {
        const auto order = static_cast<Order>(frame[0]);
        if (order == Order::refuse) co_return fail(ErrorCode::invalid_request, "refused");
        auto& slot = connection.replies().open();
        if (order == Order::park) {
            parked_.push_back({connection.defer(slot), {frame.begin(), frame.end()}});
            co_return ok();
        }
        if (order != Order::silent) echo(slot, frame);
        slot.close_after = order == Order::close_after;
        connection.replies().mark_done(slot);
        co_return ok();
    }

    void answer_sent(const ReplyTag&, env::Instant) override {}

private:
    std::vector<Parked>& parked_;
};

/// One node that serves, one that asks, and what the client received until the connection ended.
class ConnectionTest : public testing::TestWithParam<std::uint64_t> {
protected:
    static constexpr std::uint16_t kPort = 9092;

    ConnectionTest()
        : world(GetParam()), server(world.add_node("server")), client(world.add_node("client")) {
        core = std::make_shared<CoreConnections>(
            server, server.core(0), ConnectionLimits{.frame_bytes_max = 1 << 20, .idle_max = 10s},
            budget, Logger());
        server.keep(core);  // outlives the coroutines
        auto listening = server.network().listen({"", kPort}, server.core(0));
        EXPECT_TRUE(listening.has_value());
        acceptor = std::move(*listening);
        env::spawn(server.core(0), accept());
    }

    env::Task<void> accept() {
        for (;;) {
            auto stream = co_await acceptor->accept(server.core(0));
            if (!stream) co_return;
            const auto connection = std::make_shared<Connection>(
                *core, std::move(*stream),
                [this](Connection&) { return std::make_unique<OneByteHandler>(parked); });
            env::spawn(server.core(0), Connection::run(connection));
        }
    }

    /// Sends all of `text` as frames, one a word, then collects words until the server closes or
    /// `until` were answered.
    env::Task<void> talk(std::vector<std::string> words, std::size_t until) {
        auto stream = co_await client.network().connect({"server", kPort}, client.core(0));
        EXPECT_TRUE(stream.has_value());
        std::vector<std::byte> bytes;
        for (const auto& word : words) {
            bytes.resize(bytes.size() + 4);
            store(bytes.data() + bytes.size() - 4, static_cast<std::uint32_t>(word.size()));
            std::ranges::copy(as_bytes(word), std::back_inserter(bytes));
        }
        const BytesView all(bytes);
        EXPECT_TRUE(co_await (*stream)->write(std::span(&all, 1)));
        std::vector<std::byte> chunk(4096);
        while (answers.size() < until) {
            const auto count = co_await (*stream)->read_some(chunk);
            if (!count || *count == 0) break;
            take(BytesView(chunk).first(*count));
        }
        ended = true;
    }

    void take(BytesView bytes) {
        received.insert(received.end(), bytes.begin(), bytes.end());
        while (received.size() >= 4) {
            const auto size = load<std::uint32_t>(received.data());
            if (received.size() < 4 + size) break;
            answers.emplace_back(as_text(BytesView(received).subspan(4, size)));
            received.erase(received.begin(), received.begin() + 4 + size);
        }
    }

    void answer_parked(std::size_t index) {
        const auto& one = parked[index];
        one.reply.complete([frame = one.frame](ReplySlot& slot) { echo(slot, frame); });
    }

    env::ByteBudget budget{1U << 20};
    sim::World world;
    sim::Node& server;
    sim::Node& client;
    std::shared_ptr<CoreConnections> core;
    std::unique_ptr<env::Acceptor> acceptor;
    std::vector<Parked> parked;
    std::vector<std::byte> received;
    std::vector<std::string> answers;
    bool ended = false;
};

TEST_P(ConnectionTest, AnswersEveryFrameOfOneWriteInOrder) {
    std::vector<std::string> words;
    for (int i = 0; i < 300; ++i) words.push_back("e" + std::to_string(i));
    env::spawn(client.core(0), talk(words, words.size()));
    ASSERT_TRUE(world.run_until([&] { return ended; }));
    EXPECT_EQ(answers, words);
}

TEST_P(ConnectionTest, AnswerThatIsReadyWaitsForTheOneBeforeIt) {
    env::spawn(client.core(0), talk({"p1", "p2", "e3"}, 3));
    ASSERT_TRUE(world.run_until([&] { return parked.size() == 2; }));
    answer_parked(1);
    world.run_for(1s);
    EXPECT_TRUE(answers.empty());
    answer_parked(0);
    ASSERT_TRUE(world.run_until([&] { return ended; }));
    EXPECT_EQ(answers, (std::vector<std::string>{"p1", "p2", "e3"}));
}

TEST_P(ConnectionTest, ClosesAfterTheAnswerThatSaysSo) {
    env::spawn(client.core(0), talk({"e1", "c2", "e3"}, 3));
    ASSERT_TRUE(world.run_until([&] { return ended; }));
    EXPECT_EQ(answers, (std::vector<std::string>{"e1", "c2"}));
}

TEST_P(ConnectionTest, SendsEarlierAnswersBeforeItClosesOnABadFrame) {
    env::spawn(client.core(0), talk({"e1", "r", "e3"}, 3));
    ASSERT_TRUE(world.run_until([&] { return ended; }));
    EXPECT_EQ(answers, std::vector<std::string>{"e1"});
    EXPECT_EQ(core->size(), 0U);
}

TEST_P(ConnectionTest, SilentAnswersSendNothing) {
    env::spawn(client.core(0), talk({"s1", "e2"}, 1));
    ASSERT_TRUE(world.run_until([&] { return ended; }));
    EXPECT_EQ(answers, std::vector<std::string>{"e2"});
}

TEST_P(ConnectionTest, ReplyToAConnectionThatIsGoneIsDropped) {
    env::spawn(client.core(0), talk({"p1", "r"}, 2));
    ASSERT_TRUE(world.run_until([&] { return parked.size() == 1; }));
    ASSERT_TRUE(world.run_until([&] { return core->size() == 0; }));
    answer_parked(0);
    world.run_for(1s);
    EXPECT_TRUE(answers.empty());
}

TEST_P(ConnectionTest, IdleConnectionsAreClosedAndBusyOnesAreNot) {
    env::spawn(client.core(0), talk({"e1"}, 2));
    ASSERT_TRUE(world.run_until([&] { return answers.size() == 1; }));
    world.run_for(9s);
    core->close_idle();
    world.run_for(500ms);
    EXPECT_FALSE(ended);
    world.run_for(2s);
    core->close_idle();
    ASSERT_TRUE(world.run_until([&] { return ended; }));
    EXPECT_EQ(core->size(), 0U);
}

TEST_P(ConnectionTest, StalledFrameGivesWayWhenTheBudgetIsUsedUp) {
    // One client announces a frame near the budget, sends most of it and stalls; the other must
    // still be served.
    const auto stall = [this]() -> env::Task<void> {
        auto stream = co_await client.network().connect({"server", kPort}, client.core(0));
        std::vector<std::byte> part(900'000);
        store(part.data(), 1'000'000U);
        const BytesView bytes(part);
        co_await (*stream)->write(std::span(&bytes, 1));
        std::vector<std::byte> chunk(16);
        co_await (*stream)->read_some(chunk);  // ends when the server gives up on us
    };
    env::spawn(client.core(0), stall());
    ASSERT_TRUE(world.run_until([&] { return budget.used() > 800'000; }));
    const std::string large = "e" + std::string(300'000, 'x');
    env::spawn(client.core(1), talk({large}, 1));
    ASSERT_TRUE(world.run_until([&] { return ended; }, 8s));
    EXPECT_EQ(answers, std::vector<std::string>{large});
}

INSTANTIATE_TEST_SUITE_P(Seeds, ConnectionTest, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace milena::wire
