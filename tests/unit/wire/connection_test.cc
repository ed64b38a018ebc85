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
    silent = 's',
    large = 'l',
    file = 'f',
    wait = 'w',      ///< echoed when everything before it is answered
    make_way = 'm',  ///< echoed when something comes behind it
};

constexpr std::size_t kLargeBytes = 256 * 1024;
constexpr std::size_t kFileBytes = 5 * kLargeBytes * 4 + 1000;

/// A file of which only what was read last is in memory: a slow peer may find any part gone.
class ColdFile final : public env::File {
public:
    /// Reads on `core` are those that hold up its other connections.
    explicit ColdFile(env::Executor core) : core_(core) {}
    const std::string& path() const override { return path_; }
    Result<std::size_t> read_at(std::uint64_t position, MutableBytes into) const override {
        const std::size_t left = kFileBytes - std::min<std::size_t>(kFileBytes, position);
        const std::size_t count = std::min(into.size(), left);
        if (count == 0) return 0U;
        const bool is_here = warm_from_ <= position && position + count <= warm_to_;
        if (!is_here && core_.running_in_this_thread()) ++cold_reads_on_core_;
        if (!is_here) {
            warm_from_ =
                position == warm_to_ && warm_to_ - warm_from_ < (1U << 20) ? warm_from_ : position;
            warm_to_ = position + count;
        }
        std::ranges::fill(into.first(count), std::byte{'f'});
        return count;
    }
    Result<void> write_at(std::uint64_t, std::span<const BytesView>) override { return ok(); }
    Result<void> truncate(std::uint64_t) override { return ok(); }
    Result<std::uint64_t> size() const override { return kFileBytes; }
    Result<void> sync() override { return ok(); }
    void start_writeback(std::uint64_t, std::uint64_t) override {}
    bool is_cached(std::uint64_t position) const override {
        return warm_from_ <= position && position < warm_to_;
    }
    int cold_reads_on_core() const { return cold_reads_on_core_; }

private:
    std::string path_ = "cold";
    env::Executor core_;
    mutable std::uint64_t warm_from_ = 0;
    mutable std::uint64_t warm_to_ = 0;
    mutable int cold_reads_on_core_ = 0;
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
    OneByteHandler(std::vector<Parked>& parked, std::shared_ptr<ColdFile> file, int& served)
        : parked_(parked), file_(std::move(file)), served_(served) {}

    env::Task<Result<void>> serve(MutableBytes frame, Connection& connection) override {
        ++served_;
        const auto order = static_cast<Order>(frame[0]);
        if (order == Order::refuse) co_return fail(ErrorCode::invalid_request, "refused");
        if (order == Order::wait) co_await connection.wait_pending_below(1);
        if (order == Order::make_way) co_await wait_for_more(connection);
        auto& slot = connection.replies().open();
        if (order == Order::park) {
            parked_.push_back({connection.defer(slot), {frame.begin(), frame.end()}});
            co_return ok();
        }
        if (order == Order::large) {
            echo(slot, std::vector(kLargeBytes, std::byte{'l'}));
        } else if (order == Order::file) {
            ByteWriter(slot.output.extend(4)).write(static_cast<std::int32_t>(kFileBytes));
            slot.output.add_file(file_, 0, kFileBytes);
        } else if (order != Order::silent) {
            echo(slot, frame);
        }
        slot.close_after = order == Order::close_after;
        connection.replies().mark_done(slot);
        co_return ok();
    }

    void answer_sent(const ReplyTag&, env::Instant) override {}

private:
    static env::Task<void> wait_for_more(Connection& connection) {
        env::Wakeup more(connection.env(), connection.owner());
        connection.on_more([&more] { more.notify(); });
        co_await more.wait_until(env::kNever);
        connection.on_more({});
    }

    std::vector<Parked>& parked_;
    std::shared_ptr<ColdFile> file_;
    int& served_;
};

/// One node that serves, one that asks, and what the client received until the connection ended.
class ConnectionTest : public testing::TestWithParam<std::uint64_t> {
protected:
    static constexpr std::uint16_t kPort = 9092;

    ConnectionTest()
        : world(GetParam()), server(world.add_node("server")), client(world.add_node("client")) {
        const ConnectionLimits limits{.frame_bytes_max = 1 << 20, .idle_max = 10s};
        core = std::make_shared<CoreConnections>(server, server.core(0), limits, budget, Logger());
        other_core =
            std::make_shared<CoreConnections>(server, server.core(1), limits, budget, Logger());
        server.keep(core);  // outlives the coroutines
        server.keep(other_core);
        auto listening = server.network().listen({"", kPort}, server.core(0));
        EXPECT_TRUE(listening.has_value());
        acceptor = std::move(*listening);
        env::spawn(server.core(0), accept());
    }

    env::Task<void> accept() {
        for (;;) {
            auto stream = co_await acceptor->accept(server.core(0));
            if (!stream) co_return;
            const auto connection =
                std::make_shared<Connection>(*core, std::move(*stream), [this](Connection&) {
                    return std::make_unique<OneByteHandler>(parked, file, served);
                });
            env::spawn(server.core(0), live(connection, 0));
        }
    }

    /// A connection's life on one core after the other.
    env::Task<void> live(std::shared_ptr<Connection> connection, std::size_t on) {
        const auto end = co_await Connection::run(connection, [this, on] { return home != on; });
        if (end == Connection::End::closed) co_return;
        const env::Executor next = server.core(home);
        connection->leave(next);
        env::post(next, [this, connection, next, to = home] {
            connection->arrive(to == 0 ? *core : *other_core);
            ++moves;
            env::spawn(next, live(connection, to));
        });
    }

    /// Sends all of `text` as frames, one a word, then collects words until the server closes or
    /// `until` were answered. Takes no answer before `silence` is over.
    env::Task<void> talk(std::vector<std::string> words, std::size_t until,
                         env::Duration silence = 0s) {
        auto stream = co_await client.network().connect({"server", kPort}, client.core(0));
        EXPECT_TRUE(stream.has_value());
        co_await say(**stream, std::move(words));
        co_await client.sleep(client.core(0), silence);
        co_await collect(**stream, until);
        ended = true;
    }

    static env::Task<void> say(env::Stream& stream, std::vector<std::string> words) {
        std::vector<std::byte> bytes;
        for (const auto& word : words) {
            bytes.resize(bytes.size() + 4);
            store(bytes.data() + bytes.size() - 4, static_cast<std::uint32_t>(word.size()));
            std::ranges::copy(as_bytes(word), std::back_inserter(bytes));
        }
        const BytesView all(bytes);
        EXPECT_TRUE(co_await stream.write(std::span(&all, 1)));
    }

    env::Task<void> collect(env::Stream& stream, std::size_t until) {
        std::vector<std::byte> chunk(64 * 1024);
        while (answers.size() < until) {
            const auto count = co_await stream.read_some(chunk);
            if (!count || *count == 0) break;
            take(BytesView(chunk).first(*count));
        }
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
    std::shared_ptr<CoreConnections> other_core;
    std::size_t home = 0;  ///< of all connections
    int moves = 0;
    std::unique_ptr<env::Acceptor> acceptor;
    std::vector<Parked> parked;
    std::shared_ptr<ColdFile> file = std::make_shared<ColdFile>(server.core(0));
    int served = 0;
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

TEST_P(ConnectionTest, WhoWaitsForAnEarlierAnswerHoldsNobodyUp) {
    // One that looked again and again would never let the test go on.
    env::spawn(client.core(0), talk({"e1", "p2", "w3"}, 3));
    ASSERT_TRUE(world.run_until([&] { return served == 3; }));
    world.run_for(1s);
    EXPECT_EQ(answers, (std::vector<std::string>{"e1"}));
    answer_parked(0);
    ASSERT_TRUE(world.run_until([&] { return ended; }));
    EXPECT_EQ(answers, (std::vector<std::string>{"e1", "p2", "w3"}));
}

TEST_P(ConnectionTest, ARequestHearsOfWhatComesBehindIt) {
    // The second has come with the first; the fourth comes while the third waits, is read beside it
    // and in two parts, and none of its bytes is lost.
    const std::string large = "e" + std::string(10'000, 'x');
    const auto converse = [&]() -> env::Task<void> {
        auto stream = co_await client.network().connect({"server", kPort}, client.core(0));
        co_await say(**stream, {"m1", "e2"});
        co_await collect(**stream, 2);
        co_await say(**stream, {"m3"});
        co_await client.sleep(client.core(0), 1s);
        EXPECT_EQ(served, 3);
        co_await say(**stream, {large});
        co_await collect(**stream, 4);
        ended = true;
    };
    env::spawn(client.core(0), converse());
    ASSERT_TRUE(world.run_until([&] { return ended; }));
    EXPECT_EQ(answers, (std::vector<std::string>{"m1", "e2", "m3", large}));
}

TEST_P(ConnectionTest, ARequestThatWaitsHearsOfTheEnd) {
    env::spawn(client.core(0), talk({"m1"}, 0));
    ASSERT_TRUE(world.run_until([&] { return ended && core->size() == 0; }));
    EXPECT_EQ(served, 1);
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

TEST_P(ConnectionTest, WhoWaitsForAnAnswerIsNotIdle) {
    env::spawn(client.core(0), talk({"p1"}, 2));
    ASSERT_TRUE(world.run_until([&] { return parked.size() == 1; }));
    world.run_for(11s);
    core->close_idle();
    world.run_for(1s);
    EXPECT_FALSE(ended);
    answer_parked(0);
    ASSERT_TRUE(world.run_until([&] { return answers.size() == 1; }));
    world.run_for(11s);
    core->close_idle();
    ASSERT_TRUE(world.run_until([&] { return ended; }));
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

TEST_P(ConnectionTest, WhoTakesNoAnswersIsServedNoMoreRequests) {
    const std::vector<std::string> words(60, "l");
    env::spawn(client.core(0), talk(words, words.size(), 5s));
    world.run_for(4s);
    // At most what fits the bound, one more, and what the network holds.
    EXPECT_GE(served, 1);
    EXPECT_LE(served, 20);
    ASSERT_TRUE(world.run_until([&] { return ended; }));
    EXPECT_EQ(answers.size(), words.size());
    EXPECT_EQ(served, 60);
}

TEST_P(ConnectionTest, WhatIsNotInMemoryIsReadInThePoolBeforeItIsSent) {
    env::spawn(client.core(0), talk({"f", "e2"}, 2));
    ASSERT_TRUE(world.run_until([&] { return ended; }));
    EXPECT_EQ(file->cold_reads_on_core(), 0);
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(answers[0], std::string(kFileBytes, 'f'));
}

TEST(ColdReads, EachLogDirectoryHasItsTurns) {
    ColdReads reads;
    const auto turns = reads.turns_for("/data/a/topic-0/00.log");
    EXPECT_EQ(reads.turns_for("/data/a/other-1/07.log"), turns);
    EXPECT_NE(reads.turns_for("/data/b/topic-0/00.log"), turns);
    EXPECT_EQ(reads.turns_for("00.log"), reads.turns_for("topic-0/00.log"));
    for (std::size_t i = 0; i < ColdReads::kDirectoriesMax; ++i)
        reads.turns_for("/data/" + std::to_string(i) + "/topic-0/00.log");
    EXPECT_EQ(reads.turns_for("/data/a/topic-0/00.log"), turns);
    EXPECT_EQ(reads.turns_for("/data/x/t-0/00.log"), reads.turns_for("/data/y/t-0/00.log"));
}

TEST_P(ConnectionTest, MovesToAnotherCoreWhenAllIsAnswered) {
    const auto converse = [&]() -> env::Task<void> {
        auto stream = co_await client.network().connect({"server", kPort}, client.core(0));
        co_await say(**stream, {"e1", "p2"});
        co_await collect(**stream, 2);
        co_await say(**stream, {"e3", "e4"});
        co_await collect(**stream, 4);
        (*stream)->close();
        ended = true;
    };
    env::spawn(client.core(0), converse());
    ASSERT_TRUE(world.run_until([&] { return parked.size() == 1; }));
    home = 1;
    world.run_for(1s);
    EXPECT_EQ(moves, 0);  // one answer is owed
    answer_parked(0);
    ASSERT_TRUE(world.run_until([&] { return moves == 1; }));
    EXPECT_EQ(core->size(), 0U);
    EXPECT_EQ(other_core->size(), 1U);
    ASSERT_TRUE(world.run_until([&] { return ended; }));
    EXPECT_EQ(answers, (std::vector<std::string>{"e1", "p2", "e3", "e4"}));
    ASSERT_TRUE(world.run_until([&] { return other_core->size() == 0; }));
}

TEST_P(ConnectionTest, NobodyWaitsForLongSoThatAConnectionCanMove) {
    const auto converse = [&]() -> env::Task<void> {
        auto stream = co_await client.network().connect({"server", kPort}, client.core(0));
        co_await say(**stream, {"p1"});
        co_await client.sleep(client.core(0), 1s);
        home = 1;
        co_await say(**stream, {"e2"});
        co_await collect(**stream, 2);
        ended = true;
    };
    env::spawn(client.core(0), converse());
    ASSERT_TRUE(world.run_until([&] { return served == 2; }));
    EXPECT_EQ(moves, 0);
    answer_parked(0);
    ASSERT_TRUE(world.run_until([&] { return ended; }));
    EXPECT_EQ(answers, (std::vector<std::string>{"p1", "e2"}));
}

TEST_P(ConnectionTest, MovesInTheMiddleOfAConversationLoseNoFrame) {
    std::vector<std::string> words;
    for (int i = 0; i < 300; ++i)
        words.push_back("e" + std::string(static_cast<std::size_t>(i * 37 % 5000), 'x'));
    const auto converse = [&]() -> env::Task<void> {
        auto stream = co_await client.network().connect({"server", kPort}, client.core(0));
        for (std::size_t i = 0; i < words.size(); i += 3) {
            const auto from = words.begin() + static_cast<std::ptrdiff_t>(i);
            co_await say(**stream, {from, from + 3});
            home = 1 - home;
            co_await collect(**stream, i + 2);  // one is on its way when the next come
        }
        co_await collect(**stream, words.size());
        ended = true;
    };
    env::spawn(client.core(0), converse());
    ASSERT_TRUE(world.run_until([&] { return ended; }));
    EXPECT_EQ(answers, words);
    EXPECT_GT(moves, 3);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ConnectionTest, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace milena::wire
