// SPDX-License-Identifier: Apache-2.0
// Machines whose disks are slow, fail, or fill up, or whose wall clock somebody sets. A disk that
// has failed is replaced by its mirror, as it were: the machine loses its power and starts with
// what is on it.
#include "sim/faults/fault.h"

namespace milena::sim {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr std::uint64_t kCallsMax = 2000;
constexpr std::uint64_t kRoomMax = 64U << 10;
constexpr int kShakes = 20;

env::Duration draw_skew(SeededRandom& random) {
    return random.between(env::Duration(0), seconds(7200)) - seconds(3600);
}

}  // namespace

void slow_the_disks(Stage& stage) {
    stage.any_server().machine().set_offload_delay(milliseconds(1), milliseconds(800));
}

void speed_up_the_disks(Stage& stage) {
    for (const auto& server : stage.servers)
        server->machine().set_offload_delay(microseconds(5), milliseconds(1));
}

/// Up to an hour ahead of, or behind, the others.
void set_a_wall_clock(Stage& stage) {
    stage.any_server().machine().clock().set_wall_skew(draw_skew(stage.random));
}

/// Jumps, forth and back, for some seconds.
void shake_the_wall_clocks(Stage& stage) {
    SimClock& clock = stage.any_server().machine().clock();
    env::Duration at{};
    for (int i = 0; i < kShakes; ++i) {
        at += stage.random.between(milliseconds(10), milliseconds(500));
        const env::Duration skew = i + 1 < kShakes ? draw_skew(stage.random) : env::Duration(0);
        stage.world.after(at, [&clock, skew] { clock.set_wall_skew(skew); });
    }
}

/// A sync takes about a second, and so does all else that is not done in place.
void slow_the_syncs(Stage& stage) {
    stage.any_server().machine().set_offload_delay(milliseconds(450), milliseconds(550));
}

void fail_a_call(Stage& stage) {
    Server& server = stage.any_server();
    if (!server.is_up()) return;
    server.suspect_disk();
    server.machine().faults().fail_call(stage.random.below(kCallsMax));
}

void fail_the_syncs(Stage& stage) {
    Server& server = stage.any_server();
    if (!server.is_up()) return;
    server.suspect_disk();
    server.machine().faults().set_syncs_fail(true);
}

void mend_the_disks(Stage& stage) {
    for (const auto& server : stage.servers) {
        if (server->disk_is_suspect()) server->lose_power();
        server->machine().faults().clear();
        server->disk_is_mended();
    }
    start_servers(stage);
}

/// Some KiB are left, or nothing.
void fill_the_disks(Stage& stage) {
    for (Server* const server : stage.victims()) {
        SimFileSystem& files = server->machine().files();
        files.set_capacity(files.disk().used_bytes() + stage.random.below(kRoomMax));
    }
}

void empty_the_disks(Stage& stage) {
    for (const auto& server : stage.servers) {
        server->machine().files().set_endless();
        server->disk_is_mended();
    }
    start_servers(stage);
}

}  // namespace milena::sim
