// SPDX-License-Identifier: Apache-2.0
// Power goes at any call that a node makes to its disk, its start included: again and again, a
// thousand times in all. What was acknowledged when every record is synced is there afterwards,
// nothing stands twice, and the node starts each time.
#include <set>

#include <gtest/gtest.h>

#include "../one_node.h"

// There are no such doors without a sanitizer.
extern "C" {
[[gnu::weak]] void __lsan_disable();
[[gnu::weak]] void __lsan_enable();
}

namespace milena::node {
namespace {

/// With every fifth one twice, twenty seeds make a thousand.
constexpr int kCrashes = 42;
/// Calls to the world after which the power goes, at most: a start takes some hundred.
constexpr std::uint64_t kCallsMax = 600;

class CrashesTest : public OneNode, public testing::TestWithParam<std::uint64_t> {
protected:
    CrashesTest()
        : OneNode(GetParam(), "log.flush.interval.messages=1\nlog.segment.bytes=1048576\n") {}

    /// Writes numbers one by one until the server does not answer any more.
    env::Task<void> write_until_it_ends(int life) {
        auto client = co_await Client::connect(machine, machine.core(0), {"server", 9092});
        if (!client) co_return;
        while (life == writers_life) {
            const std::int64_t number = next++;
            const auto taken = co_await write(**client, number);
            if (!taken) co_return;
            if (*taken) acknowledged.insert(number);
        }
    }

    /// Whether the record was taken; nothing if the connection has ended.
    static env::Task<std::optional<bool>> write(Client& client, std::int64_t number) {
        const auto batch = batch_of({std::to_string(number)});
        protocol::ProduceRequest request;
        request.acks = -1;
        request.timeout_ms = 10'000;
        std::array<protocol::ProduceRequest::PartitionProduceData, 1> parts;
        parts[0].records = protocol::Records(BytesView(batch));
        std::array<protocol::ProduceRequest::TopicProduceData, 1> topics;
        topics[0].name = "t";
        topics[0].partition_data = parts;
        request.topic_data = topics;
        const auto response = co_await client.call<protocol::ProduceResponse>(request, 9);
        if (!response) co_return std::nullopt;
        co_return response->responses[0].partition_responses[0].error_code == 0;
    }

    void lose_power_within(std::uint64_t calls) {
        server.faults().lose_power_at_call(machine.random().next() % calls);
        env::spawn(machine.core(0), write_until_it_ends(writers_life));
        // An answer that waits for its partitions holds itself; who is killed answers nobody.
        if (__lsan_disable != nullptr) __lsan_disable();
        world.run_until([this] { return server.faults().power_is_lost(); }, 60s);
        if (__lsan_enable != nullptr) __lsan_enable();
        ++writers_life;
        world.crash(server, sim::Crash::power);
        server.faults().clear();
        world.restart(server);
    }

    /// The numbers from an offset on, which may be more than one answer holds.
    std::vector<std::int64_t> read_from(std::size_t offset) {
        std::vector<std::int64_t> numbers;
        as_client([&](Client& client) -> env::Task<void> {
            for (;;) {
                const std::size_t at = offset + numbers.size();
                const auto more = co_await fetch(client, "t", static_cast<std::int64_t>(at));
                if (more.empty()) co_return;
                for (const std::string& value : more) numbers.push_back(std::stoll(value));
            }
        });
        return numbers;
    }

    /// Reads what came since the last check, and each tenth time everything. A record is written
    /// first: when it is acknowledged, what was recovered is synced too and may be read.
    void check(int crash) {
        as_client([this](Client& client) -> env::Task<void> {
            const std::int64_t number = next++;
            co_await produce(client, "t", {std::to_string(number)});
            acknowledged.insert(number);
        });
        const std::size_t from = crash % 10 == 9 ? 0 : settled.size();
        std::vector<std::int64_t> found(settled.begin(),
                                        settled.begin() + static_cast<std::ptrdiff_t>(from));
        std::ranges::copy(read_from(from), std::back_inserter(found));
        ASSERT_GE(found.size(), settled.size());
        ASSERT_TRUE(std::ranges::equal(settled, std::span(found).first(settled.size())));
        ASSERT_TRUE(std::ranges::adjacent_find(found, std::greater_equal<>()) == found.end())
            << "out of order, or twice";
        ASSERT_TRUE(std::ranges::includes(found, acknowledged));
        // What follows the last that was acknowledged may go with the next crash.
        if (!acknowledged.empty())
            found.erase(std::ranges::upper_bound(found, *acknowledged.rbegin()), found.end());
        settled = std::move(found);
    }

    /// Which of the server's lives a writer may write in.
    int writers_life = 0;
    std::int64_t next = 0;
    std::set<std::int64_t> acknowledged;
    /// What lay at each offset up to the last acknowledged record, at the last check.
    std::vector<std::int64_t> settled;
};

TEST_P(CrashesTest, WhatWasSyncedAndAcknowledgedSurvivesEachOfThem) {
    wait_until_started();
    as_client([](Client& client) -> env::Task<void> { co_await topic_id(client, "t"); });
    for (int crash = 0; crash < kCrashes; ++crash) {
        lose_power_within(kCallsMax);
        if (crash % 5 == 4) lose_power_within(200);  // in the middle of a start
        wait_until_started();
        ASSERT_NO_FATAL_FAILURE(check(crash)) << "after crash " << crash;
    }
    EXPECT_GT(acknowledged.size(), 100U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CrashesTest, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace milena::node
