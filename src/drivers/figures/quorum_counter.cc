// SPDX-License-Identifier: Apache-2.0
// Bounded: of appends that wait for their commit as many are timed as fit, and of epochs the last.
#include "figures/quorum_counter.h"

namespace milena::drivers {
namespace {

constexpr std::size_t kPendingMax = 10'000;
constexpr std::size_t kEpochsMax = 1'000;

double milliseconds(env::Duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

QuorumCounter::QuorumCounter(raft::ReplicaKey self, const raft::RecoveredState& recovered)
    : self_(self), persisted_(recovered.quorum) {
    if (!recovered.epochs.empty()) epochs_.push_back(recovered.epochs.back());
}

void QuorumCounter::note(const raft::Core& core, const raft::Output& output, env::Instant now) {
    if (output.persist) persisted_ = *output.persist;
    note_log(core.role() == raft::Role::leader, output, now);
    note_leader(core, now);
}

void QuorumCounter::note_log(bool leads, const raft::Output& output, env::Instant now) {
    if (output.truncate_to) {
        std::erase_if(epochs_, [&](const raft::EpochStart& start) {
            return start.start_offset >= *output.truncate_to;
        });
    }
    for (const raft::Batch& batch : output.appends) {
        const auto records = static_cast<double>(batch.last_offset - batch.base_offset + 1);
        (leads ? appended_ : fetched_).add(records, now);
        if (epochs_.empty() || batch.epoch > epochs_.back().epoch)
            epochs_.push_back({batch.epoch, batch.base_offset});
        if (leads && pending_.size() < kPendingMax)
            pending_.push_back({batch.last_offset.next(), now});
    }
    if (epochs_.size() > kEpochsMax) epochs_.erase(epochs_.begin());
    // Who no longer leads hears of no commit of what it had appended.
    if (!leads) pending_.clear();
    if (!output.high_watermark) return;
    for (; !pending_.empty() && pending_.front().end <= *output.high_watermark;
         pending_.pop_front())
        commits_.add(milliseconds(now - pending_.front().since), now);
}

void QuorumCounter::note_leader(const raft::Core& core, env::Instant now) {
    const bool is_led = core.view().leader != kNoBroker;
    if (is_led && leaderless_since_)
        elections_.add(milliseconds(now - *std::exchange(leaderless_since_, std::nullopt)), now);
    if (!is_led && !leaderless_since_) leaderless_since_ = now;
}

QuorumFigures QuorumCounter::figures(const raft::Core& core, env::Instant now) const {
    QuorumFigures figures;
    figures.role = core.role();
    figures.is_voter = core.voters().contains(self_);
    const bool stands = figures.role == raft::Role::leader || figures.role == raft::Role::candidate;
    if (stands) {
        figures.vote = self_.id;
    } else if (persisted_.voted) {
        figures.vote = persisted_.voted->id;
    }
    if (!epochs_.empty()) figures.log_end_epoch = epochs_.back().epoch;
    for (const auto& [id, voter] : core.voters().by_id())
        figures.unknown_voters += voter.endpoints.empty() && id != self_.id ? 1 : 0;
    if (figures.role == raft::Role::leader) {
        figures.observers = 0;
        for (const raft::ReplicaProgress& replica : core.progress())
            *figures.observers += replica.is_voter ? 0 : 1;
    }
    figures.commit_latency_avg_ms = commits_.average(now);
    figures.commit_latency_max_ms = commits_.greatest(now);
    figures.election_latency_avg_ms = elections_.average(now);
    figures.election_latency_max_ms = elections_.greatest(now);
    figures.append_records_rate = appended_.per_second(now);
    figures.fetch_records_rate = fetched_.per_second(now);
    return figures;
}

}  // namespace milena::drivers
