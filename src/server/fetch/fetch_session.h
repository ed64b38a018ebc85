// SPDX-License-Identifier: Apache-2.0
// A fetch session: its partitions, the epoch that its next request must have, and the listeners
// that mark partitions with news. Belongs to no connection: guarded, reached from any thread. A
// request of a later epoch takes over from one that still waits, which is then answered
// INVALID_FETCH_SESSION_EPOCH.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "milena/env/env.h"
#include "milena/env/guarded.h"
#include "session_partitions.h"

namespace milena::server {

/// One request's turn in its session.
struct SessionTurn {
    ErrorCode code = ErrorCode::none;
    std::int32_t epoch = 0;      ///< of the next request
    std::size_t partitions = 0;  ///< none: the session ends with this request
};

/// A partition that a request no longer asks for, until its listener is gone.
struct ForgottenPartition {
    SessionPartitions::Slot slot = 0;
    std::shared_ptr<replication::Partition> replica;
    const replication::FetchListener* listener = nullptr;
};

/// A partition whose turn it is, and the replica whose news it heard so far.
struct DuePartition {
    SessionPartitions::Taken partition;
    std::shared_ptr<replication::Partition> replica;
};

class FetchSession : public std::enable_shared_from_this<FetchSession> {
public:
    using Slot = SessionPartitions::Slot;

    FetchSession(std::int32_t id, bool uses_topic_ids);

    std::int32_t id() const { return id_; }

    /// What its first request asks for, and was told in that order.
    void fill(const protocol::FetchRequest& body, std::span<const FetchPart> parts);

    /// The changes that a request makes, if it is the next one: else INVALID_FETCH_SESSION_EPOCH or
    /// FETCH_SESSION_TOPIC_ID_ERROR, or
    /// FETCH_SESSION_ID_NOT_FOUND if it becomes too large to be kept. `scratch` is memory to work
    /// in.
    SessionTurn begin(const protocol::FetchRequest& body, std::int16_t version,
                      std::vector<ForgottenPartition>& scratch);
    /// What has news since the last call. `names` are those that the turn was given so far, by the
    /// numbers of their partitions: new ones only are copied into `arena`, which must last as long.
    /// False if the turn is another's.
    bool take(const SessionTurn& turn, protocol::Arena& arena, std::vector<std::string_view>& names,
              std::vector<DuePartition>& out);
    /// The slot hears the news of `replica` from now on, which may be none. To be called before it
    /// is read. Nothing if the turn is another's: the slot may be too.
    void listen(const SessionTurn& turn, Slot slot,
                const std::shared_ptr<replication::Partition>& replica);
    /// That of a topic which is named by its id. Nothing if the turn is another's.
    void remember_name(const SessionTurn& turn, Slot slot, std::string_view name);
    /// Something that is marked, or the end of the turn, wakes `waiter`, until settle().
    void wake(const SessionTurn& turn, const std::weak_ptr<env::Wakeup>& waiter);
    /// Says which of `parts`, in the order of their numbers, must be told. False if the turn is
    /// another's.
    bool settle(const SessionTurn& turn, std::span<FetchPart> parts);

    /// It is kept no longer: hears no more news, and does not let anybody wait for some.
    void end();

private:
    struct Listener final : replication::FetchListener {
        Listener(FetchSession& its_session, Slot its_slot) : session(its_session), slot(its_slot) {}
        void partition_has_news() override { session.mark(slot); }
        FetchSession& session;
        const Slot slot;
    };
    struct State {
        explicit State(bool uses_topic_ids) : partitions(uses_topic_ids) {}
        SessionPartitions partitions;
        std::deque<Listener> listeners;  ///< by slot; they stay where they are
        std::vector<std::shared_ptr<replication::Partition>> heard;  ///< by slot
        std::vector<SessionPartitions::Taken> taken;
        std::int32_t epoch = 1;
        std::weak_ptr<env::Wakeup> waiter;
        bool has_ended = false;
    };

    void mark(Slot slot);
    bool is_current(const SessionTurn& turn) const;
    /// The slot's listener is registered with `replica`, as `listens` says it is now, if that is
    /// what the slot hears.
    void follow(const SessionTurn& turn, Slot slot,
                const std::shared_ptr<replication::Partition>& replica, bool listens);
    void ask(State& state, const protocol::FetchRequest& body);
    static void forget(State& state, const protocol::FetchRequest& body,
                       std::vector<ForgottenPartition>& out);
    /// The replica is not heard any more; without the guard.
    static void unlisten(std::vector<ForgottenPartition>& forgotten);

    const std::int32_t id_;
    const bool uses_topic_ids_;
    env::Guarded<State> state_;
};

}  // namespace milena::server
