// SPDX-License-Identifier: Apache-2.0
// Each law is checked where the fact that could break it is told.
#include "sim/quorum/laws.h"

#include <algorithm>

#include <fmt/format.h>

namespace milena::sim {

void QuorumLaws::complain(std::string what) {
    if (++complaints_ <= kFoundMax) found_.push_back({"I19", std::move(what)});
}

void QuorumLaws::leads(std::int32_t leader, std::int32_t epoch) {
    const auto [known, is_new] = leaders_.try_emplace(epoch, leader);
    if (known->second != leader) {
        complain(fmt::format("epoch {} is led by {} and by {}", epoch, known->second, leader));
    }
    newest_epoch_ = std::max(newest_epoch_, epoch);
}

void QuorumLaws::vote_is_given(std::int32_t node, std::int32_t epoch, std::int32_t candidate) {
    const auto [known, is_new] = votes_.try_emplace({node, epoch}, candidate);
    if (known->second != candidate) {
        complain(fmt::format("{} votes for {} and for {} in epoch {}", node, known->second,
                             candidate, epoch));
    }
}

void QuorumLaws::state_is_durable(std::int32_t node, const raft::QuorumState& state) {
    Seen& seen = nodes_[node];
    const std::int32_t epoch = state.epoch.value;
    if (epoch < seen.epoch) {
        complain(fmt::format("{} is back in epoch {} after {}", node, epoch, seen.epoch));
    }
    seen.epoch = epoch;
    seen.leader = state.leader.value;
    if (state.leader != kNoBroker) leads(state.leader.value, epoch);
    if (state.voted) vote_is_given(node, epoch, state.voted->id.value);
    if (state.leader.value == node) vote_is_given(node, epoch, node);
    is_changed_ = true;
}

void QuorumLaws::begins_at(std::int32_t node, std::int64_t offset) {
    auto& log = nodes_[node].log;
    const auto first = std::ranges::lower_bound(log, offset, {}, &SeenBatch::base_offset);
    log.erase(log.begin(), first);
}

void QuorumLaws::is_cut(std::int32_t node, std::int64_t offset) {
    Seen& seen = nodes_[node];
    const auto first = std::ranges::lower_bound(seen.log, offset, {}, &SeenBatch::base_offset);
    seen.log.erase(first, seen.log.end());
    seen.durable_end = std::min(seen.durable_end, offset);
    is_changed_ = true;
}

void QuorumLaws::is_appended(std::int32_t node, SeenBatch batch) {
    auto& log = nodes_[node].log;
    if (!log.empty() && log.back().end_offset != batch.base_offset) {
        complain(fmt::format("the log of {} goes on at {} after {}", node, batch.base_offset,
                             log.back().end_offset));
    }
    check_same(node, log, batch);
    if (batch.leader >= 0) {
        leads(batch.leader, batch.epoch);
        if (batch.leader == node) check_complete(node, batch);
    }
    log.push_back(std::move(batch));
    is_changed_ = true;
}

void QuorumLaws::check_same(std::int32_t node, const std::vector<SeenBatch>& log,
                            const SeenBatch& batch) {
    const std::int32_t before = log.empty() ? kUnknown : log.back().epoch;
    Known& known = batches_[{batch.base_offset, batch.epoch}];
    if (known.bytes == nullptr) {
        known = {batch.bytes, before};
        return;
    }
    if (*known.bytes != *batch.bytes) {
        complain(fmt::format("the batch at {} of epoch {} is another one on {}", batch.base_offset,
                             batch.epoch, node));
    }
    if (known.epoch_before == kUnknown) known.epoch_before = before;
    if (before != kUnknown && known.epoch_before != before) {
        complain(fmt::format("the batch at {} of epoch {} follows epoch {}, on {} epoch {}",
                             batch.base_offset, batch.epoch, known.epoch_before, node, before));
    }
}

/// Logs that have one batch in common have all before it in common, so the last one tells.
void QuorumLaws::check_complete(std::int32_t node, const SeenBatch& begin) {
    if (committed_.empty()) return;
    const SeenBatch& last = committed_.back();
    if (last.epoch >= begin.epoch) return;  // the leader has written more since
    const auto& log = nodes_[node].log;
    if (begin.base_offset >= last.end_offset) {
        if (log.empty() || log.front().base_offset > last.base_offset) return;  // in a snapshot
        const auto found =
            std::ranges::lower_bound(log, last.base_offset, {}, &SeenBatch::base_offset);
        if (found != log.end() && found->base_offset == last.base_offset &&
            found->epoch == last.epoch)
            return;
    }
    complain(
        fmt::format("{} leads epoch {} from {} on without the batch at {} of epoch {}, which "
                    "is committed",
                    node, begin.epoch, begin.base_offset, last.base_offset, last.epoch));
}

void QuorumLaws::is_durable(std::int32_t node, std::int64_t end) {
    std::int64_t& known = nodes_[node].durable_end;
    if (known == end) return;
    known = end;
    is_changed_ = true;
}

std::int64_t QuorumLaws::acknowledged_by(std::int32_t node) const {
    const auto seen = nodes_.find(node);
    if (seen == nodes_.end() || seen->second.epoch != newest_epoch_) return -1;
    const auto& log = seen->second.log;
    const auto end =
        std::ranges::upper_bound(log, seen->second.durable_end, {}, &SeenBatch::end_offset);
    if (end == log.begin() || std::prev(end)->epoch != newest_epoch_) return -1;
    return std::prev(end)->end_offset;
}

void QuorumLaws::find_committed() {
    if (!is_changed_) return;
    is_changed_ = false;
    std::vector<std::pair<std::int64_t, std::int32_t>> ends;
    for (const std::int32_t voter : voters_) ends.emplace_back(acknowledged_by(voter), voter);
    std::ranges::sort(ends, std::greater());
    const auto [end, voter] = ends[ends.size() / 2];
    if (end > committed_end()) commit_up_to(end, nodes_[voter].log);
}

void QuorumLaws::commit_up_to(std::int64_t end, const std::vector<SeenBatch>& log) {
    auto next = std::ranges::lower_bound(log, committed_end(), {}, &SeenBatch::base_offset);
    if (next == log.end() || next->base_offset != committed_end()) {
        complain(
            fmt::format("what is committed at {} goes on elsewhere in a log that a majority "
                        "has up to {}",
                        committed_end(), end));
        return;
    }
    if (next != log.begin() && !committed_.empty() &&
        std::prev(next)->epoch != committed_.back().epoch) {
        complain(fmt::format(
            "the batch at {} of epoch {} was committed, a majority has one of "
            "epoch {} there",
            committed_.back().base_offset, committed_.back().epoch, std::prev(next)->epoch));
    }
    for (; next != log.end() && next->end_offset <= end; ++next) committed_.push_back(*next);
}

const std::vector<SeenBatch>& QuorumLaws::log_of(std::int32_t node) const {
    static const std::vector<SeenBatch> kNone;
    const auto seen = nodes_.find(node);
    return seen == nodes_.end() ? kNone : seen->second.log;
}

std::int32_t QuorumLaws::newest_leader() const {
    for (const auto& [node, seen] : nodes_) {
        if (seen.epoch == newest_epoch_ && seen.leader == node) return node;
    }
    return -1;
}

}  // namespace milena::sim
