// SPDX-License-Identifier: Apache-2.0
// The door: keeps the replica's own state out of the header.
#include "milena/raft/core.h"

#include "replica.h"

namespace milena::raft {

Core::Core(CoreOptions options, RecoveredState recovered)
    : replica_(std::make_unique<Replica>(options, std::move(recovered))) {}
Core::~Core() = default;
Core::Core(Core&&) noexcept = default;
Core& Core::operator=(Core&&) noexcept = default;

Output Core::step(const Event& event, Instant now) {
    return replica_->step(event, now);
}

Role Core::role() const {
    return replica_->role();
}
LeaderView Core::view() const {
    return replica_->view();
}
const VoterSet& Core::voters() const {
    return replica_->voters();
}
std::int16_t Core::kraft_version() const {
    return replica_->kraft_version();
}
const VotersAt& Core::voters_at(Offset end) const {
    return replica_->voters_at(end);
}
bool Core::may_snapshot(const SnapshotId& id) const {
    return replica_->may_snapshot(id);
}
std::vector<ReplicaProgress> Core::progress() const {
    return replica_->progress();
}
Offset Core::log_start_offset() const {
    return replica_->log_start();
}
Offset Core::log_end_offset() const {
    return replica_->log_end();
}
std::optional<Offset> Core::high_watermark() const {
    return replica_->high_watermark();
}

}  // namespace milena::raft
