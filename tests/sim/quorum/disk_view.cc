// SPDX-License-Identifier: Apache-2.0
// As long as the last segment only grows, only what is new is read.
#include "sim/quorum/disk_view.h"

#include <algorithm>

#include "milena/raft/batches.h"

namespace milena::sim {
namespace {

constexpr std::string_view kDirectory = "/data/__cluster_metadata-0";

std::int32_t leader_in(record::BatchView batch) {
    if (!batch.is_control()) return -1;
    const auto records = raft::decode_control_batch(batch);
    if (!records) return -1;
    for (const raft::AnyControlRecord& one : *records) {
        if (const auto* const change = std::get_if<raft::LeaderChangeRecord>(&one))
            return change->leader.value;
    }
    return -1;
}

/// Calls `take` for each whole batch from `position` on, and gives where they end.
template <class Take>
std::uint64_t each_batch(const FileBytes& bytes, std::uint64_t position, Take take) {
    for (;;) {
        const auto batch = record::first_batch(BytesView(bytes).subspan(position));
        if (!batch || !*batch || !(*batch)->check_crc()) return position;
        position += (*batch)->size();
        take(**batch, position);
    }
}

SeenBatch seen(record::BatchView batch) {
    return {.base_offset = batch.base_offset().value,
            .end_offset = batch.next_offset().value,
            .epoch = batch.leader_epoch().value,
            .leader = leader_in(batch),
            .bytes = std::make_shared<const std::vector<std::byte>>(batch.bytes().begin(),
                                                                    batch.bytes().end())};
}

bool is_same(const SeenBatch& one, const SeenBatch& other) {
    return one.base_offset == other.base_offset && one.epoch == other.epoch &&
           *one.bytes == *other.bytes;
}

}  // namespace

void DiskView::look() {
    const bool has_other_names = disk_.names_version() != names_version_;
    if (has_other_names) {
        names_version_ = disk_.names_version();
        directory_ = disk_.find(std::string(kDirectory));
    }
    if (directory_ == nullptr) return;
    if (has_other_names || (state_ != nullptr && state_->content.version() != state_version_))
        look_at_state();
    const bool has_grown =
        !segments_.empty() && segments_.back().inode->content.version() != segments_.back().version;
    if (has_other_names || has_grown) look_at_log();
}

void DiskView::look_at_state() {
    const auto entry = directory_->durable_names.find(std::string(raft::kQuorumStateFile));
    if (entry == directory_->durable_names.end()) return;
    if (entry->second == state_ && state_->content.version() == state_version_) return;
    state_ = entry->second;
    state_version_ = state_->content.version();
    const FileBytes& bytes = state_->content.durable();
    const auto state = raft::decode_quorum_state(as_text(bytes));
    if (!state) return laws_.complain(fmt::format("quorum-state of {} is damaged", node_));
    laws_.state_is_durable(node_, *state);
}

std::vector<DiskView::Segment> DiskView::list() const {
    std::vector<Segment> found;
    for (const auto& [name, inode] : directory_->names) {
        if (inode->is_directory || !name.ends_with(".log")) continue;
        found.push_back({.name = name,
                         .inode = inode,
                         .rewrites = inode->content.rewrites(),
                         .version = inode->content.version()});
    }
    return found;
}

void DiskView::look_at_log() {
    std::vector<Segment> now = list();
    if (now.empty()) return;
    const bool only_grows = std::ranges::equal(
        now, segments_, [](const Segment& a, const Segment& b) { return a.is_same(b); });
    if (only_grows) {
        segments_.back().version = now.back().version;
        read_on();
    } else {
        read_again(std::move(now));
    }
    find_durable_end();
}

void DiskView::read_again(std::vector<Segment> segments) {
    std::vector<SeenBatch> log;
    places_.clear();
    for (std::size_t i = 0; i < segments.size(); ++i) {
        segments[i].parsed_bytes =
            each_batch(segments[i].inode->content.visible(), 0,
                       [&](record::BatchView batch, std::uint64_t end) {
                           log.push_back(seen(batch));
                           places_.push_back({batch.next_offset().value, i, end});
                       });
        if (segments[i].parsed_bytes < segments[i].inode->content.visible().size()) break;
    }
    segments_ = std::move(segments);
    if (!log.empty()) laws_.begins_at(node_, log.front().base_offset);
    const std::vector<SeenBatch>& known = laws_.log_of(node_);
    std::size_t same = 0;
    while (same < log.size() && same < known.size() && is_same(log[same], known[same])) ++same;
    if (same < known.size()) laws_.is_cut(node_, known[same].base_offset);
    for (; same < log.size(); ++same) laws_.is_appended(node_, std::move(log[same]));
}

void DiskView::read_on() {
    Segment& last = segments_.back();
    last.parsed_bytes =
        each_batch(last.inode->content.visible(), last.parsed_bytes,
                   [&](record::BatchView batch, std::uint64_t end) {
                       laws_.is_appended(node_, seen(batch));
                       places_.push_back({batch.next_offset().value, segments_.size() - 1, end});
                   });
}

void DiskView::find_durable_end() {
    // The first segment that is not durable to its end, and how far it is.
    std::size_t segment = 0;
    std::uint64_t position = 0;
    for (; segment < segments_.size(); ++segment) {
        const Segment& one = segments_[segment];
        const auto name = directory_->durable_names.find(one.name);
        const bool is_named = name != directory_->durable_names.end() && name->second == one.inode;
        position = is_named ? one.inode->content.durable_prefix() : 0;
        if (position < one.inode->content.visible().size()) break;
    }
    for (auto place = places_.rbegin(); place != places_.rend(); ++place) {
        const bool is_durable = place->segment < segment ||
                                (place->segment == segment && place->end_position <= position);
        if (is_durable) return laws_.is_durable(node_, place->end_offset);
    }
}

}  // namespace milena::sim
