// SPDX-License-Identifier: Apache-2.0
// What only real streams have: no allocation and no trip through the event loop where none is
// needed, and sockets set up as they should be.
#include <array>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "allocations.h"
#include "milena/env/env.h"

namespace milena::env {
namespace {

constexpr int kWarmUp = 200;
constexpr int kRounds = 2000;

using StreamPtr = std::unique_ptr<Stream>;

Task<bool> read_all(Stream& stream, MutableBytes into) {
    while (!into.empty()) {
        const auto got = co_await stream.read_some(into);
        if (!got || *got == 0) co_return false;
        into = into.subspan(*got);
    }
    co_return true;
}

/// One round trip, three coroutines deep as in a server: dispatch, handler, stream.
Task<bool> ping(Stream& stream, MutableBytes buffer) {
    const std::array<BytesView, 2> pieces{BytesView(buffer).first(10),
                                          BytesView(buffer).subspan(10)};
    if (!co_await stream.write(pieces)) co_return false;
    co_return co_await read_all(stream, buffer);
}

Task<bool> pong(Stream& stream, MutableBytes buffer) {
    if (!co_await read_all(stream, buffer)) co_return false;
    const BytesView piece = buffer;
    co_return (co_await stream.write(std::span(&piece, 1))).has_value();
}

struct Heap {
    std::uint64_t client = 0;
    std::uint64_t server = 0;
};

Task<void> serve(StreamPtr stream, Heap& heap) {
    std::array<std::byte, 100> buffer{};
    for (int i = 0; i < kWarmUp; ++i) co_await pong(*stream, buffer);
    const std::uint64_t before = allocations_of_this_thread();
    for (int i = 0; i < kRounds; ++i) co_await pong(*stream, buffer);
    heap.server = allocations_of_this_thread() - before;
    // The client's next read tells it that the number is there.
    stream->close();
}

Task<void> measure(RealEnv& env, Heap& heap) {
    const Executor here = env.core(0);
    const auto acceptor = env.network().listen({"localhost", 0}, here);
    const auto client =
        co_await env.network().connect({"localhost", (*acceptor)->local().port}, here);
    auto server = co_await (*acceptor)->accept(env.core(1));
    spawn(env.core(1), serve(*std::move(server), heap));
    std::array<std::byte, 100> buffer{};
    for (int i = 0; i < kWarmUp; ++i) EXPECT_TRUE(co_await ping(**client, buffer));
    const std::uint64_t before = allocations_of_this_thread();
    for (int i = 0; i < kRounds; ++i) co_await ping(**client, buffer);
    heap.client = allocations_of_this_thread() - before;
    EXPECT_FALSE(co_await read_all(**client, buffer));
    env.stop();
}

TEST(TcpStream, ARoundTripAllocatesNothing) {
    const std::uint64_t before = allocations_of_this_thread();
    const auto env = make_real_env(2);
    ASSERT_GT(allocations_of_this_thread(), before) << "the counter does not count";
    Heap heap;
    spawn(env->core(0), measure(*env, heap));
    env->run();
    EXPECT_EQ(heap.client, 0U);
    EXPECT_EQ(heap.server, 0U);
}

Task<void> read_what_is_there(RealEnv& env, bool& other_ran_first) {
    const Executor here = env.core(0);
    const auto acceptor = env.network().listen({"localhost", 0}, here);
    const auto client =
        co_await env.network().connect({"localhost", (*acceptor)->local().port}, here);
    const auto server = co_await (*acceptor)->accept(here);
    std::array<std::byte, 8> buffer{};
    const BytesView piece = buffer;
    EXPECT_TRUE(co_await (*client)->write(std::span(&piece, 1)));
    while (!(*server)->readable()) co_await env.sleep(here, std::chrono::milliseconds(1));

    bool has_run = false;
    post(here, [&has_run] { has_run = true; });
    EXPECT_TRUE(co_await read_all(**server, buffer));
    EXPECT_TRUE(co_await (*server)->write(std::span(&piece, 1)));
    other_ran_first = has_run;
    co_await env.sleep(here, std::chrono::milliseconds(1));
    EXPECT_TRUE(has_run);
    env.stop();
}

TEST(TcpStream, WhatIsThereIsReadAndWrittenWithoutGivingUpTheThread) {
    // Whatever else was ready on the core runs only after the read and the write have returned.
    const auto env = make_real_env(1);
    bool other_ran_first = true;
    spawn(env->core(0), read_what_is_there(*env, other_ran_first));
    env->run();
    EXPECT_FALSE(other_ran_first);
}

Task<void> read_without_end(RealEnv& env, int& turns_of_others) {
    const Executor here = env.core(0);
    const auto acceptor = env.network().listen({"localhost", 0}, here);
    const auto client =
        co_await env.network().connect({"localhost", (*acceptor)->local().port}, here);
    const auto server = co_await (*acceptor)->accept(here);
    const std::vector<std::byte> much(1000);
    const BytesView piece = much;
    EXPECT_TRUE(co_await (*client)->write(std::span(&piece, 1)));
    while (!(*server)->readable()) co_await env.sleep(here, std::chrono::milliseconds(1));

    std::function<void()> other = [&] {
        ++turns_of_others;
        post(here, other);
    };
    post(here, other);
    std::array<std::byte, 1> byte{};
    for (std::size_t i = 0; i < much.size(); ++i) EXPECT_TRUE(co_await read_all(**server, byte));
    env.stop();
}

TEST(TcpStream, AClientThatNeverPausesLeavesOthersTheirTurn) {
    // A thousand bytes that are all there, read one by one: others run every 64 reads or so.
    const auto env = make_real_env(1);
    int turns_of_others = 0;
    spawn(env->core(0), read_without_end(*env, turns_of_others));
    env->run();
    EXPECT_GE(turns_of_others, 1000 / 64 - 1);
    EXPECT_LE(turns_of_others, 1000 / 32);
}

/// Round trips with a server that goes to the other core after each.
Task<void> go_to_and_fro(RealEnv& env, int& round_trips) {
    const Executor here = env.core(0);
    const auto acceptor = env.network().listen({"localhost", 0}, here);
    const auto client =
        co_await env.network().connect({"localhost", (*acceptor)->local().port}, here);
    const auto server = co_await (*acceptor)->accept(env.core(1));
    std::array<std::byte, 100> buffer{};
    for (std::size_t round = 0; round < 20; ++round) {
        std::array<std::byte, 100> answer{};
        const auto served = std::make_shared<bool>(false);
        spawn(env.core((round + 1) % 2),
              [](Stream& stream, std::shared_ptr<bool> done) -> Task<void> {
                  std::array<std::byte, 100> memory{};
                  *done = co_await pong(stream, memory);
              }(**server, served));
        buffer.fill(static_cast<std::byte>(round));
        const BytesView piece = buffer;
        EXPECT_TRUE(co_await (*client)->write(std::span(&piece, 1)));
        EXPECT_TRUE(co_await read_all(**client, answer));
        EXPECT_EQ(answer, buffer);
        co_await run_on(env.core((round + 1) % 2), [](std::shared_ptr<bool> done) -> Task<void> {
            EXPECT_TRUE(*done);
            co_return;
        }(served));
        EXPECT_TRUE((*server)->move_to(env.core(round % 2)));
        ++round_trips;
    }
    env.stop();
}

TEST(TcpStream, GoesOnOnTheCoreThatItIsMovedTo) {
    const auto env = make_real_env(2);
    int round_trips = 0;
    spawn(env->core(0), go_to_and_fro(*env, round_trips));
    env->run();
    EXPECT_EQ(round_trips, 20);
}

Task<void> move_closed(RealEnv& env) {
    const Executor here = env.core(0);
    const auto acceptor = env.network().listen({"localhost", 0}, here);
    const auto client =
        co_await env.network().connect({"localhost", (*acceptor)->local().port}, here);
    (*client)->close();
    EXPECT_FALSE((*client)->move_to(env.core(1)));
    env.stop();
}

TEST(TcpStream, OneThatIsClosedCanNotMove) {
    const auto env = make_real_env(2);
    spawn(env->core(0), move_closed(*env));
    env->run();
}

}  // namespace
}  // namespace milena::env
