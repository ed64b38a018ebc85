// SPDX-License-Identifier: Apache-2.0
// A client's connection: frames in, answers out, in order. It knows nothing of what a request
// means; a FrameHandler does. Lives on one core, whose thread makes every call unless a comment
// says otherwise; between two requests it may be given to another core.
//
//   frame:  i32 size | size bytes
//
// Memory is taken as bytes arrive, never by the size a peer announces. Answers leave in the order
// of their requests; one that is ready before an earlier one waits for it. What is ready goes out
// in one write.
#pragma once

#include <array>
#include <functional>
#include <list>
#include <memory>
#include <optional>

#include "milena/base/logger.h"
#include "milena/env/byte_budget.h"
#include "milena/env/env.h"
#include "milena/wire/cold_reads.h"
#include "milena/wire/output.h"

namespace milena::wire {

class Connection;
class ReceiveBuffer;

/// Answers that may be under way on one connection: the ring of ReplyQueue.
inline constexpr std::size_t kRepliesMax = 64;

/// Bytes of finished answers that may wait on one connection for its peer to take them; then no
/// further request is served. One answer may be larger.
inline constexpr std::size_t kUnsentBytesMax = 1 << 20;

/// What a handler wants to know of a request once its answer is gone.
struct ReplyTag {
    std::uint32_t value = 0;
    env::Instant received;   ///< the last byte of the request
    env::Instant begun;      ///< its turn among the requests of the connection
    env::Duration waited{};  ///< for others: replicas, records, a controller
    env::Instant ready{};    ///< the answer was complete
    env::Instant sending{};  ///< its first byte was handed to the system
};

/// The place of one answer in the order of the connection.
struct ReplySlot {
    Output output;
    ReplyTag tag;
    env::Instant parked{};  ///< since when somebody else is to complete it
    bool done = false;
    bool close_after = false;  ///< the connection ends when this and all before it were sent
};

/// The answers of one connection, oldest first.
class ReplyQueue {
public:
    /// Without a clock nothing is noted of when answers were complete.
    explicit ReplyQueue(env::Clock* clock = nullptr) : clock_(clock) {}

    /// Marks the slots that are opened from now on.
    void tag_next(const ReplyTag& tag) { next_tag_ = tag; }
    /// The request that is being served is counted as something else.
    void retag_next(std::uint32_t value) { next_tag_.value = value; }
    /// It has waited for others.
    void note_wait(env::Duration time) { next_tag_.waited += time; }
    /// A place behind all others. At most kRepliesMax may be open: wait for room first.
    ReplySlot& open();
    std::size_t size() const { return end_ - begin_; }
    /// Slots that are not done.
    std::size_t pending() const { return pending_; }
    /// Bytes of those that are, without the ranges of files.
    std::size_t unsent_bytes() const { return unsent_bytes_; }
    /// There is a place for another answer, and its peer takes what it gets.
    bool has_room() const { return size() < kRepliesMax && unsent_bytes_ < kUnsentBytesMax; }
    void mark_done(ReplySlot& slot);
    /// The oldest slot if it is done.
    ReplySlot* front_done();
    /// The `index`-th oldest.
    ReplySlot& at(std::size_t index) { return *ring_[(begin_ + index) % kRepliesMax]; }
    void pop_front();

private:
    env::Clock* clock_;
    std::array<std::unique_ptr<ReplySlot>, kRepliesMax> ring_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t pending_ = 0;
    std::size_t unsent_bytes_ = 0;
    ReplyTag next_tag_;
};

/// Answers a parked request later, from any thread; does nothing if the connection is gone.
class DeferredReply {
public:
    DeferredReply(std::weak_ptr<Connection> connection, env::Executor owner, ReplySlot& slot)
        : connection_(std::move(connection)), owner_(owner), slot_(&slot) {}
    /// `fill` runs on the connection's thread and writes the answer into the slot. Once.
    void complete(std::function<void(ReplySlot&)> fill) const;

private:
    std::weak_ptr<Connection> connection_;
    env::Executor owner_;
    ReplySlot* slot_;
};

/// Serves the frames of one connection.
class FrameHandler {
public:
    virtual ~FrameHandler() = default;
    /// Serves one frame, whose bytes are the handler's until it returns. Opens at most one slot,
    /// and either marks it done or defers it. An error closes the connection, its `why` is logged.
    virtual env::Task<Result<void>> serve(MutableBytes frame, Connection& connection) = 0;
    /// The last byte of an answer has been handed to the system.
    virtual void answer_sent(const ReplyTag& tag, env::Instant now) = 0;
    /// The connection has ended; the last call. It does not come where the process itself ends.
    virtual void ended() {}
};

struct ConnectionLimits {
    std::uint32_t frame_bytes_max = 100U * 1024 * 1024;  ///< socket.request.max.bytes
    env::Duration idle_max = std::chrono::minutes(10);   ///< connections.max.idle.ms
    /// Reads of files that are not in memory, of all connections that share these limits.
    std::shared_ptr<ColdReads> cold_reads = std::make_shared<ColdReads>();
};

/// All connections of one core, in the order of their last sign of life.
class CoreConnections {
public:
    CoreConnections(env::Env& env, env::Executor owner, ConnectionLimits limits,
                    env::ByteBudget& budget, Logger log);

    std::size_t size() const { return by_activity_.size(); }
    /// Closes those that have been silent for longer than the limit; looks at no others. Whoever
    /// waits for an answer is not silent.
    void close_idle();
    void close_all();
    /// The budget is full: closes the connection whose unfinished frame has waited longest for its
    /// next byte, if that is longer than a second.
    void close_most_stalled();

private:
    friend class Connection;
    env::Env& env_;
    env::Executor owner_;
    ConnectionLimits limits_;
    env::ByteBudget& budget_;
    Logger log_;
    LogLimit hostile_;
    std::list<Connection*> by_activity_;  ///< the longest silent first
};

class Connection : public std::enable_shared_from_this<Connection> {
public:
    /// Makes the handler of a new connection.
    using MakeHandler = std::function<std::unique_ptr<FrameHandler>(Connection&)>;

    Connection(CoreConnections& core, std::unique_ptr<env::Stream> stream,
               const MakeHandler& make_handler);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    enum class End : std::uint8_t { closed, moves };
    /// Serves frames until one side closes; or until `is_elsewhere`, which is asked before what a
    /// read has brought is served, says that another core is to go on, and everything is answered.
    static env::Task<End> run(std::shared_ptr<Connection> self,
                              std::function<bool()> is_elsewhere = {});
    /// After run() said that it moves: leave() here, then arrive() on the thread of `core`, then
    /// run() there. In between nobody closes it.
    void leave(env::Executor next_owner);
    void arrive(CoreConnections& core);

    ReplyQueue& replies() { return replies_; }
    DeferredReply defer(ReplySlot& slot);
    /// Waits until fewer than `count` answers are not done.
    env::Task<void> wait_pending_below(std::size_t count);

    const env::Endpoint& remote() const { return stream_->remote(); }
    const env::Endpoint& local() const { return stream_->local(); }
    env::Env& env() { return core_->env_; }
    env::Executor owner() const { return core_->owner_; }
    bool is_closed() const { return closed_; }
    void close();
    /// `hook` runs once when the connection closes: so that a request that waits for something else
    /// gives up. An empty one takes it back.
    void on_close(std::function<void()> hook) { close_hook_ = std::move(hook); }
    /// `hook` runs when the peer has sent more than the request that is being served, at once if it
    /// has already, or when it has sent its last: so that a request that waits may make way. An
    /// empty one takes it back, before the request is answered.
    void on_more(std::function<void()> hook);

private:
    friend class CoreConnections;
    friend class DeferredReply;

    env::Task<Result<void>> serve_frames();
    env::Task<Result<bool>> read_more();
    env::Task<bool> come_to_rest();
    static env::Task<void> read_ahead(std::shared_ptr<Connection> self);
    env::Task<Result<std::size_t>> read_into(MutableBytes room);
    env::Task<void> flush();
    env::Task<Result<void>> send_ready();
    env::Task<Result<void>> send(const Output& output);
    env::Task<Result<void>> send_file(const FileSlice& slice);
    env::Task<Result<void>> warm(const env::File& file, std::uint64_t position, std::size_t length);
    void touch();
    void log_end(const Error& error);
    void reply_became_ready();

    CoreConnections* core_;
    std::unique_ptr<env::Stream> stream_;
    std::unique_ptr<FrameHandler> handler_;
    std::unique_ptr<ReceiveBuffer> buffer_;
    ReplyQueue replies_;
    /// An answer became done, or output was sent.
    std::unique_ptr<env::Wakeup> progress_;
    std::function<void()> close_hook_;
    std::function<void()> more_hook_;
    std::vector<std::byte> ahead_;  ///< read while a request was served
    Result<void> ahead_end_;        ///< why there is no more behind it
    bool is_reading_ahead_ = false;
    bool is_serving_ = false;
    bool flushing_ = false;
    bool waits_for_budget_ = false;
    bool closed_ = false;
    env::Instant last_activity_;
    std::optional<std::list<Connection*>::iterator> place_;  ///< none on the way between cores
};

}  // namespace milena::wire
