// SPDX-License-Identifier: Apache-2.0
// Segments are read in the order of their names, as far as their batches are whole.
#include "sim/runs/replica_logs.h"

#include <algorithm>

#include "milena/record/batch.h"

namespace milena::sim {
namespace {

void read_segment(const FileBytes& bytes, ReplicaLog& into) {
    for (std::size_t position = 0;;) {
        const auto batch = record::first_batch(BytesView(bytes).subspan(position));
        if (!batch || !*batch || !(*batch)->check_crc()) return;
        const BytesView whole = (*batch)->bytes();
        into.batches.push_back({.base_offset = (*batch)->base_offset().value,
                                .end_offset = (*batch)->next_offset().value,
                                .bytes = {whole.begin(), whole.end()}});
        position += whole.size();
    }
}

ReplicaLog read_log(Server& server, const Place& place) {
    ReplicaLog log{.server = server.name(), .batches = {}};
    const auto directory = server.machine().files().disk().find("/data/" + place.text());
    if (directory == nullptr) return log;
    for (const auto& [name, inode] : directory->names) {
        if (!inode->is_directory && name.ends_with(".log"))
            read_segment(inode->content.visible(), log);
    }
    return log;
}

}  // namespace

std::vector<ReplicaLog> replica_logs(const std::vector<std::unique_ptr<Server>>& servers,
                                     const metadata::Image& image, const Place& place) {
    std::vector<ReplicaLog> logs;
    const auto topic = image.topics->find(place.topic);
    if (topic == nullptr) return logs;
    const auto& replicas = topic->partitions.at(PartitionIndex(place.partition)).replicas;
    for (const auto& server : servers) {
        if (std::ranges::find(replicas, BrokerId(server->role().id)) != replicas.end())
            logs.push_back(read_log(*server, place));
    }
    return logs;
}

}  // namespace milena::sim
