// SPDX-License-Identifier: Apache-2.0
// One TCP connection between two simulated hosts, both ends of it. Bytes travel in segments of
// drawn sizes that arrive in order after drawn delays; a cut of the wire holds them back, a host
// without power answers nothing, a host that forgot the connection answers with a reset.
#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <memory>

#include "milena/env/network.h"
#include "sim/disk/inode.h"
#include "sim/parking.h"

namespace milena::sim {

class Fabric;
struct Host;

struct Segment {
    enum class Kind : std::uint8_t { data, end, reset };
    Kind kind = Kind::data;
    FileBytes bytes;
};

/// Bytes that have arrived and are not read.
class Inbox {
public:
    bool empty() const { return read_ == bytes_.size(); }
    std::size_t size() const { return bytes_.size() - read_; }
    void put(BytesView bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
    /// Fills `into`, for which there is enough.
    void take(MutableBytes into) {
        std::memcpy(into.data(), bytes_.data() + read_, into.size());
        read_ += into.size();
        if (empty()) clear();
    }
    void clear() {
        bytes_.clear();
        read_ = 0;
    }

private:
    FileBytes bytes_;
    std::size_t read_ = 0;
};

/// What one host knows of a connection.
struct ConnectionEnd {
    ConnectionEnd(Host& at, env::Endpoint own, std::shared_ptr<Parking> parking)
        : host(&at), local(std::move(own)), reader(parking), writer(parking) {}

    Host* host;
    env::Endpoint local;
    Pause reader;
    Pause writer;
    Inbox inbox;
    FileBytes overheard;        ///< what was sent from here and is no whole frame yet
    bool saw_end = false;       ///< the peer sent its last
    bool is_reset = false;      ///< broken
    bool is_closed = false;     ///< by its own side
    bool is_forgotten = false;  ///< its host lost power

    // The direction from here to the peer.
    std::uint64_t unread_bytes = 0;  ///< sent from here, not read there
    env::Instant last_arrival{};
    std::deque<Segment> held;    ///< by a cut, in order
    bool is_unanswered = false;  ///< something was sent to a host without power
};

class Connection : public std::enable_shared_from_this<Connection> {
public:
    using Side = std::size_t;  ///< 0 connected, 1 accepted
    static constexpr std::uint64_t kWindowBytes = 256U << 10;

    Connection(Fabric& fabric, std::uint64_t number, std::unique_ptr<ConnectionEnd> client,
               std::unique_ptr<ConnectionEnd> server);

    ConnectionEnd& end(Side side) { return *ends_[side]; }
    const ConnectionEnd& end(Side side) const { return *ends_[side]; }
    std::uint64_t number() const { return number_; }
    ConnectionEnd& peer(Side side) { return *ends_[1 - side]; }
    static bool is_usable(const ConnectionEnd& end) { return !end.is_closed && !end.is_reset; }

    /// As the stream's calls: bytes from this side into the wire, as many as the window takes, and
    /// out of its inbox.
    std::size_t put(Side side, BytesView bytes);
    std::size_t take(Side side, MutableBytes into);
    /// Ends it for this side: politely if all was read, else (or `abruptly`) with a reset.
    void close(Side side, bool abruptly = false);

    /// Both ends find it broken, now.
    void break_now();
    /// The host of that side lost its power.
    void forget(Side side);
    /// It has power again.
    void remember_nothing(Side side);
    /// The wire from that side's host is whole again.
    void release_held(Side side);

private:
    void overhear(Side side, BytesView bytes);
    void send(Side from, Segment segment);
    void arrive(Side from, Segment segment);
    void deliver(Side from, Segment segment);
    void reset(Side side);

    Fabric& fabric_;
    std::uint64_t number_;
    std::array<std::unique_ptr<ConnectionEnd>, 2> ends_;
};

}  // namespace milena::sim
