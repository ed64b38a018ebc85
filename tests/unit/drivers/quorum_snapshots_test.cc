// SPDX-License-Identifier: Apache-2.0
// Snapshots of a quorum that runs: written while it goes on, found by the next start, and what they
// make superfluous goes.
#include <gtest/gtest.h>

#include "milena/drivers/quorum.h"
#include "milena/raft/snapshot.h"
#include "sim/world.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;

constexpr const char* kDirectory = "/data/__cluster_metadata-0";
const Uuid kDirectoryId{0x77, 0x4000};

/// The sum of what it heard: each record is a number. A state that fits into one record.
class Adder : public QuorumListener {
public:
    void on_snapshot(const MetadataSnapshot& snapshot) override {
        if (snapshot.end_offset == Offset(0)) return;
        for (const MetadataBatch& batch : snapshot.batches) sum = number(batch.values.at(0));
        snapshot_end = next = snapshot.end_offset;
        epoch = snapshot.epoch;
    }
    void on_committed(std::span<const MetadataBatch> batches) override {
        for (const MetadataBatch& batch : batches) {
            EXPECT_EQ(batch.base_offset, next) << "a gap";
            EXPECT_GT(batch.bytes, 61u);
            next = batch.last_offset.next();
            epoch = batch.epoch;
            for (const BytesView value : batch.values) sum += number(value);
        }
    }
    void on_leader_change(LeaderEpoch at, BrokerId, bool self) override {
        leads = self;
        leads_epoch = at;
    }
    void on_failed(const Error& why) override { failure = why; }

    static std::int64_t number(BytesView value) { return load<std::int64_t>(value.data()); }
    static std::vector<std::byte> value(std::int64_t number) {
        std::vector<std::byte> bytes(100);
        store(bytes.data(), number);
        return bytes;
    }
    /// What it is now, as a snapshot.
    SnapshotContent content() const {
        return {.end_offset = next,
                .epoch = epoch,
                .last_contained_timestamp = last,
                .records = [sum = sum](const RecordSink& sink) { sink(value(sum)); }};
    }

    std::int64_t sum = 0;
    Offset snapshot_end{-1};
    Offset next;
    LeaderEpoch epoch;
    LeaderEpoch leads_epoch;
    Timestamp last{1};  ///< of its snapshots
    bool leads = false;
    std::optional<Error> failure;
};

class QuorumSnapshotsTest : public ::testing::Test {
public:
    static void format(sim::Node& machine) {
        const raft::VoterSet voters({{.key = {BrokerId(1), kDirectoryId},
                                      .endpoints = {{"CONTROLLER", "localhost", 9093}}}});
        ASSERT_TRUE(machine.files().create_directories("/data"));
        ASSERT_TRUE(machine.files().sync_directory("/"));
        ASSERT_TRUE(raft::write_bootstrap_snapshot(
            machine.files(), kDirectory, {.voters = voters, .records = {}, .now = Timestamp(1)}));
    }
    static QuorumOptions options() {
        QuorumOptions options;
        options.directory = kDirectory;
        options.node_id = BrokerId(1);
        options.directory_id = kDirectoryId;
        options.segment_bytes = 1000;
        options.retention_bytes = 2000;
        return options;
    }
    struct Running {
        Adder heard;
        Quorum* quorum = nullptr;
    };
    std::unique_ptr<Running> start(sim::Node& machine, QuorumOptions with = options()) {
        auto opened = Quorum::open(machine, Logger(), std::move(with));
        if (!opened) return nullptr;
        auto running = std::make_unique<Running>();
        // It is part of the process, and ends with it.
        std::shared_ptr<Quorum> process = *std::move(opened);
        running->quorum = process.get();
        machine.keep(std::move(process));
        running->quorum->start({&running->heard});
        world.run_until([&] { return running->heard.leads || running->heard.failure; }, 1s);
        return running;
    }
    void stop(sim::Node& machine, Running& running) {
        ASSERT_TRUE(world.run(machine, env::run_on(machine.control(), running.quorum->stop())));
    }
    /// Commits `number`; false if that can't be.
    bool add(Running& running, std::int64_t number) {
        if (!running.heard.leads || running.heard.failure) return false;
        const auto range =
            running.quorum->schedule(running.heard.leads_epoch, {Adder::value(number)});
        return range &&
               world.run_until([&] { return running.heard.next > range->last_offset; }, 1s);
    }
    /// Begins to write a snapshot; the outcome is in the optional when it is there.
    using Outcome = std::shared_ptr<std::optional<Result<std::uint64_t>>>;
    static Outcome write(sim::Node& machine, Running& running) {
        const auto outcome = std::make_shared<std::optional<Result<std::uint64_t>>>();
        env::spawn(machine.control(),
                   [](Quorum* quorum, SnapshotContent content, Outcome into) -> env::Task<void> {
                       *into = co_await quorum->write_snapshot(std::move(content));
                   }(running.quorum, running.heard.content(), outcome));
        return outcome;
    }
    bool write_and_wait(sim::Node& machine, Running& running) {
        const Outcome outcome = write(machine, running);
        return world.run_until([&] { return outcome->has_value(); }, 1s) && **outcome;
    }

    sim::World world{1};
    sim::Node& node = world.add_node("n1");
};

TEST_F(QuorumSnapshotsTest, AStartGoesOnFromTheNewest) {
    format(node);
    auto running = start(node);
    ASSERT_TRUE(running);
    for (int i = 1; i <= 10; ++i) ASSERT_TRUE(add(*running, i));
    ASSERT_TRUE(write_and_wait(node, *running));
    const Offset end = running->heard.next;
    EXPECT_EQ(running->quorum->newest_snapshot()->end_offset, end);
    ASSERT_TRUE(add(*running, 100));
    stop(node, *running);

    const auto stored = raft::read_snapshot(node.files(), kDirectory, {end, LeaderEpoch(1)});
    ASSERT_TRUE(stored) << stored.error().why;
    EXPECT_EQ(stored->kraft_version, 1);
    EXPECT_EQ(stored->voters->text(), fmt::format("{{1@{}}}", kDirectoryId));

    running = start(node);
    ASSERT_TRUE(running);
    EXPECT_EQ(running->heard.snapshot_end, end);
    EXPECT_EQ(running->heard.sum, 155);
    EXPECT_EQ(running->heard.leads_epoch, LeaderEpoch(2));
    stop(node, *running);
}

TEST_F(QuorumSnapshotsTest, OnlyWhatIsCommittedAndNew) {
    format(node);
    const auto running = start(node);
    ASSERT_TRUE(add(*running, 1));
    const auto refused = [&](SnapshotContent content) {
        std::optional<Result<std::uint64_t>> outcome;
        const auto ask = [&]() -> env::Task<void> {
            outcome = co_await running->quorum->write_snapshot(std::move(content));
        };
        EXPECT_TRUE(world.run(node, env::run_on(node.control(), ask())));
        return outcome && !*outcome ? (*outcome).error().code : ErrorCode::none;
    };
    SnapshotContent content = running->heard.content();
    content.end_offset = content.end_offset.next();
    EXPECT_EQ(refused(content), ErrorCode::invalid_request);
    content = running->heard.content();
    content.epoch = LeaderEpoch(7);
    EXPECT_EQ(refused(content), ErrorCode::invalid_request);
    EXPECT_EQ(refused(running->heard.content()), ErrorCode::none);
    EXPECT_EQ(refused(running->heard.content()), ErrorCode::invalid_request) << "nothing new";
    stop(node, *running);
    EXPECT_EQ(refused(running->heard.content()), ErrorCode::not_controller);
}

TEST_F(QuorumSnapshotsTest, TheLogLosesItsBeginning) {
    format(node);
    const auto running = start(node);
    for (int i = 1; i <= 60; ++i) {
        ASSERT_TRUE(add(*running, i));
        if (i % 10 == 0) ASSERT_TRUE(write_and_wait(node, *running));
    }
    world.run_for(1s);
    EXPECT_GT(running->quorum->status().log_start_offset, Offset(30));
    std::uint64_t bytes = 0;
    for (const env::DirectoryEntry& entry : *node.files().list(kDirectory)) {
        bytes += entry.name.ends_with(".log") ? entry.size : 0;
        EXPECT_FALSE(entry.name.ends_with(".deleted")) << entry.name;
    }
    EXPECT_LT(bytes, 5000u) << "of some ten thousand that were written";
    stop(node, *running);
    const auto again = start(node);
    EXPECT_EQ(again->heard.sum, 60 * 61 / 2);
    EXPECT_GT(again->quorum->status().log_start_offset, Offset(30));
    stop(node, *again);
}

/// A snapshot that could not be taken out stays, and the quorum goes on.
TEST_F(QuorumSnapshotsTest, ACleaningThatFailsIsTriedAgain) {
    format(node);
    QuorumOptions with = options();
    with.retention_bytes = -1;
    with.retention_ms = 30'000;
    const auto running = start(node, with);
    for (int i = 1; i <= 2; ++i) {
        ASSERT_TRUE(add(*running, i));
        running->heard.last = node.clock().wall();
        ASSERT_TRUE(write_and_wait(node, *running));
        world.run_for(1s);
    }
    const Offset before = running->quorum->status().log_start_offset;
    const Offset newest = running->quorum->newest_snapshot()->end_offset;
    ASSERT_LT(before, newest);
    node.faults().fail_call(0);
    world.run_for(65s);
    EXPECT_TRUE(node.faults().has_fired());
    EXPECT_FALSE(running->heard.failure);
    EXPECT_EQ(running->quorum->status().log_start_offset, before);
    world.run_for(60s);
    EXPECT_EQ(running->quorum->status().log_start_offset, newest);
    EXPECT_TRUE(add(*running, 3));
    stop(node, *running);
}

TEST_F(QuorumSnapshotsTest, AFetchOfWhatIsBeingCleanedIsSentToTheSnapshot) {
    format(node);
    const auto running = start(node);
    for (int i = 1; i <= 30; ++i) ASSERT_TRUE(add(*running, i));
    node.set_offload_delay(50ms, 50ms);
    const Outcome outcome = write(node, *running);
    ASSERT_TRUE(world.run_until([&] { return outcome->has_value(); }, 1s));
    world.run_for(10ms);  // now the log is being cleaned
    const auto answer = std::make_shared<std::optional<server::QuorumAnswer>>();
    env::spawn(node.control(),
               [](Quorum* quorum, LeaderEpoch epoch,
                  std::shared_ptr<std::optional<server::QuorumAnswer>> into) -> env::Task<void> {
                   raft::FetchRequest fetch;
                   fetch.current_leader_epoch = epoch;
                   fetch.replica.id = BrokerId(7);
                   fetch.fetch_offset = Offset(0);
                   *into = co_await quorum->ask(raft::Request(fetch), 1 << 20);
               }(running->quorum, running->heard.leads_epoch, answer));
    ASSERT_TRUE(world.run_until([&] { return answer->has_value(); }, 1s));
    const auto& fetch = std::get<raft::FetchResponse>((*answer)->response);
    EXPECT_EQ(fetch.error, ErrorCode::none);
    ASSERT_TRUE(fetch.snapshot);
    EXPECT_EQ(fetch.snapshot->end_offset, running->heard.next);
    EXPECT_EQ((*answer)->records.length, 0u);
    EXPECT_EQ(running->quorum->status().log_start_offset, running->heard.next);
    stop(node, *running);
}

TEST_F(QuorumSnapshotsTest, AppendsGoOnWhileOneIsWritten) {
    format(node);
    const auto running = start(node);
    ASSERT_TRUE(add(*running, 1));
    node.set_offload_delay(50ms, 50ms);
    const Outcome outcome = write(node, *running);
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(running->quorum->schedule(LeaderEpoch(1), {Adder::value(1)}));
    world.run_for(40ms);
    EXPECT_FALSE(outcome->has_value());
    ASSERT_TRUE(world.run_until([&] { return running->heard.sum == 101; }, 1s));
    ASSERT_TRUE(world.run_until([&] { return outcome->has_value(); }, 1s));
    EXPECT_TRUE(**outcome);
    stop(node, *running);
}

TEST_F(QuorumSnapshotsTest, AStopWaitsForWhatIsBeingWritten) {
    format(node);
    auto running = start(node);
    ASSERT_TRUE(add(*running, 1));
    node.set_offload_delay(100ms, 100ms);
    const Outcome outcome = write(node, *running);
    world.run_for(1ms);
    stop(node, *running);
    world.run_for(1ms);
    ASSERT_TRUE(outcome->has_value());
    running = start(node);
    ASSERT_TRUE(running);
    EXPECT_EQ(running->heard.sum, 1);
    stop(node, *running);
}

/// A full disk is no reason to end.
TEST_F(QuorumSnapshotsTest, ASnapshotThatCanNotBeWrittenIsOnlyNotThere) {
    format(node);
    const auto running = start(node);
    ASSERT_TRUE(add(*running, 1));
    SnapshotContent content = running->heard.content();
    content.records = [&](const RecordSink& sink) {
        node.faults().fail_call(0, ENOSPC);
        sink(Adder::value(1));
    };
    std::optional<Result<std::uint64_t>> outcome;
    const auto ask = [&]() -> env::Task<void> {
        outcome = co_await running->quorum->write_snapshot(std::move(content));
    };
    ASSERT_TRUE(world.run(node, env::run_on(node.control(), ask())));
    EXPECT_FALSE(*outcome);
    node.faults().clear();
    EXPECT_TRUE(add(*running, 1));
    EXPECT_TRUE(write_and_wait(node, *running));
    stop(node, *running);
}

/// Snapshots and cleaning between appends, on a machine whose power goes at one call to the disk,
/// for every call there is.
TEST_F(QuorumSnapshotsTest, EveryAcknowledgedRecordCountsAfterAPowerLossAtAnyCall) {
    constexpr int kRecords = 24;
    for (std::uint64_t call = 0;; ++call) {
        SCOPED_TRACE(testing::Message() << "power lost at call " << call);
        sim::Node& victim = world.add_node("victim" + std::to_string(call));
        format(victim);
        victim.faults().lose_power_at_call(call);
        std::int64_t acknowledged = 0;
        std::int64_t asked = 0;
        if (const auto running = start(victim)) {
            for (int i = 1; i <= kRecords && world.is_up(victim); ++i) {
                asked += i;
                if (!add(*running, i)) break;
                acknowledged = asked;
                if (i % 8 == 0) write_and_wait(victim, *running);
            }
            if (world.is_up(victim)) world.run_for(10ms);
            if (world.is_up(victim)) world.crash(victim, sim::Crash::power);
        } else {
            world.crash(victim, sim::Crash::power);
        }
        const bool fired = victim.faults().has_fired();
        world.restart(victim);
        victim.faults().clear();
        const auto again = start(victim);
        ASSERT_TRUE(again && again->heard.leads);
        EXPECT_TRUE(again->heard.sum == acknowledged || again->heard.sum == asked)
            << again->heard.sum << " of " << acknowledged;
        stop(victim, *again);
        if (!fired) {
            EXPECT_GE(again->heard.snapshot_end, Offset(24));
            EXPECT_GT(again->quorum->status().log_start_offset, Offset(0));
            break;
        }
    }
}

}  // namespace
}  // namespace milena::drivers
