// SPDX-License-Identifier: Apache-2.0
// A segment that arrives meets one of: a cut, a host that forgot, an end that closed, or a reader.
#include "sim/network/connection.h"

#include <algorithm>
#include <utility>

#include "sim/network/fabric.h"

namespace milena::sim {

Connection::Connection(Fabric& fabric, std::uint64_t number, std::unique_ptr<ConnectionEnd> client,
                       std::unique_ptr<ConnectionEnd> server)
    : fabric_(fabric), number_(number), ends_{std::move(client), std::move(server)} {}

std::size_t Connection::put(Side side, BytesView bytes) {
    ConnectionEnd& from = end(side);
    // Half a window at least, or a reader of single bytes would make a writer of single bytes.
    if (from.unread_bytes > kWindowBytes / 2) return 0;
    const std::size_t room = kWindowBytes - from.unread_bytes;
    const BytesView taken = bytes.first(std::min(bytes.size(), room));
    from.unread_bytes += taken.size();
    if (fabric_.is_listened_in(ends_[1]->local.port)) overhear(side, taken);
    for (BytesView left = taken; !left.empty();) {
        const std::size_t count = fabric_.draw_segment_bytes(left.size());
        send(side, {Segment::Kind::data,
                    FileBytes(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count))});
        left = left.subspan(count);
    }
    return taken.size();
}

void Connection::overhear(Side side, BytesView bytes) {
    FileBytes& buffer = end(side).overheard;
    buffer.insert(buffer.end(), bytes.begin(), bytes.end());
    std::size_t at = 0;
    while (buffer.size() - at >= sizeof(std::uint32_t)) {
        const std::size_t size = load<std::uint32_t>(buffer.data() + at);
        if (buffer.size() - at - sizeof(std::uint32_t) < size) break;
        fabric_.overheard(*this, side, BytesView(buffer).subspan(at + sizeof(std::uint32_t), size));
        at += sizeof(std::uint32_t) + size;
    }
    buffer.erase(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(at));
}

std::size_t Connection::take(Side side, MutableBytes into) {
    ConnectionEnd& to = end(side);
    const std::size_t count = fabric_.draw_read_bytes(std::min(into.size(), to.inbox.size()));
    to.inbox.take(into.first(count));
    // The acknowledgement is taken to arrive at once: it could only be later.
    peer(side).unread_bytes -= count;
    if (peer(side).unread_bytes <= kWindowBytes / 2) peer(side).writer.wake();
    return count;
}

void Connection::close(Side side, bool abruptly) {
    ConnectionEnd& own = end(side);
    if (std::exchange(own.is_closed, true)) return;
    const bool is_rude = abruptly || !own.inbox.empty();
    own.inbox.clear();
    own.reader.wake();
    own.writer.wake();
    if (own.is_reset || own.is_forgotten) return;
    send(side, {is_rude ? Segment::Kind::reset : Segment::Kind::end, {}});
}

void Connection::send(Side from, Segment segment) {
    ConnectionEnd& sender = end(from);
    Timeline& timeline = fabric_.timeline();
    sender.last_arrival = std::max(sender.last_arrival, timeline.now() + fabric_.draw_latency());
    timeline.at(sender.last_arrival, 0,
                [self = shared_from_this(), from, segment = std::move(segment)]() mutable {
                    self->arrive(from, std::move(segment));
                });
}

void Connection::arrive(Side from, Segment segment) {
    ConnectionEnd& sender = end(from);
    const bool is_cut = fabric_.is_cut(sender.host->name, peer(from).host->name);
    if (is_cut && segment.kind == Segment::Kind::reset) return;  // nobody sends a reset twice
    if (is_cut || !sender.held.empty()) {
        sender.held.push_back(std::move(segment));
    } else {
        deliver(from, std::move(segment));
    }
}

void Connection::deliver(Side from, Segment segment) {
    ConnectionEnd& receiver = peer(from);
    if (receiver.is_forgotten) {
        end(from).is_unanswered = true;
        if (receiver.host->has_power) remember_nothing(1 - from);
        return;
    }
    fabric_.trace().fold(number_ << 8 | from << 4 | static_cast<std::uint64_t>(segment.kind));
    fabric_.trace().fold(segment.bytes);
    if (segment.kind == Segment::Kind::reset) return reset(1 - from);
    if (receiver.is_reset) return;
    if (receiver.is_closed) {
        if (segment.kind == Segment::Kind::data) send(1 - from, {Segment::Kind::reset, {}});
        return;
    }
    if (fabric_.draw_break()) return break_now();
    if (segment.kind == Segment::Kind::end) receiver.saw_end = true;
    receiver.inbox.put(segment.bytes);
    receiver.reader.wake();
}

void Connection::reset(Side side) {
    ConnectionEnd& own = end(side);
    own.is_reset = true;
    own.reader.wake();
    own.writer.wake();
}

void Connection::break_now() {
    reset(0);
    reset(1);
}

void Connection::forget(Side side) {
    end(side).is_forgotten = true;
    end(side).is_closed = true;
    end(side).held.clear();
    peer(side).is_unanswered = peer(side).unread_bytes > 0;
}

void Connection::remember_nothing(Side side) {
    if (!end(side).is_forgotten || !peer(side).is_unanswered) return;
    send(side, {Segment::Kind::reset, {}});
}

void Connection::release_held(Side side) {
    ConnectionEnd& sender = end(side);
    if (sender.held.empty()) return;
    // What was lost is sent again after a while that grew with the silence.
    fabric_.timeline().after(fabric_.draw_retransmission(), 0, [self = shared_from_this(), side] {
        std::deque<Segment> held = std::exchange(self->end(side).held, {});
        for (Segment& segment : held) self->arrive(side, std::move(segment));
    });
}

}  // namespace milena::sim
