// SPDX-License-Identifier: Apache-2.0
// A law of the whole node, over real sockets and files: once it has warmed up, serving a Produce or
// a Fetch takes no memory. The sanitizer's hook counts what the threads that serve connections take
// from the allocator, by whatever door; the client is the test's own thread and not counted.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "milena/node/node.h"
#include "milena/protocol/codec.h"
#include "milena/protocol/header.h"
#include "milena/protocol/messages/fetch.h"
#include "milena/protocol/messages/metadata.h"
#include "milena/protocol/messages/produce.h"
#include "milena/record/records.h"

// There is no such door without a sanitizer.
extern "C" {
[[gnu::weak]] int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void*, std::size_t),
    void (*free_hook)(const volatile void*));
[[gnu::weak]] void __sanitizer_print_stack_trace();
}

namespace milena::node {
namespace {

std::atomic<std::int64_t> taken = 0;
/// Stacks to print; for whoever looks for what takes memory.
std::atomic<int> stacks_left = 0;
thread_local bool serves = false;

void count_taken(const volatile void*, std::size_t) {
    if (!serves) return;
    ++taken;
    if (stacks_left <= 0) return;
    --stacks_left;
    serves = false;
    __sanitizer_print_stack_trace();
    serves = true;
}
void count_freed(const volatile void*) {}

/// One that nobody listens on, below those that the system gives to clients.
std::uint16_t free_port() {
    static std::uint16_t next = static_cast<std::uint16_t>(20'000 + ::getpid() % 10'000);
    for (;;) {
        const std::uint16_t port = next++;
        const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
        ::sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int bound = ::bind(probe, reinterpret_cast<::sockaddr*>(&address), sizeof address);
        ::close(probe);
        if (bound == 0) return port;
    }
}

/// A blocking client that sends the same frame again and again.
class Client {
public:
    explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        ::sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(socket_, reinterpret_cast<::sockaddr*>(&address), sizeof address), 0);
    }
    ~Client() { ::close(socket_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    template <class Request>
    static std::vector<std::byte> frame_of(const Request& request, std::int16_t version) {
        const protocol::Api& api = *protocol::find_api(Request::kApiKey);
        protocol::RequestHeader header;
        header.request_api_key = Request::kApiKey;
        header.request_api_version = version;
        header.correlation_id = 1;
        header.client_id = "test";
        const std::size_t size =
            protocol::request_head_size(api, header) + *protocol::encoded_size(request, version);
        std::vector<std::byte> frame(4 + size);
        ByteWriter writer(frame);
        writer.write(static_cast<std::int32_t>(size));
        protocol::write_request_head(api, header, writer);
        protocol::write(request, version, writer);
        return frame;
    }

    void send(BytesView frame) const {
        EXPECT_EQ(::send(socket_, frame.data(), frame.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(frame.size()));
    }
    BytesView receive() {
        receive_exactly(4);
        receive_exactly(load<std::uint32_t>(received_.data()));
        return received_;
    }
    template <class Response>
    Response receive(std::int16_t version) {
        ByteReader reader(receive());
        EXPECT_TRUE(
            protocol::read_response_head(*protocol::find_api(Response::kApiKey), version, reader));
        auto body = protocol::decode<Response>(reader, version, arena_);
        EXPECT_TRUE(body.has_value());
        return *body;
    }
    void exchange(BytesView frame) {
        send(frame);
        receive();
    }

private:
    void receive_exactly(std::size_t count) {
        received_.resize(count);
        for (std::size_t have = 0; have < count;) {
            const ssize_t more = ::recv(socket_, received_.data() + have, count - have, 0);
            if (more <= 0) {
                ADD_FAILURE() << "the connection has ended";
                return;
            }
            have += static_cast<std::size_t>(more);
        }
    }

    int socket_;
    std::vector<std::byte> received_;
    protocol::Arena arena_;
};

/// A node on threads of its own.
class RunningNode {
public:
    RunningNode() {
        EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
        const auto loaded = config::parse_broker_config(
            "server.properties",
            fmt::format("process.roles=broker,controller\nnode.id=1\n"
                        "listeners=PLAINTEXT://127.0.0.1:{0},CONTROLLER://127.0.0.1:{1}\n"
                        "controller.listener.names=CONTROLLER\n"
                        "controller.quorum.bootstrap.servers=127.0.0.1:{1}\nlog.dirs={2}\n",
                        port, free_port(), folder_ + "/data"),
            "localhost");
        EXPECT_TRUE(loaded.has_value());
        NodeOptions options;
        options.config = loaded->config;
        options.make_state_store = storage::open_state_store;
        node_ = Node::make(*env_, std::move(options));
        std::promise<bool> started;
        env::spawn(env_->control(), [](Node& node, std::promise<bool>& done) -> env::Task<void> {
            const auto outcome = co_await node.start();
            done.set_value(outcome.has_value());
        }(*node_, started));
        thread_ = std::thread([this] { env_->run(); });
        EXPECT_TRUE(started.get_future().get());
        env::post(env_->core(0), [] { serves = true; });
    }
    ~RunningNode() {
        env::post(env_->core(0), [] { serves = false; });
        env::spawn(env_->control(), [](Node& node, env::RealEnv& env) -> env::Task<void> {
            co_await node.stop();
            env.stop();
        }(*node_, *env_));
        thread_.join();
        std::filesystem::remove_all(folder_);
    }
    RunningNode(const RunningNode&) = delete;
    RunningNode& operator=(const RunningNode&) = delete;

    const std::uint16_t port = free_port();

private:
    std::string folder_ = (std::filesystem::temp_directory_path() / "node-XXXXXX").string();
    std::unique_ptr<env::RealEnv> env_ = env::make_real_env(1);
    std::unique_ptr<Node> node_;
    std::thread thread_;
};

class SteadyState : public testing::Test {
protected:
    static constexpr int kWarmUp = 200;
    static constexpr int kRequests = 5'000;
    /// The active segment's indexes are in memory and double until they have a block of 4 KiB, once
    /// in the life of a partition.
    static constexpr int kIndexGrowth = 10;

    static void SetUpTestSuite() {
        if (&__sanitizer_install_malloc_and_free_hooks == nullptr)
            GTEST_SKIP() << "built without a sanitizer";
        static const int installed =
            __sanitizer_install_malloc_and_free_hooks(count_taken, count_freed);
        ASSERT_NE(installed, 0);
    }

    void SetUp() override {
        protocol::MetadataRequest request;
        std::array<protocol::MetadataRequest::MetadataRequestTopic, 1> topics;
        topics[0].name = "t";
        request.topics = topics;
        client.exchange(Client::frame_of(request, 9));
    }

    static std::vector<std::byte> produce(std::int16_t acks) {
        record::BatchBuilder builder(
            {.base_offset = Offset(0), .timestamp = record::Timestamp(1'700'000'000'000)});
        builder.append(std::nullopt, as_bytes("a record"));
        const auto batch = std::move(builder).finish();
        protocol::ProduceRequest request;
        request.acks = acks;
        request.timeout_ms = 10'000;
        std::array<protocol::ProduceRequest::PartitionProduceData, 1> parts;
        parts[0].records = protocol::Records(BytesView(batch));
        std::array<protocol::ProduceRequest::TopicProduceData, 1> topics;
        topics[0].name = "t";
        topics[0].partition_data = parts;
        request.topic_data = topics;
        return Client::frame_of(request, 9);
    }

    struct Fetched {
        std::int64_t offset = 0;
        std::int32_t max_wait_ms = 0;
        std::int32_t session_id = 0;
        std::int32_t session_epoch = -1;
        std::int32_t partition = 0;
        bool names_partition = true;
        bool forgets = false;  ///< names it among the forgotten
    };
    static std::vector<std::byte> fetch(const Fetched& what) {
        protocol::FetchRequest request;
        request.max_wait_ms = what.max_wait_ms;
        request.min_bytes = 1;
        request.session_id = what.session_id;
        request.session_epoch = what.session_epoch;
        std::array<protocol::FetchRequest::FetchPartition, 1> parts;
        parts[0].partition = what.partition;
        parts[0].fetch_offset = what.offset;
        parts[0].partition_max_bytes = 1000;
        std::array<protocol::FetchRequest::FetchTopic, 1> topics;
        topics[0].topic = "t";
        topics[0].partitions = parts;
        if (what.names_partition && !what.forgets) request.topics = topics;
        const std::array<std::int32_t, 1> forgotten{what.partition};
        std::array<protocol::FetchRequest::ForgottenTopic, 1> forgotten_topics;
        forgotten_topics[0].topic = "t";
        forgotten_topics[0].partitions = forgotten;
        if (what.forgets) request.forgotten_topics_data = forgotten_topics;
        return Client::frame_of(request, 11);
    }

    /// Allocations of the serving thread while `exchange(i)` runs `requests` times.
    static std::int64_t taken_by(const std::function<void(int)>& exchange,
                                 int requests = kRequests) {
        for (int i = 0; i < kWarmUp; ++i) exchange(i);
        const std::int64_t before = taken;
        if (const char* const stacks = std::getenv("STACKS")) stacks_left = std::atoi(stacks);
        for (int i = kWarmUp; i < kWarmUp + requests; ++i) exchange(i);
        stacks_left = 0;
        return taken - before;
    }

    /// The same of several rounds the least. What every request takes shows in every round; but a
    /// busy machine makes rounds so long that other loops of the thread run in them, which share
    /// its memory for handlers; and a write may be slow, and the next ones are made in a pool then,
    /// which is no steady state.
    static std::int64_t least_taken_by(const std::function<void(int)>& exchange,
                                       std::int64_t allowed) {
        constexpr int kRounds = 20;
        constexpr int kRequestsOfARound = 250;
        std::int64_t least = taken_by(exchange);
        for (int round = 0; round < kRounds && least > allowed; ++round)
            least = std::min(least, taken_by(exchange, kRequestsOfARound));
        return least;
    }

    RunningNode node;
    Client client{node.port};
};

TEST_F(SteadyState, AProduceTakesNoMemory) {
    for (const std::int16_t acks : std::array<std::int16_t, 2>{1, -1}) {
        const auto frame = produce(acks);
        EXPECT_LE(least_taken_by([&](int) { client.exchange(frame); }, kIndexGrowth), kIndexGrowth)
            << acks;
    }
}

TEST_F(SteadyState, AFetchTakesNoMemory) {
    for (int i = 0; i < 10; ++i) client.exchange(produce(1));
    EXPECT_EQ(
        least_taken_by([frame = fetch({.offset = 5}), this](int) { client.exchange(frame); }, 0),
        0);
    EXPECT_EQ(
        least_taken_by([frame = fetch({.offset = 10}), this](int) { client.exchange(frame); }, 0),
        0)
        << "of nothing";
}

TEST_F(SteadyState, AFetchOfASessionTakesNoMemory) {
    for (int i = 0; i < 10; ++i) client.exchange(produce(1));
    client.send(fetch({.session_epoch = 0}));
    const std::int32_t id = client.receive<protocol::FetchResponse>(11).session_id;
    ASSERT_NE(id, 0);
    int epoch = 0;
    EXPECT_EQ(least_taken_by(
                  [&](int i) {
                      client.exchange(
                          fetch({.offset = i % 10, .session_id = id, .session_epoch = ++epoch}));
                  },
                  0),
              0);
    EXPECT_EQ(least_taken_by(
                  [&](int) {
                      client.exchange(fetch(
                          {.session_id = id, .session_epoch = ++epoch, .names_partition = false}));
                  },
                  0),
              0)
        << "without partitions";
}

TEST_F(SteadyState, APartitionThatLeavesItsSessionAndComesBackTakesNoMemory) {
    // Which is what Java's consumer does while it has records at hand. A partition that does not
    // exist keeps the session alive meanwhile.
    client.send(fetch({.session_epoch = 0, .partition = 7}));
    const std::int32_t id = client.receive<protocol::FetchResponse>(11).session_id;
    int epoch = 0;
    EXPECT_EQ(least_taken_by(
                  [&](int i) {
                      client.exchange(fetch(
                          {.session_id = id, .session_epoch = ++epoch, .forgets = i % 2 == 1}));
                  },
                  0),
              0);
}

TEST_F(SteadyState, AFetchThatWaitsTakesNoMemory) {
    Client producer(node.port);
    const auto batch = produce(1);
    const auto wait_for = [&](int offset, std::int32_t id, std::int32_t epoch) {
        client.send(fetch(
            {.offset = offset, .max_wait_ms = 10'000, .session_id = id, .session_epoch = epoch}));
        producer.exchange(batch);
        client.receive();
    };
    int offset = 0;
    EXPECT_LE(least_taken_by([&](int) { wait_for(offset++, 0, -1); }, kIndexGrowth), kIndexGrowth)
        << "without a session";
    client.send(fetch({.offset = offset, .session_epoch = 0}));
    const std::int32_t id = client.receive<protocol::FetchResponse>(11).session_id;
    int epoch = 0;
    EXPECT_LE(least_taken_by([&](int) { wait_for(offset++, id, ++epoch); }, kIndexGrowth),
              kIndexGrowth)
        << "of a session";
}

}  // namespace
}  // namespace milena::node
