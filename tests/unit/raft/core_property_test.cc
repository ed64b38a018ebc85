// SPDX-License-Identifier: Apache-2.0
// Random histories of quorums of one, three and five voters: messages come late, twice, out of
// order or not at all, disks take their time, nodes crash and lose what they had not synced, logs
// lose their beginning to snapshots, voters come late and observers come empty, and sets of voters
// change. The cluster checks election safety, leader completeness, that committed records stay, and
// what is loaded (cluster.h); log matching is checked here now and then. When the faults end, the
// quorum must elect a leader and commit everywhere.
#include <random>

#include <gtest/gtest.h>

#include "cluster.h"

namespace milena::raft::test {
namespace {

struct Shape {
    int voters;
    int observers;
    std::int16_t kraft_version;
    int histories;
    int steps;
    /// Voters come and go, get new disks and new addresses.
    bool changes_voters = false;
    bool auto_join = false;
};

class History {
public:
    History(const Shape& shape, std::uint64_t seed)
        : voters_(shape.voters),
          random_(seed),
          cluster_({.voters = shape.voters,
                    .observers = shape.observers,
                    .kraft_version = shape.kraft_version,
                    .discovers = shape.changes_voters && seed % 2 == 0,
                    .auto_join = shape.auto_join,
                    .seed = seed}),
          changes_voters_(shape.changes_voters) {
        // How cruel this history is: some only reorder, some lose half of everything.
        loss_percent_ = below(3) == 0 ? 0 : below(40);
        crash_permille_ = below(3) == 0 ? 0 : below(30);
        snapshot_permille_ = below(4) == 0 ? 0 : below(100);
        for (const BrokerId id : cluster_.ids()) cluster_.start(id);
        leave();
    }

    void run(int steps) {
        for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
            step();
            if (i % 64 == 0) cluster_.check_log_matching();
            if (below(400) == 0) leave();
        }
        cluster_.check_log_matching();
    }

    /// The faults end: within ten seconds there is a leader whose records reach everybody.
    void heal() {
        for (const BrokerId id : cluster_.ids()) {
            if (!cluster_.is_up(id)) cluster_.start(id);
        }
        cluster_.run(std::chrono::seconds(10));
        const BrokerId leader = cluster_.leader();
        ASSERT_NE(leader, kNoBroker) << cluster_.state_text();
        const std::size_t before = cluster_.committed_batches();
        cluster_.propose(leader, 2);
        cluster_.run(std::chrono::seconds(2));
        EXPECT_GT(cluster_.committed_batches(), before);
        for (const BrokerId id : cluster_.ids()) {
            EXPECT_EQ(cluster_.core(id).high_watermark(), cluster_.core(leader).log_end_offset())
                << cluster_.state_text();
        }
        cluster_.check_log_matching();
    }

    std::size_t committed() const { return cluster_.committed_batches(); }
    int crashes() const { return crashes_; }
    /// Sets of voters in the log of the last leader.
    std::size_t voter_sets() const { return cluster_.voter_sets(cluster_.leader()); }
    int loads() const { return cluster_.loads(); }
    int elections() const { return cluster_.core(cluster_.leader()).view().epoch.value; }

private:
    int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
    BrokerId any_node() {
        const std::vector<BrokerId> ids = cluster_.ids();
        return ids[static_cast<std::size_t>(below(static_cast<int>(ids.size())))];
    }

    void step() {
        const int choice = below(100);
        if (below(1000) < crash_permille_) {
            crash_or_restart();
        } else if (below(1000) < snapshot_permille_) {
            move_snapshots(any_node());
        } else if (choice < 55 && !cluster_.network().empty()) {
            move_message();
        } else if (choice < 65) {
            cluster_.advance(std::chrono::milliseconds(1 + below(below(4) == 0 ? 900 : 60)));
        } else if (choice < 90) {
            move_disk(any_node());
        } else if (const BrokerId id = any_node();
                   cluster_.is_up(id) && cluster_.core(id).role() == Role::leader) {
            cluster_.propose(id, 1 + below(3));
        } else if (below(200) == 0) {
            refuse(id);
        } else if (changes_voters_) {
            change_voters();
        }
    }

    /// Mostly of the leader, and mostly of what can be granted.
    void change_voters() {
        const BrokerId leader = cluster_.leader();
        const BrokerId to = leader == kNoBroker || below(10) == 0 ? any_node() : leader;
        const Voter about = cluster_.voter(any_node());
        if (!cluster_.is_up(to)) return;
        const bool is_voter = cluster_.core(to).voters().contains(about.key);
        if (below(10) == 0) {
            cluster_.ask(to, UpdateVoterRequest{cluster_.core(to).view().epoch, about});
        } else if (is_voter != (below(10) == 0)) {
            // A larger set is more to look at.
            if (below(2) == 0) cluster_.ask(to, RemoveVoterRequest{about.key});
        } else {
            cluster_.ask(to, AddVoterRequest{about.key, about.endpoints, below(2) == 0});
        }
    }

    /// No log that is left counts on its vote.
    bool may_lose_disk(BrokerId id) const {
        const ReplicaKey key = cluster_.voter(id).key;
        return std::ranges::none_of(cluster_.ids(), [&](BrokerId other) {
            return cluster_.last_voters(other).contains(key);
        });
    }

    /// One is down for long, so that the logs of the others may lose what it lacks; whoever was
    /// before comes back.
    void leave() {
        if (away_ != kNoBroker && !cluster_.is_up(away_)) start(std::exchange(away_, kNoBroker));
        away_ = any_node();
        if (cluster_.is_up(away_)) crash(away_);
        if (snapshot_permille_ > 0) prosper();
    }

    /// A while without faults, in which much is committed and most logs lose their beginning.
    void prosper() {
        cluster_.run(std::chrono::seconds(4));
        for (int i = 0; i < 4 && cluster_.leader() != kNoBroker; ++i) {
            cluster_.propose(cluster_.leader(), 1 + below(3));
            cluster_.run(std::chrono::milliseconds(50));
            for (const BrokerId id : cluster_.ids()) move_snapshots(id);
        }
    }

    void crash_or_restart() {
        const BrokerId id = any_node();
        if (id == away_) return;
        if (cluster_.is_up(id)) {
            crash(id);
        } else {
            start(id);
        }
    }

    /// One that has no vote may have got another disk.
    void start(BrokerId id) {
        if (changes_voters_) {
            // The first of one knows nobody else whom it could ask.
            const bool knows_others = voters_ > 1 || id.value > voters_;
            if (below(2) == 0 && may_lose_disk(id) && knows_others) cluster_.replace(id);
            if (below(4) == 0) cluster_.move(id);
        } else if (id.value > voters_ && below(2) == 0) {
            cluster_.wipe(id);
        }
        cluster_.start(id);
    }

    void crash(BrokerId id) {
        // Any part of what was not synced may have reached the disk.
        const Disk& disk = cluster_.disk(id);
        const auto unsynced = static_cast<int>(disk.end() - disk.durable_end);
        cluster_.crash(id, disk.durable_end + below(unsynced + 1), below(2) == 0);
        ++crashes_;
    }

    void move_message() {
        const auto index =
            static_cast<std::size_t>(below(static_cast<int>(cluster_.network().size())));
        if (below(100) < loss_percent_) {
            cluster_.lose(index, below(2) == 0);
            return;
        }
        if (below(100) < loss_percent_ / 4) cluster_.duplicate(index);
        cluster_.deliver(index);
    }

    void move_disk(BrokerId id) {
        if (!cluster_.is_up(id)) return;
        const Disk& disk = cluster_.disk(id);
        if (below(3) == 0) cluster_.finish_load(id);
        if (below(2) == 0) {
            cluster_.finish_sync(id);
            return;
        }
        for (const Batch& batch : std::vector<Batch>(disk.batches)) {
            if (batch.last_offset < disk.appended_end) continue;
            cluster_.finish_append(id, batch.last_offset.next());
            break;
        }
    }

    void move_snapshots(BrokerId id) {
        if (!cluster_.is_up(id)) return;
        const int choice = below(20);
        if (choice == 0) {
            cluster_.refuse_snapshot(id);
        } else if (choice < 12) {
            cluster_.take_snapshot(id);
        } else {
            cluster_.clean(id, below(2));
        }
    }

    void refuse(BrokerId id) {
        if (cluster_.is_up(id)) cluster_.step(id, LeaderRefused{cluster_.core(id).view().leader});
    }

    int voters_;
    std::mt19937_64 random_;
    Cluster cluster_;
    bool changes_voters_;
    int loss_percent_ = 0;
    int crash_permille_ = 0;
    int snapshot_permille_ = 0;
    BrokerId away_ = kNoBroker;
    int crashes_ = 0;
};

class CoreHistories : public testing::TestWithParam<Shape> {};

TEST_P(CoreHistories, KeepCommittedRecordsAndElectOneLeaderAnEpoch) {
    std::size_t committed = 0;
    int crashes = 0;
    int elections = 0;
    std::size_t voter_sets = 0;
    int loads = 0;
    for (int seed = 1; seed <= GetParam().histories; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        History history(GetParam(), static_cast<std::uint64_t>(seed));
        history.run(GetParam().steps);
        history.heal();
        if (testing::Test::HasFailure()) return;
        committed += history.committed();
        crashes += history.crashes();
        elections += history.elections();
        voter_sets += history.voter_sets();
        loads += history.loads();
    }
    // The histories were not idle: or else nothing was proved.
    EXPECT_GT(committed, static_cast<std::size_t>(GetParam().histories) * 10);
    EXPECT_GT(crashes, GetParam().histories);
    EXPECT_GT(elections, GetParam().histories * 2);
    if (GetParam().changes_voters)
        EXPECT_GT(voter_sets, static_cast<std::size_t>(GetParam().histories) * 2);
    EXPECT_GT(loads, GetParam().histories / 2);
    RecordProperty("loads", loads);
}

std::string shape_name(const testing::TestParamInfo<Shape>& shape) {
    return std::to_string(shape.param.voters) + "Voters" + std::to_string(shape.param.observers) +
           "Observers" + (shape.param.changes_voters ? "Changing" : "") +
           (shape.param.auto_join ? "Joining" : "");
}

INSTANTIATE_TEST_SUITE_P(Voters, CoreHistories,
                         testing::Values(Shape{1, 1, 1, 15, 1500}, Shape{3, 0, 1, 40, 3000},
                                         Shape{3, 2, 0, 15, 3000}, Shape{5, 1, 0, 20, 4000},
                                         Shape{1, 4, 1, 15, 4000, true},
                                         Shape{3, 2, 1, 20, 4000, true},
                                         Shape{3, 3, 1, 15, 4000, true, true}),
                         shape_name);

}  // namespace
}  // namespace milena::raft::test
