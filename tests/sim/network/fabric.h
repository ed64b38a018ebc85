// SPDX-License-Identifier: Apache-2.0
// The wires between the hosts of a simulated world, and what is wrong with them: delays, cuts (each
// direction by itself), connections that break. Also the list of hosts and of what they listen on.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/network/connection.h"
#include "sim/timeline.h"
#include "sim/trace.h"

namespace milena::sim {

/// A port that a process listens on; connections wait here until it accepts them.
struct Listening {
    explicit Listening(std::shared_ptr<Parking> parking) : acceptor(std::move(parking)) {}

    static constexpr std::size_t kBacklogMax = 128;
    Pause acceptor;
    std::deque<std::shared_ptr<Connection>> backlog;
    bool is_closed = false;

    /// Refuses those who wait, and all who come.
    void close();
};

/// A machine as its peers see it.
struct Host {
    std::string name;
    bool has_power = true;
    std::map<std::uint16_t, std::shared_ptr<Listening>> listening;
    std::uint16_t next_port = 32768;
};

class Fabric {
public:
    Fabric(Timeline& timeline, SeededRandom random, Trace& trace);

    /// From now on nothing gets from `from` to `to`. What is on its way is held, and sent again
    /// after mend().
    void cut(const std::string& from, const std::string& to);
    void mend(const std::string& from, const std::string& to);
    void mend_all();
    /// Both ways between each of `one` and each of `other`.
    void split(const std::vector<std::string>& one, const std::vector<std::string>& other);
    void set_latency(env::Duration low, env::Duration high);
    /// Each arriving segment breaks its connection in that part of all cases.
    void set_break_rate(double probability) { break_rate_ = probability; }
    /// Breaks what is connected between the two, now.
    void break_connections(const std::string& one, const std::string& other);

    /// `listener` hears every whole frame, without its length, when it leaves either end of a
    /// connection to that port.
    using Listener = std::function<void(Connection&, Connection::Side from, BytesView frame)>;
    void listen_in(std::uint16_t port, Listener listener) {
        listened_port_ = port;
        listener_ = std::move(listener);
    }
    bool is_listened_in(std::uint16_t port) const { return port == listened_port_; }
    void overheard(Connection& connection, Connection::Side from, BytesView frame) const {
        listener_(connection, from, frame);
    }

    Host& add_host(const std::string& name);
    Host* find_host(const std::string& name);
    /// The process on `host` ended; its system closes what it had open.
    void lose_process(Host& host);
    /// The host is silent from now on, and forgets its connections.
    void lose_power(Host& host);
    void restore_power(Host& host);
    std::shared_ptr<Connection> connect(std::unique_ptr<ConnectionEnd> client,
                                        std::unique_ptr<ConnectionEnd> server);

    bool is_cut(const std::string& from, const std::string& to) const {
        return cuts_.contains({from, to});
    }
    env::Duration draw_latency() { return random_.between(latency_low_, latency_high_); }
    env::Duration draw_retransmission();
    std::size_t draw_segment_bytes(std::size_t bytes_max);
    std::size_t draw_read_bytes(std::size_t bytes_max);
    bool draw_break() { return break_rate_ > 0 && random_.chance(break_rate_); }
    Timeline& timeline() { return timeline_; }
    Trace& trace() { return trace_; }

private:
    /// Of all that still exist, in the order of their making: those with an end at `host`, and its
    /// side.
    std::vector<std::pair<std::shared_ptr<Connection>, Connection::Side>> connections_of(
        const Host& host);

    Timeline& timeline_;
    SeededRandom random_;
    Trace& trace_;
    std::set<std::pair<std::string, std::string>> cuts_;
    std::map<std::string, Host> hosts_;
    std::vector<std::weak_ptr<Connection>> connections_;
    std::uint64_t connections_made_ = 0;
    env::Duration latency_low_ = std::chrono::microseconds(50);
    env::Duration latency_high_ = std::chrono::milliseconds(2);
    double break_rate_ = 0;
    std::uint16_t listened_port_ = 0;
    Listener listener_;
};

}  // namespace milena::sim
