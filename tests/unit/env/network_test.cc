// SPDX-License-Identifier: Apache-2.0
// The contract of streams, in both worlds. Real ones talk over the loopback.
#include <array>
#include <vector>

#include "contract.h"

namespace milena::env {
namespace {

using std::chrono::milliseconds;
using StreamPtr = std::unique_ptr<Stream>;

/// Until `count` bytes, the end, or an error.
Task<std::string> read_text(Stream& stream, std::size_t count) {
    std::string text;
    std::vector<std::byte> buffer(64 << 10);
    while (text.size() < count) {
        const auto got = co_await stream.read_some(
            MutableBytes(buffer).first(std::min(buffer.size(), count - text.size())));
        if (!got || *got == 0) break;
        text += as_text(BytesView(buffer).first(*got));
    }
    co_return text;
}

Task<Result<void>> write_text(Stream& stream, std::string_view text) {
    const BytesView piece = as_bytes(text);
    co_return co_await stream.write(std::span(&piece, 1));
}

std::string pattern(std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i * 7 % 26);
    return text;
}

class StreamsContract : public EnvContract {
protected:
    struct Pair {
        StreamPtr client;
        StreamPtr server;
    };

    Executor here() { return env().core(0); }

    std::unique_ptr<Acceptor> listen(const std::string& host = "localhost") {
        auto acceptor = env().network().listen({host, 0}, here());
        EXPECT_TRUE(acceptor) << acceptor.error().why;
        return *std::move(acceptor);
    }
    Task<Pair> connect_pair() {
        const auto acceptor = listen();
        auto client =
            co_await env().network().connect({"localhost", acceptor->local().port}, here());
        EXPECT_TRUE(client) << client.error().why;
        auto server = co_await acceptor->accept(here());
        EXPECT_TRUE(server) << server.error().why;
        co_return Pair(*std::move(client), *std::move(server));
    }
};
RUN_ON_BOTH(StreamsContract);

TEST_P(StreamsContract, CarriesBytesBothWays) {
    run([this]() -> Task<void> {
        const Pair pair = co_await connect_pair();
        EXPECT_TRUE(co_await write_text(*pair.client, "hello"));
        EXPECT_EQ(co_await read_text(*pair.server, 5), "hello");
        EXPECT_TRUE(co_await write_text(*pair.server, "world"));
        EXPECT_EQ(co_await read_text(*pair.client, 5), "world");
    });
}

TEST_P(StreamsContract, EndsKnowEachOther) {
    run([this]() -> Task<void> {
        const Pair pair = co_await connect_pair();
        EXPECT_EQ(pair.client->remote().port, pair.server->local().port);
        EXPECT_EQ(pair.client->local().port, pair.server->remote().port);
        EXPECT_EQ(pair.client->local().host, pair.server->remote().host);
    });
}

TEST_P(StreamsContract, WritesManyPiecesInOrder) {
    run([this]() -> Task<void> {
        const Pair pair = co_await connect_pair();
        const std::string text = pattern(5000);
        std::vector<BytesView> pieces;
        for (std::size_t i = 0; i < text.size(); i += 50) {
            pieces.push_back(as_bytes(std::string_view(text).substr(i, 50)));
            pieces.emplace_back();
        }
        EXPECT_TRUE(co_await pair.client->write(pieces));
        EXPECT_EQ(co_await read_text(*pair.server, text.size()), text);
        EXPECT_TRUE(co_await pair.client->write({}));
    });
}

TEST_P(StreamsContract, MuchMoreThanTheBuffersHoldArrivesWhole) {
    run([this]() -> Task<void> {
        const Pair pair = co_await connect_pair();
        const std::string text = pattern(20U << 20);
        bool is_written = false;
        spawn(here(), [](Stream& to, const std::string& what, bool& done) -> Task<void> {
            EXPECT_TRUE(co_await write_text(to, what));
            done = true;
        }(*pair.client, text, is_written));
        co_await env().sleep(here(), milliseconds(10));
        EXPECT_FALSE(is_written);  // the writer waits for the reader
        EXPECT_TRUE(co_await read_text(*pair.server, text.size()) == text);
        while (!is_written) co_await env().sleep(here(), milliseconds(1));
    });
}

TEST_P(StreamsContract, AReadWaitsForTheWrite) {
    run([this]() -> Task<void> {
        const Pair pair = co_await connect_pair();
        EXPECT_FALSE(pair.server->readable());
        spawn(here(), [](Env& world, Executor on, Stream& to) -> Task<void> {
            co_await world.sleep(on, milliseconds(10));
            EXPECT_TRUE(co_await write_text(to, "x"));
        }(env(), here(), *pair.client));
        EXPECT_EQ(co_await read_text(*pair.server, 1), "x");
        EXPECT_FALSE(pair.server->readable());
    });
}

TEST_P(StreamsContract, ReadableTellsOfBytesAndOfTheEnd) {
    run([this]() -> Task<void> {
        const Pair pair = co_await connect_pair();
        EXPECT_TRUE(co_await write_text(*pair.client, "x"));
        while (!pair.server->readable()) co_await env().sleep(here(), milliseconds(1));
        EXPECT_EQ(co_await read_text(*pair.server, 1), "x");
        pair.client->close();
        while (!pair.server->readable()) co_await env().sleep(here(), milliseconds(1));
        std::array<std::byte, 1> into{};
        EXPECT_EQ(*co_await pair.server->read_some(into), 0U);
    });
}

TEST_P(StreamsContract, TheEndComesAfterAllBytes) {
    run([this]() -> Task<void> {
        Pair pair = co_await connect_pair();
        EXPECT_TRUE(co_await write_text(*pair.client, "last words"));
        pair.client.reset();
        EXPECT_EQ(co_await read_text(*pair.server, 100), "last words");
    });
}

TEST_P(StreamsContract, CloseEndsAReadThatWaits) {
    run([this]() -> Task<void> {
        const Pair pair = co_await connect_pair();
        post(here(), [&pair] { pair.server->close(); });
        std::array<std::byte, 1> into{};
        const auto read = co_await pair.server->read_some(into);
        EXPECT_FALSE(read);
        EXPECT_EQ(read.error().code, ErrorCode::network_exception);
        const auto again = co_await pair.server->read_some(into);
        EXPECT_FALSE(again);
        EXPECT_FALSE(co_await write_text(*pair.server, "x"));
        EXPECT_FALSE(pair.server->readable());
        pair.server->close();
    });
}

TEST_P(StreamsContract, DestroyingAStreamEndsItsReadAndItsWrite) {
    run([this]() -> Task<void> {
        Pair pair = co_await connect_pair();
        int ended = 0;
        spawn(here(), [](Stream& from, int& count) -> Task<void> {
            std::array<std::byte, 1> into{};
            EXPECT_FALSE(co_await from.read_some(into));
            ++count;
        }(*pair.server, ended));
        spawn(here(), [](Stream& to, int& count) -> Task<void> {
            EXPECT_FALSE(co_await write_text(to, pattern(20U << 20)));
            ++count;
        }(*pair.server, ended));
        co_await env().sleep(here(), milliseconds(10));
        pair.server.reset();
        while (ended < 2) co_await env().sleep(here(), milliseconds(1));
    });
}

TEST_P(StreamsContract, WritingToAPeerThatClosedFailsSoon) {
    run([this]() -> Task<void> {
        Pair pair = co_await connect_pair();
        pair.server.reset();
        Result<void> written = ok();
        for (int i = 0; i < 100 && written; ++i) {
            written = co_await write_text(*pair.client, "are you there");
            co_await env().sleep(here(), milliseconds(5));
        }
        EXPECT_FALSE(written);
    });
}

TEST_P(StreamsContract, SendsAPartOfAFile) {
    run([this]() -> Task<void> {
        const Pair pair = co_await connect_pair();
        const std::string text = pattern(3U << 20);
        const auto file = env().files().open(directory() + "/f", OpenMode::create);
        EXPECT_TRUE((*file)->write_at(0, as_bytes(text)));
        spawn(here(), [](Stream& to, const File& from) -> Task<void> {
            EXPECT_TRUE(co_await to.send_file(from, 1000, 2U << 20));
            EXPECT_TRUE(co_await to.send_file(from, 0, 0));
            EXPECT_TRUE(co_await write_text(to, "."));
        }(*pair.server, **file));
        EXPECT_TRUE(co_await read_text(*pair.client, (2U << 20) + 1) ==
                    text.substr(1000, 2U << 20) + ".");
    });
}

TEST_P(StreamsContract, AFileThatEndsEarlyIsAnError) {
    run([this]() -> Task<void> {
        const Pair pair = co_await connect_pair();
        const auto file = env().files().open(directory() + "/f", OpenMode::create);
        EXPECT_TRUE((*file)->write_at(0, as_bytes("short")));
        EXPECT_FALSE(co_await pair.server->send_file(**file, 2, 4));
    });
}

TEST_P(StreamsContract, ConnectIsRefusedWhereNobodyListens) {
    run([this]() -> Task<void> {
        const std::uint16_t port = listen()->local().port;  // closed by now
        const Endpoint nowhere{"localhost", port};
        const auto stream = co_await env().network().connect(nowhere, here());
        EXPECT_FALSE(stream);
        EXPECT_EQ(stream.error().why, "connect to " + nowhere.text() + ": Connection refused");
        EXPECT_TRUE(is_connection_refused(stream.error()));
        EXPECT_TRUE(is_connection_refused(Result<void>(fail_at("n1", stream.error())).error()));
    });
}

TEST_P(StreamsContract, AnUnknownHostIsAnError) {
    run([this]() -> Task<void> {
        const auto stream =
            co_await env().network().connect({"no.such.host.invalid", 9092}, here());
        EXPECT_FALSE(stream);
        EXPECT_FALSE(is_connection_refused(stream.error()));
        EXPECT_EQ(stream.error().code, ErrorCode::network_exception);
        EXPECT_FALSE(env().network().listen({"no.such.host.invalid", 0}, here()));
    });
}

TEST_P(StreamsContract, APortHasOneListener) {
    run([this]() -> Task<void> {
        const auto acceptor = listen();
        const Endpoint taken{"localhost", acceptor->local().port};
        const auto second = env().network().listen(taken, here());
        EXPECT_FALSE(second);
        EXPECT_EQ(second.error().why, "listen on " + taken.text() + ": Address already in use");
        co_return;
    });
}

TEST_P(StreamsContract, AnEmptyHostListensEverywhere) {
    run([this]() -> Task<void> {
        const auto acceptor = listen("");
        const auto client =
            co_await env().network().connect({"localhost", acceptor->local().port}, here());
        EXPECT_TRUE(client) << client.error().why;
        const auto by_number =
            co_await env().network().connect({"127.0.0.1", acceptor->local().port}, here());
        EXPECT_TRUE(by_number) << by_number.error().why;
        for (int i = 0; i < 2; ++i) {
            const auto server = co_await acceptor->accept(here());
            EXPECT_TRUE(server);
            // An IPv4 client of an IPv6 socket is shown as the IPv4 client that it is.
            EXPECT_FALSE((*server)->remote().host.starts_with("::ffff:"))
                << (*server)->remote().host;
        }
    });
}

TEST_P(StreamsContract, CloseEndsAnAcceptThatWaits) {
    run([this]() -> Task<void> {
        const auto acceptor = listen();
        post(here(), [&acceptor] { acceptor->close(); });
        const auto stream = co_await acceptor->accept(here());
        EXPECT_FALSE(stream);
        EXPECT_FALSE(is_retriable(stream.error().code));
        const auto again = co_await acceptor->accept(here());
        EXPECT_FALSE(again);
    });
}

TEST_P(StreamsContract, DestroyingAnAcceptorEndsAnAcceptThatWaits) {
    run([this]() -> Task<void> {
        auto acceptor = listen();
        post(here(), [&acceptor] { acceptor.reset(); });
        EXPECT_FALSE(co_await acceptor->accept(here()));
    });
}

TEST_P(StreamsContract, ConnectionsAreDealtToOtherCores) {
    run([this]() -> Task<void> {
        const auto acceptor = listen();
        auto client =
            co_await env().network().connect({"localhost", acceptor->local().port}, here());
        auto server = co_await acceptor->accept(env().core(1));
        EXPECT_TRUE(server);
        spawn(env().core(1), [](StreamPtr stream) -> Task<void> {
            const std::string text = co_await read_text(*stream, 4);
            EXPECT_TRUE(co_await write_text(*stream, text));
        }(*std::move(server)));
        EXPECT_TRUE(co_await write_text(**client, "ping"));
        EXPECT_EQ(co_await read_text(**client, 4), "ping");
    });
}

TEST_P(StreamsContract, ConnectGivesUpInTime) {
    // A backlog that nobody serves is no answer in the real world; a time that has passed is none
    // in both.
    run([this]() -> Task<void> {
        const auto acceptor = listen();
        const Endpoint there{"localhost", acceptor->local().port};
        const Instant now = env().clock().now();
        EXPECT_TRUE(co_await env().network().connect(there, here(), now + std::chrono::seconds(5)));
        const auto late = co_await env().network().connect(there, here(), now - milliseconds(1));
        EXPECT_FALSE(late);
    });
}

TEST(Endpoint, PrintsIpv6InBrackets) {
    EXPECT_EQ((Endpoint{"broker-1", 9092}.text()), "broker-1:9092");
    EXPECT_EQ((Endpoint{"::1", 9092}.text()), "[::1]:9092");
}

}  // namespace
}  // namespace milena::env
