// SPDX-License-Identifier: Apache-2.0
// What runs the raft core: one coroutine does what outputs ask for, in their order, and is the only
// one that touches the log; one waits for the core's timers; at most one sync is on its way in the
// quorum's pool. They share this object, which lives as long as any of them. Everything happens on
// env.control().
#pragma once

#include <deque>
#include <map>
#include <variant>

#include "figures/quorum_counter.h"
#include "milena/drivers/quorum.h"
#include "milena/env/guarded.h"
#include "milena/raft/metadata_log.h"
#include "milena/raft/snapshot_download.h"
#include "milena/raft/snapshot_writer.h"
#include "quorum_peers.h"

namespace milena::drivers {

class QuorumNode : public std::enable_shared_from_this<QuorumNode> {
public:
    QuorumNode(env::Env& env, Logger logger, QuorumOptions options,
               std::unique_ptr<raft::MetadataLog> log);

    void start(std::vector<QuorumListener*> listeners);
    Result<AppendedRange> schedule(LeaderEpoch expected_epoch,
                                   std::vector<std::vector<std::byte>> values);
    env::Task<Result<Offset>> append(LeaderEpoch expected_epoch,
                                     std::vector<std::vector<std::byte>> values);
    env::Task<Result<std::uint64_t>> write_snapshot(SnapshotContent content);
    std::optional<StoredMetadataSnapshot> newest_snapshot() const;
    QuorumStatus status() const;
    std::int16_t kraft_version() const;
    std::vector<raft::ReplicaProgress> progress() const { return core_.progress(); }
    env::Task<void> stop();
    /// What a request of another replica is answered.
    static env::Task<server::QuorumAnswer> answer(std::shared_ptr<QuorumNode> self,
                                                  raft::Request request, std::uint64_t bytes_max);
    /// The owner has gone without stop(): nobody is called any more.
    void abandon();

private:
    struct Synced {
        storage::Log::PendingSync done;
        Result<void> result;
    };
    /// Time to look for what is old.
    struct Clean {};
    using Work = std::variant<raft::Output, Synced, raft::StoredSnapshot, Clean>;

    /// An append() that waits for its commit.
    struct Waiting {
        explicit Waiting(env::Env& env) : wakeup(env, env.control()) {}
        env::Wakeup wakeup;
        std::optional<Result<void>> outcome;
    };

    /// A request of another replica that waits for its answer.
    struct Asking {
        Asking(env::Env& env, raft::Request what, std::uint64_t bytes)
            : wakeup(env, env.control()), request(std::move(what)), bytes_max(bytes) {}
        env::Wakeup wakeup;
        const raft::Request request;
        const std::uint64_t bytes_max;
        std::optional<server::QuorumAnswer> answer;
    };

    raft::Output step(const raft::Event& event);
    void step_and_queue(const raft::Event& event) { queue(step(event)); }
    void queue(Work work);
    Result<void> check_size(const std::vector<std::vector<std::byte>>& values) const;

    env::Task<void> run(std::shared_ptr<QuorumNode> self);
    env::Task<void> keep_time(std::shared_ptr<QuorumNode> self);
    void deliver_snapshot(const raft::Snapshot& snapshot);
    env::Task<Result<void>> perform(raft::Output output);
    env::Task<Result<void>> perform(Synced synced);
    env::Task<Result<void>> perform(raft::StoredSnapshot snapshot);
    env::Task<Result<void>> perform(Clean);
    env::Task<Result<void>> write(std::vector<raft::Batch> batches);
    void start_sync();
    env::Task<void> sync(std::shared_ptr<QuorumNode> self, storage::Log::PendingSync pending);

    // quorum_snapshots.cc
    Result<raft::SnapshotHead> snapshot_head(const SnapshotContent& content) const;
    Result<raft::StoredSnapshot> write_content(const SnapshotContent& content,
                                               raft::SnapshotHead head) const;
    void remove_later(std::vector<std::string> paths);
    env::Task<void> remove(std::shared_ptr<QuorumNode> self, std::vector<std::string> paths);
    Result<void> write_chunk(const raft::SnapshotChunk& chunk);
    env::Task<bool> take_chunk(const raft::SnapshotChunk& chunk);
    env::Task<Result<void>> load_snapshot(raft::SnapshotId id);
    env::Task<storage::FileRange> find_bytes(raft::FetchSnapshotResponse& response,
                                             std::uint64_t bytes_max);

    // quorum_talk.cc
    void send(raft::Message message);
    static env::Task<void> exchange(std::shared_ptr<QuorumNode> self, raft::Message message,
                                    bool is_awaited);
    env::Task<void> reply(raft::Reply reply);
    void answer_all_unavailable();
    void note_leader(LeaderEpoch epoch, raft::LeaderNode node);
    std::optional<raft::VoterEndpoint> endpoint_of(BrokerId id) const;
    std::vector<raft::VoterEndpoint> own_endpoints() const;

    env::Task<Result<void>> deliver();
    Result<void> hand_over(const raft::MetadataLog::Chunk& chunk);
    void tell_leader(const raft::LeadershipChange& change);
    void settle_committed();
    void fail_waiting(const Error& why);
    void abandon_snapshot() {
        abandons_snapshot_.with([](bool& abandons) { abandons = true; });
    }
    void give_up(const Error& why);
    env::Task<void> close();

    env::Env& env_;
    Logger log_;
    const QuorumOptions options_;
    std::unique_ptr<raft::MetadataLog> metadata_log_;
    raft::Core core_;
    QuorumCounter counter_;
    QuorumPeers peers_;
    std::vector<QuorumListener*> listeners_;

    std::deque<Work> works_;
    env::Wakeup work_ready_;
    env::Wakeup timer_changed_;
    env::Instant wake_at_ = env::kNever;

    bool started_ = false;
    bool stopping_ = false;
    bool ended_ = false;
    bool syncing_ = false;
    /// Snapshots being written and files being removed: stop() waits for them.
    int background_ = 0;
    bool writing_snapshot_ = false;
    /// The log's own list is the pool's while it cleans.
    std::optional<raft::StoredSnapshot> newest_snapshot_;
    /// Says to a snapshot that is being written that nobody wants it any more.
    env::Guarded<bool> abandons_snapshot_{false};
    /// What is being fetched of the leader's.
    std::optional<raft::SnapshotDownload> download_;
    /// The file that others fetch from, open from one piece to the next.
    struct Served {
        raft::SnapshotId id;
        std::shared_ptr<const env::File> file;
    };
    std::optional<Served> served_;
    env::Instant next_clean_ = env::kNever;
    bool disk_is_slow_ = false;
    std::optional<Error> failure_;
    std::vector<std::shared_ptr<env::Wakeup>> ends_;

    Offset committed_;
    Offset delivered_;
    /// Everything from here on was written by this process and is in the page cache.
    Offset warm_from_;
    /// This node was elected, but has not yet handed over all that came before.
    std::optional<raft::LeadershipChange> pending_leadership_;
    std::multimap<Offset, std::shared_ptr<Waiting>> waiting_;
    std::map<raft::RequestId, std::shared_ptr<Asking>> asking_;
    std::uint64_t last_asking_ = 0;
    /// Where the leader of an epoch has said that it is reached.
    std::optional<raft::LeaderNode> named_leader_;
    LeaderEpoch named_leader_epoch_;
    /// For those who ask from other threads.
    env::Guarded<std::int16_t> kraft_version_{std::int16_t{0}};
    std::deque<std::pair<Offset, std::size_t>> uncommitted_;
    std::size_t uncommitted_bytes_ = 0;
};

}  // namespace milena::drivers
