// SPDX-License-Identifier: Apache-2.0
// A sorted list of (epoch, start); a log has few epochs, so a search from the back is enough.
#include "epoch_history.h"

#include <algorithm>

#include "milena/base/invariant.h"

namespace milena::raft {

EpochHistory::EpochHistory(std::vector<EpochStart> starts) {
    for (const EpochStart& start : starts) note(start.epoch, start.start_offset);
}

void EpochHistory::note(LeaderEpoch epoch, Offset offset) {
    INVARIANT(starts_.empty() || epoch >= starts_.back().epoch, "an epoch below the log's last");
    INVARIANT(starts_.empty() || offset >= starts_.back().start_offset,
              "an epoch that begins too early");
    if (starts_.empty() || epoch > starts_.back().epoch) starts_.push_back({epoch, offset});
}

void EpochHistory::truncate(Offset end) {
    while (!starts_.empty() && starts_.back().start_offset >= end) starts_.pop_back();
}

void EpochHistory::truncate_start(Offset start) {
    while (starts_.size() > 1 && starts_[1].start_offset < start) starts_.erase(starts_.begin());
    if (!starts_.empty())
        starts_.front().start_offset = std::max(starts_.front().start_offset, start);
}

LeaderEpoch EpochHistory::last_epoch() const {
    return starts_.empty() ? kNoLeaderEpoch : starts_.back().epoch;
}

std::optional<EpochEnd> EpochHistory::end_of(LeaderEpoch epoch, Offset log_end) const {
    Offset end = log_end;
    for (auto start = starts_.rbegin(); start != starts_.rend(); ++start) {
        if (start->epoch <= epoch) return EpochEnd{start->epoch, end};
        end = start->start_offset;
    }
    return std::nullopt;
}

}  // namespace milena::raft
