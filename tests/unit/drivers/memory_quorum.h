// SPDX-License-Identifier: Apache-2.0
// A quorum whose log is a vector: the test says who leads and when what was scheduled is committed.
#pragma once

#include <vector>

#include "milena/drivers/quorum.h"
#include "milena/record/batch.h"

namespace milena::drivers {

class MemoryQuorum final : public Quorum {
public:
    explicit MemoryQuorum(env::Env& env) : env_(env) {}

    void start(std::vector<QuorumListener*> listeners) override {
        listeners_ = std::move(listeners);
    }

    Result<AppendedRange> schedule(LeaderEpoch expected_epoch,
                                   std::vector<std::vector<std::byte>> values) override {
        if (!leads_ || expected_epoch != epoch_)
            return fail(ErrorCode::not_controller, "does not lead");
        if (is_full) return fail(ErrorCode::request_timed_out, "too much is not committed");
        const AppendedRange range = put(std::move(values), 0);
        if (commits_by_itself) {
            env::post(env_.control(), [this] { commit(); });
        }
        return range;
    }
    env::Task<Result<Offset>> append(LeaderEpoch, std::vector<std::vector<std::byte>>) override {
        co_return fail(ErrorCode::unsupported_version, "the controller schedules");
    }
    env::Task<Result<std::uint64_t>> write_snapshot(SnapshotContent content) override {
        ++snapshots_asked;
        co_await env_.sleep(env_.control(), std::chrono::milliseconds(100));
        if (snapshots_fail) co_return fail(ErrorCode::kafka_storage_error, "no room");
        std::uint64_t bytes = 0;
        content.records([&](std::vector<std::byte> value) { bytes += value.size(); });
        snapshot_ =
            StoredMetadataSnapshot{content.end_offset, bytes, content.last_contained_timestamp};
        co_return bytes;
    }
    env::Task<server::QuorumAnswer> ask(raft::Request, std::uint64_t) override {
        INVARIANT(false, "a quorum of one that is asked");
    }
    std::int16_t kraft_version() const override { return 0; }
    std::optional<StoredMetadataSnapshot> newest_snapshot() const override { return snapshot_; }
    QuorumStatus status() const override {
        QuorumStatus status;
        status.leader = leader;
        status.voters = voters;
        const raft::Voter* const leading = voters.find(leader);
        if (leading != nullptr && !leading->endpoints.empty())
            status.leader_endpoint = leading->endpoints.front();
        status.epoch = epoch_;
        status.is_leader = leads_;
        status.log_end_offset = end_;
        return status;
    }
    std::vector<raft::ReplicaProgress> progress() const override { return {}; }
    env::Task<void> stop() override { co_return; }

    // What the test does, on the control thread.

    /// This node leads a new epoch; its first record, a control record, is committed.
    void lead() {
        epoch_.value += 1;
        leads_ = true;
        put({}, 1);
        commit();
        for (QuorumListener* const listener : listeners_)
            listener->on_leader_change(epoch_, BrokerId(1), true);
    }
    /// Another node leads; what was not committed is gone.
    void lose() {
        epoch_.value += 1;
        leads_ = false;
        end_ = committed_;
        while (!batches_.empty() && batches_.back().base >= committed_) batches_.pop_back();
        for (QuorumListener* const listener : listeners_)
            listener->on_leader_change(epoch_, BrokerId(2), false);
    }
    void commit() {
        std::vector<MetadataBatch> batches;
        for (const Batch& batch : batches_) {
            if (batch.base < committed_) continue;
            batches.push_back({batch.base,
                               Offset(batch.base.value + batch.count - 1),
                               batch.epoch,
                               env_.clock().wall(),
                               {batch.values.begin(), batch.values.end()},
                               record::kBatchHeaderBytes + bytes_of(batch)});
        }
        committed_ = end_;
        if (batches.empty()) return;
        for (QuorumListener* const listener : listeners_) listener->on_committed(batches);
    }
    Offset committed() const { return committed_; }
    Offset end() const { return end_; }

    /// Only told by status().
    BrokerId leader = kNoBroker;
    raft::VoterSet voters;
    bool commits_by_itself = true;
    bool is_full = false;
    bool snapshots_fail = false;
    int snapshots_asked = 0;

private:
    struct Batch {
        Offset base;
        std::int64_t count;
        LeaderEpoch epoch;
        std::vector<std::vector<std::byte>> values;
    };

    static std::size_t bytes_of(const Batch& batch) {
        std::size_t bytes = 0;
        for (const auto& value : batch.values) bytes += value.size();
        return bytes;
    }

    AppendedRange put(std::vector<std::vector<std::byte>> values, std::int64_t control_records) {
        const std::int64_t count = static_cast<std::int64_t>(values.size()) + control_records;
        const AppendedRange range{end_, Offset(end_.value + count - 1)};
        batches_.push_back({end_, count, epoch_, std::move(values)});
        end_ = range.last_offset.next();
        return range;
    }

    env::Env& env_;
    std::optional<StoredMetadataSnapshot> snapshot_;
    std::vector<QuorumListener*> listeners_;
    std::vector<Batch> batches_;
    LeaderEpoch epoch_{0};
    bool leads_ = false;
    Offset end_{0};
    Offset committed_{0};
};

}  // namespace milena::drivers
