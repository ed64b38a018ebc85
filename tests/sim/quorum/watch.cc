// SPDX-License-Identifier: Apache-2.0
// What the world shows goes to the laws.
#include "sim/quorum/watch.h"

#include <algorithm>

namespace milena::sim {
namespace {

std::vector<std::int32_t> voters_among(const std::vector<std::unique_ptr<Server>>& servers) {
    std::vector<std::int32_t> voters;
    for (const auto& server : servers) {
        if (server->role().is_controller) voters.push_back(server->role().id);
    }
    return voters;
}

}  // namespace

QuorumWatch::QuorumWatch(World& world, const std::vector<std::unique_ptr<Server>>& servers,
                         std::vector<Violation>& found)
    : servers_(servers),
      laws_(voters_among(servers), found),
      images_(laws_),
      ears_(laws_, [&servers](const std::string& host) {
          const auto at =
              std::ranges::find(servers, host, [](const auto& one) { return one->name(); });
          return at == servers.end() ? -1 : (*at)->role().id;
      }) {
    for (const auto& server : servers)
        views_.emplace_back(server->machine(), server->role().id, laws_);
    world.observe([this] { look(); });
    world.network().listen_in(
        kControllerPort, [this](Connection& connection, Connection::Side from, BytesView frame) {
            ears_.hear(connection, from, frame);
        });
}

void QuorumWatch::look() {
    for (DiskView& view : views_) view.look();
    laws_.find_committed();
}

void QuorumWatch::compare_images() {
    look();
    images_.follow();
    for (const auto& server : servers_) {
        if (const auto image = server->image()) images_.is_published(server->name(), *image);
    }
}

bool QuorumWatch::is_everywhere() const {
    return std::ranges::all_of(servers_, [this](const auto& server) {
        const auto& log = laws_.log_of(server->role().id);
        return !log.empty() && log.back().end_offset >= laws_.committed_end();
    });
}

Server* QuorumWatch::leader() const {
    for (const auto& server : servers_) {
        if (server->role().id == laws_.newest_leader() && server->is_up()) return server.get();
    }
    return nullptr;
}

}  // namespace milena::sim
