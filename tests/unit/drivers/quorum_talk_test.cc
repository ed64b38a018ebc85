// SPDX-License-Identifier: Apache-2.0
// Three replicas on three simulated machines: they elect one, follow it over the network, and what
// it has acknowledged outlives processes, power and cuts; who has missed what the others have only
// in snapshots takes one of theirs.
#include <random>

#include <gtest/gtest.h>

#include "milena/raft/snapshot.h"

#include "quorum_listener.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;

constexpr const char* kDirectory = "/data/__cluster_metadata-0";
constexpr std::uint16_t kPort = 9093;
constexpr int kReplicas = 3;

/// What one life of a replica has heard.
class Heard : public QuorumListener {
public:
    void on_snapshot(const MetadataSnapshot& snapshot) override {
        EXPECT_GE(snapshot.end_offset, next) << "what was committed goes back";
        for (const MetadataBatch& batch : snapshot.batches) {
            for (const BytesView value : batch.values) {
                const Offset at(load<std::int64_t>(value.data()));
                const std::string text(as_text(value.subspan(sizeof(std::int64_t))));
                const auto [known, is_new] = records.emplace(at, text);
                EXPECT_EQ(known->second, text);
                EXPECT_TRUE(is_new || at < next);
            }
        }
        next = snapshot.end_offset;
        snapshot_ends.push_back(next);
    }
    void on_committed(std::span<const MetadataBatch> batches) override {
        for (const MetadataBatch& batch : batches) {
            EXPECT_EQ(batch.base_offset, next) << "a gap";
            next = batch.last_offset.next();
            last_epoch = batch.epoch;
            for (std::size_t i = 0; i < batch.values.size(); ++i) {
                records[batch.base_offset + static_cast<std::int64_t>(i)] =
                    as_text(batch.values[i]);
            }
        }
    }
    void on_leader_change(LeaderEpoch at, BrokerId who, bool self) override {
        epoch = at;
        leader = who;
        is_leader = self;
    }
    void on_failed(const Error& why) override {
        has_failed = true;
        if (!may_fail) ADD_FAILURE() << why.why;
    }

    /// All that it knows, as a snapshot.
    SnapshotContent content() const {
        return {.end_offset = next,
                .epoch = last_epoch,
                .last_contained_timestamp = env::Timestamp(1),
                .records = [all = records](const RecordSink& sink) {
                    for (const auto& [offset, text] : all) {
                        std::vector<std::byte> value(sizeof(std::int64_t) + text.size());
                        store(value.data(), offset.value);
                        std::ranges::copy(as_bytes(text), value.begin() + sizeof(std::int64_t));
                        sink(std::move(value));
                    }
                }};
    }

    std::map<Offset, std::string> records;
    std::vector<Offset> snapshot_ends;
    Offset next;
    LeaderEpoch last_epoch;
    LeaderEpoch epoch = kNoLeaderEpoch;
    BrokerId leader = kNoBroker;
    bool is_leader = false;
    bool may_fail = false;
    bool has_failed = false;
};

struct Life {
    Heard heard;
    std::unique_ptr<Quorum> quorum;
    std::unique_ptr<ReplicaListener> listener;
};

class QuorumTalkTest : public testing::TestWithParam<std::uint64_t> {
public:
    QuorumTalkTest() : world(GetParam()) {
        for (int i = 0; i < kReplicas; ++i) {
            sim::Node& node = world.add_node(name(i));
            world.boot(node, [this, i](sim::Node& self) { start(self, i); });
        }
    }

    static std::string name(int i) { return "n" + std::to_string(i + 1); }
    sim::Node& node(int i) { return *world.nodes()[static_cast<std::size_t>(i)]; }
    /// Null while it is down.
    Life* life(int i) {
        return world.is_up(node(i)) ? lives[static_cast<std::size_t>(i)] : nullptr;
    }

    void start(sim::Node& self, int i) {
        QuorumOptions options;
        options.directory = kDirectory;
        options.cluster_id = "c";
        options.node_id = BrokerId(i + 1);
        options.directory_id = {1, static_cast<std::uint64_t>(i + 1)};
        options.snapshot_bytes_max = 300;
        options.segment_bytes = 1000;
        options.retention_bytes = 1500;
        if (std::exchange(loses_disk[static_cast<std::size_t>(i)], false)) {
            ASSERT_TRUE(self.files().remove(kDirectory));
            ASSERT_TRUE(self.files().sync_directory("/data"));
        }
        for (int voter = 0; voter < kReplicas; ++voter) {
            options.static_voters.push_back({.key = {BrokerId(voter + 1), {}},
                                             .endpoints = {{"CONTROLLER", name(voter), kPort}}});
        }
        auto opened = Quorum::open(self, Logger(), options);
        ASSERT_TRUE(opened) << opened.error().why;
        const auto made = std::make_shared<Life>();
        made->quorum = *std::move(opened);
        made->listener = std::make_unique<ReplicaListener>(self, *made->quorum, "c", kPort);
        self.keep(made);
        lives[static_cast<std::size_t>(i)] = made.get();
        env::post(self.control(), [made] { made->quorum->start({&made->heard}); });
    }

    /// The replica that leads the newest epoch and has said so; −1 if there is none.
    int leader() {
        int found = -1;
        for (int i = 0; i < kReplicas; ++i) {
            const Life* const one = life(i);
            if (one == nullptr || !one->heard.is_leader) continue;
            if (found < 0 || one->heard.epoch > life(found)->heard.epoch) found = i;
        }
        return found;
    }
    int await_leader(env::Duration limit = 30s, int but = -1) {
        EXPECT_TRUE(world.run_until([&] { return leader() >= 0 && leader() != but; }, limit));
        return leader();
    }
    /// Commits one more record through whoever leads.
    void commit() {
        const std::string text = "record " + std::to_string(acknowledged.size());
        const bool done = world.run_until(
            [&] {
                const int i = leader();
                if (i < 0) return false;
                if (!asked || asked->first != i || !life(i)->heard.is_leader) {
                    const BytesView bytes = as_bytes(text);
                    const auto range = life(i)->quorum->schedule(
                        life(i)->heard.epoch, {std::vector<std::byte>(bytes.begin(), bytes.end())});
                    if (!range) return false;
                    asked = {i, range->last_offset};
                }
                return life(i)->heard.next > asked->second;
            },
            60s);
        ASSERT_TRUE(done) << text;
        acknowledged[asked->second] = text;
        asked.reset();
    }
    /// Every replica that is up has all that was acknowledged, and no two have different records.
    void check_equal() {
        const auto has_all = [&](const Life* one) {
            return one == nullptr || acknowledged.empty() ||
                   one->heard.next > acknowledged.rbegin()->first;
        };
        ASSERT_TRUE(world.run_until(
            [&] { return has_all(life(0)) && has_all(life(1)) && has_all(life(2)); }, 60s));
        for (int i = 0; i < kReplicas; ++i) {
            if (life(i) == nullptr) continue;
            for (const auto& [offset, text] : acknowledged) {
                ASSERT_TRUE(life(i)->heard.records.contains(offset)) << offset.value;
                EXPECT_EQ(life(i)->heard.records.at(offset), text) << "on replica " << i + 1;
            }
        }
    }

    /// Every replica that is up writes a snapshot of what it has, and cleans its log.
    void snapshot() {
        for (int i = 0; i < kReplicas; ++i) {
            if (life(i) == nullptr) continue;
            env::spawn(node(i).control(),
                       [](Quorum* quorum, SnapshotContent content) -> env::Task<void> {
                           // Nothing new, or cut short: what matters is what the others find.
                           (void)co_await quorum->write_snapshot(std::move(content));
                       }(life(i)->quorum.get(), life(i)->heard.content()));
        }
        world.run_for(50ms);
    }
    /// Far more than the logs of the others keep.
    void commit_and_clean(int missing) {
        for (int n = 0; n < 30; ++n) {
            commit();
            if (n % 10 == 9) snapshot();
        }
        for (int i = 0; i < kReplicas; ++i) {
            if (i == missing || life(i) == nullptr) continue;
            ASSERT_GT(life(i)->quorum->status().log_start_offset, Offset(10))
                << "replica " << i + 1;
        }
    }

    sim::World world;
    std::array<Life*, kReplicas> lives{};
    std::array<bool, kReplicas> loses_disk{};
    std::map<Offset, std::string> acknowledged;
    std::optional<std::pair<int, Offset>> asked;
};

TEST_P(QuorumTalkTest, ElectsALeaderWhomAllFollow) {
    const int i = await_leader(10s);
    for (int n = 0; n < 20; ++n) commit();
    check_equal();
    EXPECT_EQ(leader(), i) << "a leader that works stays";
    for (int other = 0; other < kReplicas; ++other) {
        EXPECT_EQ(life(other)->heard.leader, BrokerId(i + 1));
        EXPECT_EQ(life(other)->quorum->progress().size(), other == i ? 2u : 0u);
    }
}

TEST_P(QuorumTalkTest, AKilledLeaderIsReplacedWithinASecond) {
    for (int round = 0; round < 3; ++round) {
        const int old = await_leader();
        for (int n = 0; n < 5; ++n) commit();
        world.crash(node(old), sim::Crash::process);
        const env::Instant killed = world.now();
        await_leader(30s, old);
        // Its port refuses: nobody waits for silence. Two that stand at once soon stand again.
        EXPECT_LT(world.now() - killed, 1s);
        commit();
        world.restart(node(old));
        check_equal();
    }
}

TEST_P(QuorumTalkTest, PowerLossOfAnyCostsNothingThatWasAcknowledged) {
    for (int round = 0; round < 6; ++round) {
        await_leader();
        for (int n = 0; n < 5; ++n) commit();
        sim::Node& victim = node(round % kReplicas);
        world.crash(victim, sim::Crash::power);
        commit();
        world.restart(victim);
        check_equal();
    }
    // All at once.
    for (int i = 0; i < kReplicas; ++i) world.crash(node(i), sim::Crash::power);
    for (int i = 0; i < kReplicas; ++i) world.restart(node(i));
    commit();
    check_equal();
}

TEST_P(QuorumTalkTest, ALeaderThatIsCutOffResignsAndFollowsAgain) {
    const int old = await_leader();
    commit();
    for (int i = 0; i < kReplicas; ++i) {
        if (i != old) world.network().split({name(old)}, {name(i)});
    }
    const auto lost =
        life(old)->quorum->schedule(life(old)->heard.epoch, {std::vector<std::byte>(3)});
    ASSERT_TRUE(lost);
    ASSERT_TRUE(world.run_until([&] { return !life(old)->heard.is_leader; }, 10s));
    await_leader(30s, old);
    commit();
    world.network().mend_all();
    check_equal();
    EXPECT_NE(life(old)->heard.leader, kNoBroker);
}

TEST_P(QuorumTalkTest, ALeaderThatStopsHandsOver) {
    const int old = await_leader();
    commit();
    ASSERT_TRUE(
        world.run(node(old), env::run_on(node(old).control(), life(old)->quorum->stop()), 10s));
    const env::Instant stopped = world.now();
    await_leader(30s, old);
    EXPECT_LT(world.now() - stopped, 500ms) << "it has named its successor";
    commit();
}

TEST_P(QuorumTalkTest, ALeaderWhoseDiskFailsHandsOver) {
    const int old = await_leader();
    commit();
    life(old)->heard.may_fail = true;
    node(old).faults().set_syncs_fail(true);
    ASSERT_TRUE(life(old)->quorum->schedule(life(old)->heard.epoch, {std::vector<std::byte>(3)}));
    ASSERT_TRUE(world.run_until([&] { return life(old)->heard.has_failed; }, 10s));
    const env::Instant failed = world.now();
    await_leader(30s, old);
    // Without a word from it they would wait for the fetch timeout, 2 s, and then elect.
    EXPECT_LT(world.now() - failed, 1500ms) << "it has named its successor";
    commit();
}

TEST_P(QuorumTalkTest, ConnectionsThatBreakOnlyDelay) {
    world.network().set_break_rate(0.02);
    for (int n = 0; n < 50; ++n) commit();
    world.network().set_break_rate(0);
    check_equal();
}

TEST_P(QuorumTalkTest, WhoWasAwayTakesTheLeadersSnapshotAndGoesOn) {
    for (int round = 0; round < kReplicas; ++round) {
        await_leader();
        commit();
        check_equal();
        world.crash(node(round), sim::Crash::process);
        loses_disk[static_cast<std::size_t>(round)] = round == 1;
        commit_and_clean(round);
        world.restart(node(round));
        check_equal();
        const Heard& heard = life(round)->heard;
        ASSERT_FALSE(heard.snapshot_ends.empty());
        EXPECT_GT(heard.snapshot_ends.back(), Offset(10));
        EXPECT_GE(life(round)->quorum->status().log_start_offset, Offset(10));
        commit();
        check_equal();
        for (const env::DirectoryEntry& entry : *node(round).files().list(kDirectory))
            EXPECT_FALSE(entry.name.ends_with(".part")) << entry.name;
    }
    // What it took in is there after a restart, and it can lead.
    for (int i = 0; i < kReplicas; ++i) world.crash(node(i), sim::Crash::power);
    for (int i = 0; i < kReplicas; ++i) world.restart(node(i));
    commit();
    check_equal();
}

/// Whoever of the two that talk goes, and whenever, the next try takes it in whole.
TEST_P(QuorumTalkTest, ADownloadThatIsCutShortBeginsAnew) {
    std::mt19937_64 random(GetParam());
    int cut_short = 0;
    for (int round = 0; round < 6; ++round) {
        const int away = round % kReplicas;
        await_leader();
        world.crash(node(away), sim::Crash::process);
        commit_and_clean(away);
        world.restart(node(away));
        const auto is_fetching = [&] {
            if (life(away) == nullptr || !node(away).files().exists(kDirectory)) return false;
            for (const env::DirectoryEntry& entry : *node(away).files().list(kDirectory)) {
                if (entry.name.ends_with(".checkpoint.part")) return true;
            }
            return false;
        };
        ASSERT_TRUE(world.run_until(is_fetching, 30s));
        world.run_for(std::chrono::microseconds(random() % 8'000));
        cut_short += is_fetching() ? 1 : 0;
        const int victim = round % 2 == 0 ? away : leader();
        if (victim >= 0) {
            world.crash(node(victim), random() % 2 == 0 ? sim::Crash::power : sim::Crash::process);
            world.run_for(5ms);
            world.restart(node(victim));
        }
        check_equal();
    }
    EXPECT_GT(cut_short, 1);
}

/// While there is no room for it, the replica stays what it was: a voter that hears from its
/// leader.
TEST_P(QuorumTalkTest, ASnapshotThatHasNoRoomIsTakenWhenThereIsSome) {
    const int away = (await_leader() + 1) % kReplicas;
    commit();
    check_equal();
    world.crash(node(away), sim::Crash::process);
    commit_and_clean(away);
    world.restart(node(away));
    env::FileSystem& files = node(away).files();
    node(away).files().set_capacity(*files.total_bytes("/") - *files.free_bytes("/") + 600);
    const LeaderEpoch epoch = life(leader())->heard.epoch;
    world.run_for(10s);
    EXPECT_LT(life(away)->heard.next, acknowledged.rbegin()->first);
    EXPECT_EQ(life(leader())->heard.epoch, epoch) << "nobody has stood for election";
    node(away).files().set_capacity(1 << 30);
    check_equal();
    EXPECT_EQ(life(leader())->heard.epoch, epoch);
}

INSTANTIATE_TEST_SUITE_P(, QuorumTalkTest, testing::Values(1, 2, 3));

/// One replica that begins alone, and others that know its address and make themselves voters.
class GrowingQuorumTest : public testing::Test {
public:
    struct Follower : Heard {
        void on_snapshot(const MetadataSnapshot&) override {}
    };
    struct Member {
        Follower heard;
        std::unique_ptr<Quorum> quorum;
        std::unique_ptr<ReplicaListener> listener;
    };

    GrowingQuorumTest() {
        for (int i = 0; i < kReplicas; ++i) {
            sim::Node& node = world.add_node("n" + std::to_string(i + 1));
            world.boot(node, [this, i](sim::Node& self) { start(self, i); });
        }
    }

    static raft::Voter voter(int i) {
        return {.key = {BrokerId(i + 1), {1, static_cast<std::uint64_t>(i + 1)}},
                .endpoints = {{"CONTROLLER", "n" + std::to_string(i + 1), kPort}}};
    }

    void start(sim::Node& self, int i) {
        if (i == 0 && !self.files().exists(kDirectory)) {
            raft::BootstrapSnapshot first;
            first.voters = raft::VoterSet({voter(0)});
            ASSERT_TRUE(self.files().create_directories(kDirectory));
            ASSERT_TRUE(raft::write_bootstrap_snapshot(self.files(), kDirectory, first));
        }
        QuorumOptions options;
        options.directory = kDirectory;
        options.cluster_id = "c";
        options.node_id = voter(i).key.id;
        options.directory_id = voter(i).key.directory;
        options.bootstrap_servers = {{"nowhere", kPort}, {"n1", kPort}};
        options.listener = "CONTROLLER";
        options.endpoints = voter(i).endpoints;
        options.auto_join = true;
        auto opened = Quorum::open(self, Logger(), options);
        ASSERT_TRUE(opened) << opened.error().why;
        const auto made = std::make_shared<Member>();
        made->quorum = *std::move(opened);
        made->listener = std::make_unique<ReplicaListener>(self, *made->quorum, "c", kPort);
        self.keep(made);
        members[static_cast<std::size_t>(i)] = made.get();
        env::post(self.control(), [made] { made->quorum->start({&made->heard}); });
    }

    QuorumStatus status(int i) { return members[static_cast<std::size_t>(i)]->quorum->status(); }

    sim::World world{7};
    std::array<Member*, kReplicas> members{};
};

TEST_F(GrowingQuorumTest, ReplicasFindItByAnAddressAndBecomeVoters) {
    ASSERT_TRUE(world.run_until([&] { return status(0).voters.size() == 3; }, 60s));
    EXPECT_EQ(status(0).voters, raft::VoterSet({voter(0), voter(1), voter(2)}));
    ASSERT_TRUE(world.run_until([&] { return status(2).voters.size() == 3; }, 10s));
    EXPECT_EQ(status(2).leader_endpoint, voter(0).endpoints.front());
    EXPECT_EQ(members[2]->quorum->kraft_version(), 1);
    // They can do without the first, whose address alone they were given.
    world.crash(*world.nodes()[0], sim::Crash::process);
    ASSERT_TRUE(world.run_until(
        [&] { return members[1]->heard.is_leader || members[2]->heard.is_leader; }, 30s));
}

}  // namespace
}  // namespace milena::drivers
