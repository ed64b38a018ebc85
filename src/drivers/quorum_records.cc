// SPDX-License-Identifier: Apache-2.0
// Records through the quorum: the controller's on their way in, committed ones on their way out to
// the listeners.
#include <algorithm>

#include <fmt/format.h>

#include "milena/base/invariant.h"
#include "quorum_node.h"

namespace milena::drivers {

namespace {
constexpr std::uint64_t kDeliveryBytes = 1 << 20;
}  // namespace

Result<void> QuorumNode::check_size(const std::vector<std::vector<std::byte>>& values) const {
    if (values.empty()) return fail(ErrorCode::invalid_request, "an append of no records");
    std::size_t bytes = record::kBatchHeaderBytes;
    // A record's own lengths and deltas take less than this.
    constexpr std::size_t kRecordOverhead = 24;
    for (const std::vector<std::byte>& value : values) bytes += value.size() + kRecordOverhead;
    if (bytes > options_.batch_bytes_max) {
        return fail(ErrorCode::record_list_too_large,
                    fmt::format("{} bytes of metadata records in one batch, of at most {}", bytes,
                                options_.batch_bytes_max));
    }
    if (uncommitted_bytes_ + bytes > options_.uncommitted_bytes_max) {
        return fail(
            ErrorCode::request_timed_out,
            fmt::format("{} bytes of metadata records wait for their commit", uncommitted_bytes_));
    }
    return ok();
}

Result<AppendedRange> QuorumNode::schedule(LeaderEpoch expected_epoch,
                                           std::vector<std::vector<std::byte>> values) {
    if (stopping_ || failure_)
        return fail(ErrorCode::not_controller, "the quorum of this node has ended");
    TRY_VOID(check_size(values));
    raft::Output output =
        step(raft::Propose{expected_epoch, static_cast<std::int32_t>(values.size())});
    if (output.refused) {
        const Error refused = *output.refused;
        queue(std::move(output));
        return std::unexpected(refused);
    }
    INVARIANT(output.appends.size() == 1, "one proposal, one batch");
    raft::Batch& batch = output.appends.front();
    batch.bytes = std::make_shared<const std::vector<std::byte>>(
        raft::encode_data_batch(batch.base_offset, batch.epoch, env_.clock().wall(), values));
    const AppendedRange range{batch.base_offset, batch.last_offset};
    uncommitted_.emplace_back(range.last_offset, batch.bytes->size());
    uncommitted_bytes_ += batch.bytes->size();
    queue(std::move(output));
    return range;
}

env::Task<Result<Offset>> QuorumNode::append(LeaderEpoch expected_epoch,
                                             std::vector<std::vector<std::byte>> values) {
    CO_TRY(const AppendedRange range, schedule(expected_epoch, std::move(values)));
    const auto waiting = std::make_shared<Waiting>(env_);
    waiting_.emplace(range.last_offset, waiting);
    while (!waiting->outcome) co_await waiting->wakeup.wait_until(env::kNever);
    CO_TRY_VOID(*std::move(waiting->outcome));
    co_return range.last_offset;
}

env::Task<Result<void>> QuorumNode::deliver() {
    while (delivered_ < committed_) {
        Result<raft::MetadataLog::Chunk> chunk = fail(ErrorCode::unknown_server_error, "not read");
        const auto read = [&] {
            chunk = metadata_log_->read(delivered_, committed_, kDeliveryBytes);
        };
        if (delivered_ >= warm_from_) {
            read();
        } else {
            co_await env_.offload(env::Pool::quorum, read);
        }
        if (!chunk) co_return std::unexpected(chunk.error());
        CO_TRY_VOID(hand_over(*chunk));
    }
    co_return ok();
}

Result<void> QuorumNode::hand_over(const raft::MetadataLog::Chunk& chunk) {
    if (chunk.batches.empty()) {
        return fail(ErrorCode::corrupt_message,
                    fmt::format("{}: nothing committed at {}", options_.directory, delivered_));
    }
    std::vector<raft::RecordValues> owners;
    std::vector<MetadataBatch> batches;
    for (const record::BatchView batch : chunk.batches) {
        raft::RecordValues values;
        if (!batch.is_control()) {
            TRY(values, raft::decode_values(batch));
        }
        batches.push_back({batch.base_offset(), batch.last_offset(), batch.leader_epoch(),
                           batch.max_timestamp(), values.values, batch.size()});
        owners.push_back(std::move(values));
    }
    delivered_ = batches.back().last_offset.next();
    for (QuorumListener* listener : listeners_) listener->on_committed(batches);
    settle_committed();
    if (pending_leadership_ && delivered_ > pending_leadership_->epoch_start_offset) {
        const raft::LeadershipChange change = *std::exchange(pending_leadership_, std::nullopt);
        LOG_INFO(log_, "leads the metadata quorum", kv("leader_epoch", change.epoch),
                 kv("offset", delivered_));
        for (QuorumListener* listener : listeners_)
            listener->on_leader_change(change.epoch, change.leader, true);
    }
    return ok();
}

void QuorumNode::settle_committed() {
    while (!uncommitted_.empty() && uncommitted_.front().first < delivered_) {
        uncommitted_bytes_ -= uncommitted_.front().second;
        uncommitted_.pop_front();
    }
    while (!waiting_.empty() && waiting_.begin()->first < delivered_) {
        const auto first = waiting_.extract(waiting_.begin());
        first.mapped()->outcome = ok();
        first.mapped()->wakeup.notify();
    }
}

void QuorumNode::fail_waiting(const Error& why) {
    for (const auto& [offset, waiting] : std::exchange(waiting_, {})) {
        waiting->outcome = std::unexpected(why);
        waiting->wakeup.notify();
    }
}

void QuorumNode::tell_leader(const raft::LeadershipChange& change) {
    pending_leadership_.reset();
    // What another leader does with records that were only scheduled here shows when they are
    // committed, or not.
    fail_waiting({ErrorCode::not_controller, "leadership of the metadata quorum was lost"});
    uncommitted_.clear();
    uncommitted_bytes_ = 0;
    if (change.is_self) {
        pending_leadership_ = change;
        return;
    }
    if (change.leader == kNoBroker) {
        LOG_INFO(log_, "metadata quorum has no leader", kv("leader_epoch", change.epoch));
    } else {
        LOG_INFO(log_, "metadata quorum has another leader", kv("leader", change.leader),
                 kv("leader_epoch", change.epoch));
    }
    for (QuorumListener* listener : listeners_)
        listener->on_leader_change(change.epoch, change.leader, false);
}

}  // namespace milena::drivers
