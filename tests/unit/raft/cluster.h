// SPDX-License-Identifier: Apache-2.0
// A quorum in memory: cores, disks that forget what was not synced, and a network that does only
// what it is told to. Nothing happens by itself; a test, or a random scheduler, chooses each step.
// After each one the cluster checks what must hold: one leader an epoch, one vote an epoch,
// committed records stay as they are on every replica, a snapshot that is loaded is one replica's
// whole state of what was committed below its end.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "milena/raft/core.h"

namespace milena::raft::test {

/// What survives a crash (and `batches` beyond `durable_end`, which may not).
struct Disk {
    QuorumState quorum;
    Offset start;
    std::vector<Batch> batches;
    std::map<SnapshotId, std::string> snapshots;
    Offset appended_end;
    Offset durable_end;

    Offset end() const { return batches.empty() ? start : batches.back().last_offset.next(); }
    /// Drops everything; the log begins at the end of `snapshot`, the only one.
    void begin_anew(const SnapshotId& id, std::string snapshot);
};

struct InFlight {
    BrokerId from;
    BrokerId to;
    /// The sender's id of the request that this is, or answers.
    RequestId id;
    std::variant<Request, Response> content;

    std::string text() const;
};

class Cluster {
public:
    struct Options {
        int voters = 3;
        int observers = 0;
        /// 1: the voters stand in a bootstrap snapshot, with directories.
        std::int16_t kraft_version = 0;
        /// The observers know no voter, only the first voters' addresses (bootstrap servers).
        bool discovers = false;
        /// Observers ask to become voters.
        bool auto_join = false;
        std::uint64_t seed = 1;
    };
    explicit Cluster(const Options& options);

    void start(BrokerId id);
    /// The node forgets everything but its disk, on which batches from `kept_end` on are lost too.
    /// A snapshot that was being loaded is as if it had not been, unless it `is_loaded`.
    void crash(BrokerId id, Offset kept_end, bool is_loaded = false);
    /// The disk of a node that is down is exchanged for an empty one.
    void wipe(BrokerId id) { nodes_.at(id).disk = {}; }
    bool is_up(BrokerId id) const { return nodes_.at(id).core.has_value(); }

    void step(BrokerId id, const Event& event);
    void propose(BrokerId id, int records);
    /// Somebody from outside asks; what the answer is stands in the trace.
    void ask(BrokerId id, const Request& request);
    /// The node, which is down, gets an empty disk: it is another replica from now on.
    void replace(BrokerId id);
    /// The node, which is down, will be reached elsewhere.
    void move(BrokerId id) { ++nodes_.at(id).moves; }
    /// As it says it of itself.
    Voter voter(BrokerId id) const;
    /// Batches that were asked for become readable up to `end`.
    void finish_append(BrokerId id, Offset end);
    void finish_sync(BrokerId id);
    /// The snapshot that the core wanted loaded is.
    void finish_load(BrokerId id);
    /// The download is of no use, or the load.
    void refuse_snapshot(BrokerId id);
    /// A snapshot of all that the node knows to be committed; false if that would be nothing new.
    bool take_snapshot(BrokerId id);
    /// The log begins at the end of the oldest snapshot but `skipped` that is later than its start.
    void clean(BrokerId id, int skipped = 0);

    /// The message at `index` arrives, or gets lost: then the sender may be told.
    void deliver(std::size_t index);
    void lose(std::size_t index, bool tell_sender);
    void duplicate(std::size_t index) { network_.push_back(network_.at(index)); }

    /// Ticks every node that is due.
    void advance(Duration by);
    /// Everything that is on its way arrives, disks are instant, until nothing moves. If a group is
    /// named, what comes from or goes to others gets lost.
    void settle(const std::set<BrokerId>& group = {});
    /// settle(), and time goes by in small steps.
    void run(Duration duration, const std::set<BrokerId>& group = {});

    const std::deque<InFlight>& network() const { return network_; }
    const Core& core(BrokerId id) const { return *nodes_.at(id).core; }
    const Disk& disk(BrokerId id) const { return nodes_.at(id).disk; }
    Instant wake_at(BrokerId id) const { return nodes_.at(id).wake_at; }
    Instant now() const { return now_; }
    void set_now(Instant now) { now_ = now; }
    std::vector<BrokerId> ids() const;
    /// The leader of the highest epoch that has one that is up; nobody otherwise.
    BrokerId leader() const;
    /// The voters in what is left of a node's log; how many sets it has named.
    VoterSet last_voters(BrokerId id) const { return recover(id).voters.back().voters; }
    std::size_t voter_sets(BrokerId id) const { return recover(id).voters.size(); }
    /// Batches that are known to be committed.
    std::size_t committed_batches() const { return committed_.size(); }
    /// Snapshots that were fetched and loaded.
    int loads() const { return loads_; }

    /// Logs that agree at an offset agree below it.
    void check_log_matching() const;
    /// What the outputs of the steps since the last call asked for, a line each.
    std::string take_trace();
    std::string state_text() const;

private:
    struct Node {
        std::optional<Core> core;
        Disk disk;
        Instant wake_at = env::kNever;
        int incarnation = 0;
        int disks = 0;
        int moves = 0;
        std::optional<SnapshotId> part_of{};  ///< what is being fetched
        std::string part{};
        bool is_loading = false;
    };
    struct Asked {
        BrokerId by;
        BrokerId of;
        RequestId id;
        Request request;
    };

    RecoveredState recover(BrokerId id) const;
    void perform(BrokerId id, Output output);
    void store(Node& node, const std::vector<Batch>& batches);
    void store(Node& node, const SnapshotChunk& chunk);
    void add_records(const Disk& disk, const FetchRequest& request, FetchResponse& response) const;
    void add_bytes(const Disk& disk, FetchSnapshotResponse& response) const;
    std::size_t committed_below(Offset end) const;
    std::string content_of(BrokerId by, const SnapshotId& id) const;
    VotersAt voters_of(const SnapshotId& id) const;
    void reply(BrokerId id, Reply reply);
    void check_vote(BrokerId id, LeaderEpoch epoch, const ReplicaKey& candidate);
    void check_leader(BrokerId id, const LeadershipChange& change);
    void check_committed(BrokerId id, Offset high_watermark);

    Options options_;
    VoterSet voters_;
    Instant now_{};
    std::map<BrokerId, Node> nodes_;
    std::deque<InFlight> network_;
    std::map<RequestId, Asked> asked_;
    std::uint64_t last_id_ = 0;
    int proposals_ = 0;
    int loads_ = 0;

    std::map<LeaderEpoch, BrokerId> leaders_;
    std::map<std::pair<ReplicaKey, LeaderEpoch>, ReplicaKey> votes_;
    std::vector<Batch> committed_;
    std::string trace_;
};

}  // namespace milena::raft::test
