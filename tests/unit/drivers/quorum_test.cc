// SPDX-License-Identifier: Apache-2.0
// The quorum of one on a simulated machine: it leads at once, hands over what is committed in
// order, and after a power loss at any call to the disk still has every record that it
// acknowledged.
#include "milena/drivers/quorum.h"

#include <gtest/gtest.h>

#include "milena/raft/snapshot.h"
#include "sim/world.h"

namespace milena::drivers {
namespace {

constexpr const char* kDirectory = "/data/__cluster_metadata-0";
const Uuid kDirectoryId{0x77, 0x4000};

std::vector<std::byte> value(std::string_view text) {
    const BytesView bytes = as_bytes(text);
    return {bytes.begin(), bytes.end()};
}

/// Remembers what it heard, as text.
class Recorder : public QuorumListener {
public:
    void on_snapshot(const MetadataSnapshot& snapshot) override {
        EXPECT_TRUE(records.empty()) << "the snapshot comes first";
        for (const MetadataBatch& batch : snapshot.batches) {
            for (const BytesView one : batch.values) in_snapshot.emplace_back(as_text(one));
        }
        snapshot_end = snapshot.end_offset;
        next = snapshot.end_offset;
    }
    void on_committed(std::span<const MetadataBatch> batches) override {
        for (const MetadataBatch& batch : batches) {
            EXPECT_EQ(batch.base_offset, next) << "a gap";
            next = batch.last_offset.next();
            for (std::size_t i = 0; i < batch.values.size(); ++i) {
                records[batch.base_offset + static_cast<std::int64_t>(i)] =
                    as_text(batch.values[i]);
            }
        }
    }
    void on_leader_change(LeaderEpoch at, BrokerId, bool self) override {
        epoch = at;
        is_leader = self;
        if (self) led_from = next;
        if (self && when_leader) when_leader();
    }
    void on_failed(const Error& why) override { failure = why; }

    std::vector<std::string> in_snapshot;
    std::optional<Offset> snapshot_end;
    std::map<Offset, std::string> records;
    Offset next;
    LeaderEpoch epoch = kNoLeaderEpoch;
    Offset led_from{-1};
    bool is_leader = false;
    std::optional<Error> failure;
    std::function<void()> when_leader;
};

class QuorumTest : public ::testing::Test {
public:
    QuorumTest() { format(node); }

    static void format(sim::Node& machine) {
        const raft::VoterSet voters({{.key = {BrokerId(1), kDirectoryId},
                                      .endpoints = {{"CONTROLLER", "localhost", 9093}}}});
        ASSERT_TRUE(machine.files().create_directories("/data"));
        ASSERT_TRUE(machine.files().sync_directory("/"));
        const auto written = raft::write_bootstrap_snapshot(
            machine.files(), kDirectory,
            {.voters = voters, .records = {value("feature")}, .now = Timestamp(1)});
        ASSERT_TRUE(written) << written.error().why;
    }
    static QuorumOptions options() {
        QuorumOptions options;
        options.directory = kDirectory;
        options.node_id = BrokerId(1);
        options.directory_id = kDirectoryId;
        return options;
    }
    /// A quorum that runs, and who listens to it.
    struct Running {
        std::unique_ptr<Quorum> owned;
        Quorum* quorum = nullptr;
        Recorder heard;
    };
    std::unique_ptr<Running> start(sim::Node& machine, const QuorumOptions& with = options()) {
        auto running = std::make_unique<Running>();
        auto opened = Quorum::open(machine, Logger(), with);
        EXPECT_TRUE(opened) << opened.error().why;
        if (!opened) return nullptr;
        running->owned = *std::move(opened);
        running->quorum = running->owned.get();
        running->quorum->start({&running->heard});
        return running;
    }
    std::unique_ptr<Running> start_and_lead() {
        auto running = start(node);
        EXPECT_TRUE(
            world.run_until([&] { return running->heard.is_leader; }, std::chrono::seconds(1)));
        return running;
    }
    void stop(sim::Node& machine, Running& running) {
        ASSERT_TRUE(world.run(machine, env::run_on(machine.control(), running.quorum->stop())));
    }
    /// append() as a task of the control thread; the outcome is in `result` when it is there.
    void append(sim::Node& machine, Running& running, std::string_view text,
                std::optional<Result<Offset>>& result) {
        env::spawn(machine.control(),
                   [](Running& one, std::vector<std::byte> what,
                      std::optional<Result<Offset>>& into) -> env::Task<void> {
                       std::vector<std::vector<std::byte>> values;
                       values.push_back(std::move(what));
                       into = co_await one.quorum->append(one.heard.epoch, std::move(values));
                   }(running, value(text), result));
    }

    sim::World world{1};
    sim::Node& node = world.add_node("n1");
};

TEST_F(QuorumTest, TheOnlyVoterLeadsWithoutWaitingForATimeout) {
    const env::Instant began = world.now();
    const auto running = start_and_lead();
    EXPECT_LT(world.now() - began, std::chrono::milliseconds(20));
    EXPECT_EQ(running->heard.epoch, LeaderEpoch(1));
    EXPECT_EQ(running->heard.snapshot_end, Offset(0));
    EXPECT_EQ(running->heard.in_snapshot, (std::vector<std::string>{"feature"}));
    // LeaderChange, KRaftVersion and KRaftVoters are committed before the leader is told.
    EXPECT_EQ(running->heard.led_from, Offset(3));
    EXPECT_TRUE(running->heard.records.empty());
    EXPECT_TRUE(node.files().exists(std::string(kDirectory) + "/quorum-state"));
    const QuorumStatus status = running->quorum->status();
    EXPECT_TRUE(status.is_leader);
    EXPECT_EQ(status.high_watermark, Offset(3));
    EXPECT_EQ(status.voters.text(), fmt::format("{{1@{}}}", kDirectoryId));
    stop(node, *running);
    EXPECT_FALSE(running->heard.is_leader);
}

TEST_F(QuorumTest, AnAppendEndsWhenItsRecordsWereHandedOver) {
    const auto running = start_and_lead();
    std::optional<Result<Offset>> result;
    append(node, *running, "a", result);
    ASSERT_TRUE(world.run_until([&] { return result.has_value(); }, std::chrono::seconds(1)));
    ASSERT_TRUE(*result) << result->error().why;
    EXPECT_EQ(**result, Offset(3));
    EXPECT_EQ(running->heard.records.at(Offset(3)), "a");
    stop(node, *running);
}

TEST_F(QuorumTest, ScheduledRecordsHaveTheirOffsetsBeforeTheyAreCommitted) {
    const auto running = start_and_lead();
    const auto first = running->quorum->schedule(LeaderEpoch(1), {value("a"), value("b")});
    const auto second = running->quorum->schedule(LeaderEpoch(1), {value("c")});
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->base_offset, Offset(3));
    EXPECT_EQ(first->last_offset, Offset(4));
    EXPECT_EQ(second->base_offset, Offset(5));
    EXPECT_TRUE(running->heard.records.empty());
    ASSERT_TRUE(
        world.run_until([&] { return running->heard.next == Offset(6); }, std::chrono::seconds(1)));
    EXPECT_EQ(running->heard.records, (std::map<Offset, std::string>{
                                          {Offset(3), "a"}, {Offset(4), "b"}, {Offset(5), "c"}}));
    stop(node, *running);
}

TEST_F(QuorumTest, AListenerMayAppendAsSoonAsItLeads) {
    auto running = start(node);
    Result<AppendedRange> scheduled = fail(ErrorCode::none, "not yet");
    running->heard.when_leader = [&] {
        scheduled = running->quorum->schedule(running->heard.epoch, {value("a")});
    };
    ASSERT_TRUE(world.run_until([&] { return running->heard.records.size() == 1; },
                                std::chrono::seconds(1)));
    ASSERT_TRUE(scheduled);
    EXPECT_EQ(scheduled->base_offset, Offset(3));
    stop(node, *running);
}

TEST_F(QuorumTest, AppendsThatComeDuringASyncShareTheNextOne) {
    // With a sync that takes 10 ms, a hundred appends are two syncs: the first one's, and everybody
    // else's.
    node.set_offload_delay(std::chrono::milliseconds(5), std::chrono::milliseconds(5));
    const auto running = start_and_lead();
    const env::Instant began = world.now();
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(running->quorum->schedule(LeaderEpoch(1), {value("x")}));
    ASSERT_TRUE(world.run_until([&] { return running->heard.records.size() == 100; },
                                std::chrono::seconds(5)));
    EXPECT_LE(world.now() - began, std::chrono::milliseconds(25));
    stop(node, *running);
}

TEST_F(QuorumTest, RefusesWhatIsNotForItsEpochOrTooMuch) {
    QuorumOptions small = options();
    small.batch_bytes_max = 1000;
    small.uncommitted_bytes_max = 2000;
    const auto running = start(node, small);
    EXPECT_EQ(running->quorum->schedule(LeaderEpoch(1), {value("a")}).error().code,
              ErrorCode::not_controller);
    ASSERT_TRUE(world.run_until([&] { return running->heard.is_leader; }, std::chrono::seconds(1)));
    EXPECT_EQ(running->quorum->schedule(LeaderEpoch(0), {value("a")}).error().code,
              ErrorCode::not_controller);
    EXPECT_EQ(running->quorum->schedule(LeaderEpoch(2), {value("a")}).error().code,
              ErrorCode::not_controller);
    EXPECT_EQ(running->quorum->schedule(LeaderEpoch(1), {}).error().code,
              ErrorCode::invalid_request);
    EXPECT_EQ(
        running->quorum->schedule(LeaderEpoch(1), {std::vector<std::byte>(1000)}).error().code,
        ErrorCode::record_list_too_large);
    for (int i = 0; i < 2; ++i)
        ASSERT_TRUE(running->quorum->schedule(LeaderEpoch(1), {std::vector<std::byte>(800)}));
    EXPECT_EQ(running->quorum->schedule(LeaderEpoch(1), {std::vector<std::byte>(800)}).error().code,
              ErrorCode::request_timed_out);
    // Room again once they are committed.
    ASSERT_TRUE(world.run_until([&] { return running->heard.records.size() == 2; },
                                std::chrono::seconds(1)));
    EXPECT_TRUE(running->quorum->schedule(LeaderEpoch(1), {std::vector<std::byte>(800)}));
    stop(node, *running);
}

TEST_F(QuorumTest, AppendsThatWaitWhileItStopsFail) {
    const auto running = start_and_lead();
    std::optional<Result<Offset>> result;
    append(node, *running, "a", result);
    stop(node, *running);
    ASSERT_TRUE(world.run_until([&] { return result.has_value(); }, std::chrono::seconds(1)));
    if (!*result) EXPECT_EQ(result->error().code, ErrorCode::not_controller);
    EXPECT_EQ(running->quorum->schedule(LeaderEpoch(1), {value("b")}).error().code,
              ErrorCode::not_controller);
}

TEST_F(QuorumTest, AFailedSyncEndsTheQuorum) {
    const auto running = start_and_lead();
    node.faults().set_syncs_fail(true);
    std::optional<Result<Offset>> result;
    append(node, *running, "a", result);
    ASSERT_TRUE(world.run_until([&] { return result.has_value(); }, std::chrono::seconds(1)));
    ASSERT_FALSE(*result);
    EXPECT_EQ(result->error().code, ErrorCode::kafka_storage_error);
    ASSERT_TRUE(running->heard.failure);
    EXPECT_TRUE(running->heard.records.empty()) << "committed without a sync";
    EXPECT_FALSE(running->quorum->status().is_leader);
    stop(node, *running);
}

TEST_F(QuorumTest, ARestartBeginsANewEpochAndKeepsTheRecords) {
    for (int life = 1; life <= 3; ++life) {
        const auto running = start_and_lead();
        EXPECT_EQ(running->heard.epoch, LeaderEpoch(life));
        EXPECT_EQ(running->heard.records.size(), static_cast<std::size_t>(life - 1));
        std::optional<Result<Offset>> result;
        append(node, *running, "record " + std::to_string(life), result);
        ASSERT_TRUE(world.run_until([&] { return result.has_value(); }, std::chrono::seconds(1)));
        ASSERT_TRUE(*result) << result->error().why;
        stop(node, *running);
    }
}

TEST_F(QuorumTest, IsNotOpenedInThePlaceOfAVoterWhoseDirectoryIsGone) {
    QuorumOptions other = options();
    other.directory_id = {1, 2};
    const auto opened = Quorum::open(node, Logger(), other);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::invalid_config);
}

TEST_F(QuorumTest, IsOpenedByWhoeverKnowsTheVoters) {
    sim::Node& fresh = world.add_node("n2");
    QuorumOptions two = options();
    const auto nobody = Quorum::open(fresh, Logger(), two);
    ASSERT_FALSE(nobody);
    EXPECT_EQ(nobody.error().code, ErrorCode::invalid_config);
    EXPECT_NE(nobody.error().why.find("controller.quorum.voters"), std::string::npos);
    two.static_voters = {{.key = {BrokerId(1), {}}, .endpoints = {}},
                         {.key = {BrokerId(2), {}}, .endpoints = {}}};
    EXPECT_TRUE(Quorum::open(fresh, Logger(), two));
    two.node_id = BrokerId(3);
    EXPECT_TRUE(Quorum::open(fresh, Logger(), two)) << "an observer";
}

/// Five appends, one after the other, on a machine whose power goes at one call to the disk, for
/// every call there is.
TEST_F(QuorumTest, EveryAcknowledgedRecordIsThereAfterAPowerLossAtAnyCall) {
    constexpr int kAppends = 5;
    for (std::uint64_t call = 0;; ++call) {
        SCOPED_TRACE(testing::Message() << "power lost at call " << call);
        sim::Node& victim = world.add_node("victim" + std::to_string(call));
        format(victim);
        victim.faults().lose_power_at_call(call);
        std::map<Offset, std::string> acknowledged;
        LeaderEpoch epoch = kNoLeaderEpoch;
        if (auto opened = Quorum::open(victim, Logger(), options())) {
            Running running;
            // It is part of the process, and ends with it.
            std::shared_ptr<Quorum> process = *std::move(opened);
            running.quorum = process.get();
            victim.keep(std::move(process));
            running.quorum->start({&running.heard});
            world.run_until([&] { return running.heard.is_leader || running.heard.failure; },
                            std::chrono::seconds(1));
            const auto leads = [&] {
                return world.is_up(victim) && running.heard.is_leader && !running.heard.failure;
            };
            for (int i = 0; i < kAppends && leads(); ++i) {
                const std::string text = "record " + std::to_string(i);
                std::optional<Result<Offset>> result;
                append(victim, running, text, result);
                // Without power nobody answers.
                if (!world.run_until([&] { return result.has_value(); }, std::chrono::seconds(1))) {
                    break;
                }
                if (*result) acknowledged[**result] = text;
            }
            epoch = running.heard.epoch;
        }
        if (world.is_up(victim)) world.crash(victim, sim::Crash::power);
        const bool fired = victim.faults().has_fired();
        world.restart(victim);
        victim.faults().clear();

        const auto again = start(victim);
        ASSERT_TRUE(again);
        ASSERT_TRUE(
            world.run_until([&] { return again->heard.is_leader; }, std::chrono::seconds(1)));
        EXPECT_GT(again->heard.epoch, epoch);
        for (const auto& [offset, text] : acknowledged) {
            ASSERT_TRUE(again->heard.records.contains(offset)) << offset.value;
            EXPECT_EQ(again->heard.records.at(offset), text);
        }
        stop(victim, *again);
        if (!fired) {
            EXPECT_EQ(acknowledged.size(), static_cast<std::size_t>(kAppends));
            break;
        }
    }
}

}  // namespace
}  // namespace milena::drivers
