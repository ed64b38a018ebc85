// SPDX-License-Identifier: Apache-2.0
// What is behind Core: the state of one replica and what each event does to it. The concerns stand
// in files of their own: roles.cc (who I am), election.cc (votes), leadership.cc (what a leader
// does), replication.cc (fetches, both sides), snapshot_fetch.cc (snapshots, both sides),
// voter_changes.cc (who votes from now on),
// requests.cc (what is on its way to whom). replica.cc leads an event to them.
#pragma once

#include <map>

#include "epoch_history.h"
#include "milena/raft/core.h"
#include "voter_history.h"

namespace milena::raft {

/// Observers that a leader remembers, and fetches that it keeps waiting.
inline constexpr std::size_t kObserversMax = 4096;
inline constexpr std::size_t kParkedFetchesMax = 4096;
/// An observer that has not fetched for so long is forgotten.
inline constexpr Duration kObserverSession = std::chrono::minutes(5);
/// The largest snapshot that is fetched: all of it must be in memory when it is loaded.
inline constexpr BytePosition kSnapshotSizeMax{4LL << 30};
/// An epoch is never raised to here: the next one would overflow.
inline constexpr LeaderEpoch kEpochMax{0x7FFF'FFFF};

class Replica {
public:
    Replica(CoreOptions options, RecoveredState recovered);

    Output step(const Event& event, Instant now);

    Role role() const { return role_; }
    LeaderView view() const;
    const VoterSet& voters() const { return voter_history_.current().voters; }
    std::int16_t kraft_version() const { return voter_history_.current().kraft_version; }
    const VotersAt& voters_at(Offset end) const { return voter_history_.at(end); }
    bool may_snapshot(const SnapshotId& id) const;
    std::vector<ReplicaProgress> progress() const;
    Offset log_start() const { return log_start_; }
    Offset log_end() const { return log_end_; }
    std::optional<Offset> high_watermark() const { return high_watermark_; }

private:
    enum class Vote { pending, granted, rejected };

    /// The one request that is on its way to a replica, and when the next may go.
    struct Flight {
        std::optional<RequestId> id;
        Instant deadline{};
        Instant not_before{};
    };

    /// What a leader knows of a replica that fetches from it.
    struct Progress {
        Offset durable_end{-1};
        Instant last_fetch{};
        /// When the leader next tells it who leads, unless it fetches before.
        Instant announce_at{};
        std::optional<Instant> fetched_at{};
        std::optional<Instant> caught_up_at{};
    };

    /// The snapshot that a follower fetches: `next` is what it asks for next.
    struct Download {
        SnapshotId id;
        BytePosition next{};
        BytePosition size{};
    };

    struct ParkedFetch {
        RequestId id;
        FetchRequest request;
        Instant deadline;
    };

    /// A change of voters that this leader has taken on.
    struct VoterChange {
        RequestId reply_to;
        ReplicaKey voter;
        Instant deadline;
        /// The new voter, while it is asked what it can do.
        std::optional<AddVoterRequest> addition{};
        /// Where the new set stands; −1 before it is appended.
        Offset offset{-1};
        bool is_answered = false;
    };

    // replica.cc: events, and what time alone brings about.
    void on(const Start&, Instant now);
    void on(const Tick&, Instant) {}
    void on(const Propose& event, Instant now);
    void on(const Appended& event, Instant now);
    void on(const Synced& event, Instant now);
    void on(const SnapshotTaken& event, Instant now);
    void on(const LogCleaned& event, Instant now);
    void on(const SnapshotLoaded& event, Instant now);
    void on(const SnapshotRefused& event, Instant now);
    void on(const StorageFailed& event, Instant now);
    void on(const Received& event, Instant now);
    void on(const Answered& event, Instant now);
    void on(const SendFailed& event, Instant now);
    void on(const LeaderRefused& event, Instant now);
    void on(const Shutdown&, Instant now);
    void advance(Instant now);
    Instant next_wake(Instant now) const;
    void check_log_ends() const;

    // roles.cc
    bool is_voter() const { return voters().contains(options_.self); }
    bool is_leaving() const;
    bool may_stand() const {
        return (is_voter() || is_leaving()) && !shutting_down_ && !failed_ && !loading_;
    }
    /// The leader as others may be told: not this node if it has resigned.
    BrokerId known_leader() const;
    void become_unattached(LeaderEpoch epoch, Instant now);
    void become_prospective(Instant now);
    void become_candidate(Instant now);
    void become_leader(Instant now);
    void become_follower(LeaderEpoch epoch, BrokerId leader, Instant now);
    void become_resigned(Instant now);
    void enter(Role role);
    void save(const QuorumState& next);
    void note_leadership();
    /// Takes in the epoch and leader that another replica named; true if that changed anything.
    bool learn(const LeaderView& seen, Instant now);
    Instant random_election_deadline(Instant now);
    Duration random_below(Duration bound);

    // election.cc
    VoteResponse on_request(const VoteRequest& request, Instant now);
    bool can_grant(const VoteRequest& request) const;
    void on_response(BrokerId from, const VoteResponse& response, Instant now);
    std::size_t votes(Vote kind) const;
    void stand_again_soon(Instant now);
    void lose_election(Instant now);
    void advance_election(Instant now);
    void ask_for_votes(Instant now);

    // leadership.cc
    void append_epoch_start(std::vector<BrokerId> granting);
    void append(Batch batch);
    void note_voters(Instant now);
    void advance_leader(Instant now);
    void announce(Instant now);
    BeginQuorumEpochResponse on_request(const BeginQuorumEpochRequest& request, Instant now);
    EndQuorumEpochResponse on_request(const EndQuorumEpochRequest& request, Instant now);
    void on_response(BrokerId from, const BeginQuorumEpochResponse& response, Instant now);
    void on_response(BrokerId from, const EndQuorumEpochResponse& response, Instant now);
    void advance_high_watermark();
    void move_high_watermark(Offset to);
    Instant quorum_deadline() const;
    std::vector<ReplicaKey> successors() const;

    // replication.cc
    void on_fetch(RequestId id, const FetchRequest& request, Instant now);
    ErrorCode refuse_fetch(LeaderEpoch current_leader_epoch) const;
    std::optional<FetchResponse> refuse_fetch(const FetchRequest& request) const;
    FetchResponse answer_fetch(const FetchRequest& request) const;
    bool needs_snapshot(Offset from, LeaderEpoch epoch) const;
    bool has_news(const FetchRequest& request) const;
    Progress* progress_of(const ReplicaKey& replica, Instant now);
    void note_progress(const FetchRequest& request, Instant now);
    void park(RequestId id, const FetchRequest& request, Instant now);
    void answer_parked(Instant now);
    void advance_fetch(Instant now);
    void ask_for_leader(Instant now);
    void send_fetch(BrokerId to, Instant now);
    void on_response(BrokerId from, const FetchResponse& response, Instant now);
    void truncate_to_leader(const EpochEnd& diverging, Instant now);
    bool take_batches(const FetchResponse& response);

    // voter_changes.cc
    void change_voters(RequestId id, const AddVoterRequest& request, Instant now);
    void change_voters(RequestId id, const RemoveVoterRequest& request, Instant now);
    void change_voters(RequestId id, const UpdateVoterRequest& request, Instant now);
    SupportedVersionsResponse on_request(const SupportedVersionsRequest& request, Instant now);
    ErrorCode refuse_change(LeaderEpoch epoch) const;
    std::optional<Error> refuse_now() const;
    bool names_own_listener(const std::vector<VoterEndpoint>& endpoints) const;
    bool is_caught_up(const ReplicaKey& observer, Instant now) const;
    VoterSet voters_of_new_epoch() const;
    Offset append_voters(std::vector<Voter> voters);
    void finish_change(ErrorCode error, std::string why);
    void advance_change(Instant now);
    std::optional<Request> wanted_change() const;
    void on_response(BrokerId from, const SupportedVersionsResponse& response, Instant now);
    void on_response(BrokerId from, const VoterChangeResponse& response, Instant now);

    // snapshot_fetch.cc
    FetchSnapshotResponse on_request(const FetchSnapshotRequest& request, Instant now);
    void begin_download(const SnapshotId& id, Instant now);
    void send_snapshot_fetch(Instant now);
    void on_response(BrokerId from, const FetchSnapshotResponse& response, Instant now);
    bool fits_download(const FetchSnapshotResponse& response) const;
    void take_chunk(const FetchSnapshotResponse& response);
    void give_up_download(std::string why, Instant now);

    // requests.cc
    /// What is wrong with a request for voters that claims `epoch` and comes from `sender`.
    ErrorCode refuse(LeaderEpoch epoch, BrokerId sender) const;
    /// True if a request that was meant for `voter` was meant for this replica.
    bool is_for_self(const ReplicaKey& voter) const;
    bool can_send(BrokerId to, Instant now) const;
    void send(BrokerId to, Request request, Instant now, std::vector<VoterEndpoint> endpoints = {});
    /// Forgets the request if it is the one on its way; false for an answer that nobody waits for
    /// any more.
    bool settle(BrokerId from, RequestId id);
    void back_off(BrokerId to, Instant now);
    void expire_requests(Instant now);
    LeaderView answer_view() const { return {state_.epoch, known_leader()}; }
    void complain(std::string what) { output_.complaints.push_back(std::move(what)); }

    CoreOptions options_;
    std::uint64_t random_state_;

    Role role_ = Role::unattached;
    bool started_ = false;
    bool shutting_down_ = false;
    bool failed_ = false;
    QuorumState state_;
    LeadershipChange told_;  ///< what the last LeadershipChange said

    Offset log_start_;
    Offset log_end_;       ///< with what is on its way to the log
    Offset appended_end_;  ///< can be read from the log
    Offset durable_end_;
    EpochHistory epochs_;
    VoterHistory voter_history_;
    std::optional<SnapshotId> snapshot_;
    std::optional<SnapshotId> log_start_snapshot_;
    std::optional<Offset> high_watermark_;

    /// When an election begins, ends or is given up; when a follower takes its leader for dead.
    Instant role_deadline_ = env::kNever;
    std::map<BrokerId, Vote> votes_;
    int split_votes_ = 0;  ///< since a leader was known
    std::map<BrokerId, Flight> flights_;
    std::uint64_t last_request_id_ = 0;

    // A leader's.
    Offset epoch_start_;
    std::map<BrokerId, Progress> progress_;  ///< the other voters
    std::map<ReplicaKey, Progress> observers_;
    std::vector<ParkedFetch> parked_;
    std::optional<VoterChange> change_;

    // A follower's.
    bool fetched_from_leader_ = false;
    bool leader_ended_ = false;  ///< the leader of this epoch has said that it resigned
    Offset leader_high_watermark_{-1};
    /// When this replica next looks whether its entry among the voters is what it should be.
    Instant own_entry_due_ = env::kNever;
    std::optional<Download> download_;
    /// Is being made the log's beginning, whoever leads meanwhile.
    std::optional<SnapshotId> loading_;
    Instant next_download_{};
    std::size_t next_asked_ = 0;  ///< whom an unattached replica asks next where the leader is

    Output output_;
};

}  // namespace milena::raft
