// SPDX-License-Identifier: Apache-2.0
// The life of a connection: read, serve every whole frame, send what is ready, read again. Answers
// of parked requests come from other threads; they are posted to the core and sent by a coroutine
// of their own if the reader waits.
#include "milena/wire/connection.h"

#include <algorithm>
#include <utility>

#include "receive_buffer.h"

namespace milena::wire {
namespace {

constexpr std::size_t kPiecesMax = 32;
/// What is sent of a file before it is asked again whether the rest is in memory.
constexpr std::uint64_t kProbedBytes = 1 << 20;
/// What is read at once of a part that is not.
constexpr std::size_t kWarmStepBytes = 256 * 1024;
/// How long a read waits for the budget before it asks again.
constexpr env::Duration kBudgetPause = std::chrono::milliseconds(10);
/// How long requests may wait so that their connection can go to another core, and when that is
/// tried again.
constexpr env::Duration kRestTime = std::chrono::milliseconds(100);
constexpr env::Duration kRestPause = std::chrono::seconds(1);
/// What is read while a request is served, where somebody wants to know of it.
constexpr std::size_t kAheadBytesMax = 4096;

}  // namespace

Connection::Connection(CoreConnections& core, std::unique_ptr<env::Stream> stream,
                       const MakeHandler& make_handler)
    : core_(&core),
      stream_(std::move(stream)),
      buffer_(std::make_unique<ReceiveBuffer>(core.limits_.frame_bytes_max, core.budget_)),
      replies_(&core.env_.clock()),
      progress_(std::make_unique<env::Wakeup>(core.env_, core.owner_)),
      last_activity_(core.env_.clock().now()) {
    place_ = core_->by_activity_.insert(core_->by_activity_.end(), this);
    handler_ = make_handler(*this);
}

Connection::~Connection() {
    if (place_) core_->by_activity_.erase(*place_);
}

env::Task<Connection::End> Connection::run(std::shared_ptr<Connection> self,
                                           std::function<bool()> is_elsewhere) {
    env::Instant next_try{};
    for (;;) {
        // Here nothing is read ahead, as it is where a request has waited.
        if (is_elsewhere && self->last_activity_ >= next_try && is_elsewhere()) {
            if (co_await self->come_to_rest()) co_return End::moves;
            next_try = self->last_activity_ + kRestPause;
        }
        auto served = co_await self->serve_frames();
        if (!served) {
            self->log_end(served.error());
            break;
        }
        co_await self->flush();
        if (self->closed_) break;
        auto more = co_await self->read_more();
        if (!more || !*more) break;  // the peer has gone: nothing to say
    }
    // Answers that are ready leave before the end; those still parked do not keep a connection that
    // is over.
    co_await self->flush();
    while (self->flushing_) co_await self->progress_->wait_until(env::kNever);
    self->close();
    self->handler_->ended();
    co_return End::closed;
}

/// Until all that was asked is answered and sent; false if it has closed meanwhile, if somebody
/// reads, or if it takes so long that others would wait for it: replicas may be slow to answer.
env::Task<bool> Connection::come_to_rest() {
    const env::Instant give_up = core_->env_.clock().now() + kRestTime;
    while (!closed_ && (replies_.size() != 0 || flushing_)) {
        co_await flush();
        if (replies_.size() == 0 && !flushing_) break;
        if (!co_await progress_->wait_until(give_up)) co_return false;
    }
    co_return !closed_ && !is_reading_ahead_;
}

void Connection::leave(env::Executor next_owner) {
    core_->by_activity_.erase(*std::exchange(place_, std::nullopt));
    if (auto moved = stream_->move_to(next_owner); !moved) log_end(moved.error());
}

void Connection::arrive(CoreConnections& core) {
    core_ = &core;
    place_ = core_->by_activity_.insert(core_->by_activity_.end(), this);
    progress_ = std::make_unique<env::Wakeup>(core_->env_, core_->owner_);
    touch();
}

env::Task<Result<void>> Connection::serve_frames() {
    for (;;) {
        CO_TRY(auto frame, buffer_->next_frame());
        if (!frame) co_return ok();
        while (!replies_.has_room() && !closed_) {
            co_await flush();
            if (!replies_.has_room()) co_await progress_->wait_until(env::kNever);
        }
        if (closed_) co_return ok();
        touch();
        is_serving_ = true;
        CO_TRY_VOID(co_await handler_->serve(*frame, *this));
        is_serving_ = false;
    }
}

env::Task<Result<bool>> Connection::read_more() {
    auto room = buffer_->writable();
    waits_for_budget_ = !room;
    while (!room) {
        core_->close_most_stalled();
        co_await core_->env_.sleep(core_->owner_, kBudgetPause);
        if (closed_) co_return false;
        room = buffer_->writable();
    }
    waits_for_budget_ = false;
    CO_TRY(const std::size_t count, co_await read_into(*room));
    buffer_->received(count);
    touch();
    co_return count != 0;
}

/// What was read ahead comes first.
env::Task<Result<std::size_t>> Connection::read_into(MutableBytes room) {
    while (is_reading_ahead_) co_await progress_->wait_until(env::kNever);
    if (ahead_.empty()) {
        CO_TRY_VOID(std::exchange(ahead_end_, ok()));
        co_return co_await stream_->read_some(room);
    }
    const std::size_t count = std::min(room.size(), ahead_.size());
    std::ranges::copy(std::span(ahead_).first(count), room.begin());
    ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(count));
    co_return count;
}

void Connection::on_more(std::function<void()> hook) {
    more_hook_ = std::move(hook);
    if (!more_hook_ || is_reading_ahead_) return;
    if (buffer_->has_partial_frame() || !ahead_.empty() || !ahead_end_) return more_hook_();
    is_reading_ahead_ = true;
    env::spawn(core_->owner_, read_ahead(shared_from_this()));
}

/// The bytes of a request that is served lie in the buffer, which a read may move: these go beside
/// it.
env::Task<void> Connection::read_ahead(std::shared_ptr<Connection> self) {
    self->ahead_.resize(kAheadBytesMax);
    const auto count = co_await self->stream_->read_some(self->ahead_);
    self->ahead_.resize(count.value_or(0));
    if (!count) self->ahead_end_ = std::unexpected(count.error());
    self->is_reading_ahead_ = false;
    self->progress_->notify();
    if (self->more_hook_) self->more_hook_();
}

env::Task<void> Connection::flush() {
    if (flushing_) co_return;  // whoever flushes now takes what became ready meanwhile
    // Nobody is told of progress that was none: who waits for some would wake himself, for ever.
    if (closed_ || replies_.front_done() == nullptr) co_return;
    flushing_ = true;
    while (!closed_ && replies_.front_done() != nullptr) {
        if (auto sent = co_await send_ready(); !sent) close();
    }
    flushing_ = false;
    progress_->notify();
}

env::Task<Result<void>> Connection::send_ready() {
    // Answers without files go out together; one with files goes alone, since their bytes lie
    // between its own.
    std::array<BytesView, kPiecesMax> pieces;
    const env::Instant began = core_->env_.clock().now();
    std::size_t count = 0;
    std::size_t slots = 0;
    bool close_after = false;
    while (slots < replies_.size() && count < kPiecesMax && !close_after) {
        const ReplySlot& slot = replies_.at(slots);
        if (!slot.done || !slot.output.files().empty()) break;
        if (!slot.output.empty()) pieces[count++] = slot.output.bytes();
        close_after = slot.close_after;
        ++slots;
    }
    if (slots == 0) {
        slots = 1;
        close_after = replies_.at(0).close_after;
        CO_TRY_VOID(co_await send(replies_.at(0).output));
    } else if (count != 0) {
        CO_TRY_VOID(co_await stream_->write(std::span(pieces.data(), count)));
    }
    touch();
    for (; slots != 0; --slots) {
        replies_.at(0).tag.sending = began;
        handler_->answer_sent(replies_.at(0).tag, last_activity_);
        replies_.pop_front();
    }
    if (close_after) co_return fail(ErrorCode::none, "closed after an answer that says so");
    co_return ok();
}

env::Task<Result<void>> Connection::send(const Output& output) {
    std::size_t sent = 0;
    for (const FileSlice& slice : output.files()) {
        if (slice.position != sent) {
            const BytesView head = output.bytes().subspan(sent, slice.position - sent);
            CO_TRY_VOID(co_await stream_->write(std::span(&head, 1)));
            sent = slice.position;
        }
        CO_TRY_VOID(co_await send_file(slice));
    }
    if (const BytesView tail = output.bytes().subspan(sent); !tail.empty()) {
        CO_TRY_VOID(co_await stream_->write(std::span(&tail, 1)));
    }
    co_return ok();
}

// A peer may take so long for a part that the next one is not in memory any more: each is asked
// for.
env::Task<Result<void>> Connection::send_file(const FileSlice& slice) {
    for (std::uint64_t sent = 0; sent < slice.length && !closed_;) {
        const std::uint64_t from = slice.file_position + sent;
        const std::uint64_t length = std::min<std::uint64_t>(slice.length - sent, kProbedBytes);
        if (!slice.file->is_cached(from + length - 1))
            CO_TRY_VOID(co_await warm(*slice.file, from, length));
        CO_TRY_VOID(co_await stream_->send_file(*slice.file, from, length));
        sent += length;
    }
    co_return ok();
}

/// Has the range read in the disk pool, so that sendfile finds it in memory.
env::Task<Result<void>> Connection::warm(const env::File& file, std::uint64_t position,
                                         std::size_t length) {
    Result<void> read;
    const auto turns = core_->limits_.cold_reads->turns_for(file.path());
    co_await turns->run(core_->env_, core_->owner_, [&] {
        std::vector<std::byte> piece(std::min(length, kWarmStepBytes));
        for (std::size_t done = 0; done < length && read; done += piece.size()) {
            const auto count = file.read_at(position + done, piece);
            if (!count) read = std::unexpected(count.error());
        }
    });
    if (closed_) co_return fail(ErrorCode::none, "closed while its records were read");
    co_return read;
}

DeferredReply Connection::defer(ReplySlot& slot) {
    slot.parked = core_->env_.clock().now();
    return DeferredReply(weak_from_this(), core_->owner_, slot);
}

void DeferredReply::complete(std::function<void(ReplySlot&)> fill) const {
    // The slot lives as long as the connection, and stays open until it is marked done here.
    env::post(owner_, [connection = connection_, slot = slot_, fill = std::move(fill)] {
        const auto alive = connection.lock();
        if (alive == nullptr || alive->is_closed()) return;
        fill(*slot);
        slot->tag.waited += alive->env().clock().now() - slot->parked;
        alive->replies_.mark_done(*slot);
        alive->reply_became_ready();
    });
}

void Connection::reply_became_ready() {
    progress_->notify();
    if (flushing_ || replies_.front_done() == nullptr) return;
    env::spawn(core_->owner_, [](std::shared_ptr<Connection> self) -> env::Task<void> {
        co_await self->flush();
    }(shared_from_this()));
}

env::Task<void> Connection::wait_pending_below(std::size_t count) {
    while (replies_.pending() >= count && !closed_) {
        co_await flush();
        if (replies_.pending() >= count) co_await progress_->wait_until(env::kNever);
    }
}

void Connection::touch() {
    last_activity_ = core_->env_.clock().now();
    core_->by_activity_.splice(core_->by_activity_.end(), core_->by_activity_, *place_);
}

void Connection::close() {
    if (closed_) return;
    closed_ = true;
    stream_->close();
    progress_->notify();
    if (close_hook_) close_hook_();
}

void Connection::log_end(const Error& error) {
    std::uint64_t suppressed = 0;
    if (!core_->hostile_.admit(last_activity_.time_since_epoch(), suppressed)) return;
    LOG_WARN(core_->log_, "connection closed", kv("peer", remote().text()),
             kv("listener", local().text()), kv("error", error_name(error.code)),
             kv("why", error.why), kv("lines_suppressed", suppressed));
}

}  // namespace milena::wire
