// SPDX-License-Identifier: Apache-2.0
// A network that is cut in many ways, breaks connections, is slow, or brings a request twice.
// Clients reach all servers whose wires are cut from each other.
#include <algorithm>

#include "sim/faults/fault.h"

namespace milena::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr double kBreakRate = 0.02;
constexpr std::uint64_t kFramesMax = 20;
constexpr env::Duration kReplayPauseMax = milliseconds(200);

/// Any other machine.
const std::string& any_peer(Stage& stage, const Server& server) {
    const auto& nodes = stage.world.nodes();
    for (;;) {
        const auto& name = nodes[stage.random.below(nodes.size())]->name();
        if (name != server.name()) return name;
    }
}

std::vector<std::string> names_of(const Stage& stage) {
    std::vector<std::string> names;
    for (const auto& server : stage.servers) names.push_back(server->name());
    return names;
}

/// In an order drawn anew.
std::vector<std::string> shuffled_names(Stage& stage) {
    std::vector<std::string> names = names_of(stage);
    for (std::size_t i = names.size(); i > 1; --i)
        std::swap(names[i - 1], names[stage.random.below(i)]);
    return names;
}

/// Connects as anybody could, sends what was heard, and does not wait for the answer.
env::Task<void> send_again(Node& clients, HeardRequest heard, env::Duration pause) {
    co_await clients.sleep(clients.core(0), pause);
    auto stream = co_await clients.network().connect({heard.to, heard.port}, clients.core(0),
                                                     clients.clock().now() + milliseconds(500));
    if (!stream) co_return;
    const BytesView frame(heard.frame);
    const auto sent = co_await (*stream)->write(std::span(&frame, 1));
    if (sent) co_await clients.sleep(clients.core(0), milliseconds(100));
}

}  // namespace

void split_in_halves(Stage& stage) {
    std::vector<std::string> one = shuffled_names(stage);
    const auto half = static_cast<std::ptrdiff_t>(one.size() / 2);
    const std::vector<std::string> other(one.begin(), one.begin() + half);
    one.erase(one.begin(), one.begin() + half);
    stage.world.network().split(one, other);
}

/// Each server reaches its two neighbours; of three all would, so one wire less is left.
void make_a_ring(Stage& stage) {
    const std::vector<std::string> names = shuffled_names(stage);
    const std::size_t count = names.size();
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = i + 1; j < count; ++j) {
            const bool are_neighbours = j == i + 1 || (count > 3 && i == 0 && j == count - 1);
            if (!are_neighbours) stage.world.network().split({names[i]}, {names[j]});
        }
    }
}

void lock_in_the_leader(Stage& stage) {
    const Server* const leader = stage.watch.leader();
    std::vector<std::string> others = names_of(stage);
    const std::string one = leader != nullptr ? leader->name() : others.front();
    std::erase(others, one);
    stage.world.network().split({one}, others);
}

/// Or dumb: what it sends is lost, and what is sent to it arrives.
void make_one_deaf(Stage& stage) {
    const std::string& one = stage.any_server().name();
    const bool is_deaf = stage.random.chance(0.5);
    for (const std::string& other : names_of(stage)) {
        if (other == one) continue;
        stage.world.network().cut(is_deaf ? other : one, is_deaf ? one : other);
    }
}

void send_frames_again(Stage& stage) {
    const auto& heard = stage.watch.requests();
    for (std::uint64_t i = 0; i < kFramesMax && !heard.empty(); ++i) {
        const env::Duration pause = stage.random.between(env::Duration(0), kReplayPauseMax * 10);
        env::spawn(stage.clients.core(0),
                   send_again(stage.clients, heard[stage.random.below(heard.size())], pause));
    }
}

void cut_the_wires(Stage& stage) {
    const Server& server = stage.any_server();
    const std::string& peer = any_peer(stage, server);
    const std::uint64_t ways = stage.random.between(1, 3);
    if ((ways & 1) != 0) stage.world.network().cut(server.name(), peer);
    if ((ways & 2) != 0) stage.world.network().cut(peer, server.name());
}

void mend_the_wires(Stage& stage) {
    stage.world.network().mend_all();
    stage.world.network().set_break_rate(0);
}

void break_connections(Stage& stage) {
    const Server& server = stage.any_server();
    stage.world.network().break_connections(server.name(), any_peer(stage, server));
}

void break_connections_at_random(Stage& stage) {
    stage.world.network().set_break_rate(kBreakRate);
}

void slow_the_network(Stage& stage) {
    stage.world.network().set_latency(milliseconds(1), milliseconds(400));
}

void speed_up_the_network(Stage& stage) {
    stage.world.network().set_latency(microseconds(50), milliseconds(2));
}

}  // namespace milena::sim
