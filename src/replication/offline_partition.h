// SPDX-License-Identifier: Apache-2.0
// A replica that the metadata assigns to this node, but whose log can't be had: its directory has
// failed, is full, or holds something unreadable. Answers KAFKA_STORAGE_ERROR to everything, so
// that clients ask for another leader, and is replaced when a later attempt succeeds.
#pragma once

#include "milena/replication/partition.h"

namespace milena::replication {

class OfflinePartition final : public Partition {
public:
    OfflinePartition(TopicPartition name, Uuid topic_id)
        : name_(std::move(name)), topic_id_(topic_id) {}

    const TopicPartition& name() const override { return name_; }
    Uuid topic_id() const override { return topic_id_; }

    Result<void> become(const PartitionState&) override { return unusable(); }
    void configure(PartitionSettings) override {}
    void stop() override {}

    ProduceStep produce(Production& batch, ProducePlace) override;
    void prepare(Production&) const override {}
    env::WriteLane* write_lane() override { return nullptr; }
    env::Instant expire(env::Instant) override { return env::kNever; }

    FetchAnswer fetch(const FetchQuestion&) override;
    std::vector<ReadableFollower> readable_followers(Offset) const override { return {}; }
    void listen(std::weak_ptr<FetchListener>) override {}
    void unlisten(const FetchListener*) override {}

    std::optional<FetchPlan> next_fetch() override { return std::nullopt; }
    bool is_throttled(CopySide) const override { return false; }
    bool is_behind() const override { return false; }
    Result<FollowStep> take_fetched(const FetchPlan&, const FetchedPart&, ProducePlace) override {
        return std::unexpected(unusable().error());
    }
    Result<FollowStep> take_out_of_range(const FetchPlan&, Offset, Offset) override {
        return std::unexpected(unusable().error());
    }

    std::optional<IsrProposal> propose_isr() override { return std::nullopt; }
    void isr_accepted(std::vector<BrokerId>, PartitionEpoch) override {}
    void isr_refused(IsrRefusal) override {}

    OffsetAnswer find_offset(const OffsetQuestion&) override;
    EpochAnswer end_of_epoch(LeaderEpoch, LeaderEpoch) override;

    Result<std::vector<storage::ActiveProducer>> active_producers() const override {
        return std::unexpected(unusable().error());
    }
    void expire_producers(Timestamp) override {}
    DeleteAnswer delete_records(Offset, const FollowerCounts&) override {
        return {.code = ErrorCode::kafka_storage_error};
    }
    DeleteAnswer low_watermark(const FollowerCounts&) const override {
        return {.code = ErrorCode::kafka_storage_error};
    }
    std::uint64_t size_bytes() const override { return 0; }

    Offset high_watermark() const override { return Offset(0); }
    Offset log_start_offset() const override { return Offset(0); }
    Offset log_end_offset() const override { return Offset(0); }
    CurrentLeader current_leader() const override { return {}; }
    Figures figures() const override { return {.offline = true}; }
    Traffic& traffic() override { return traffic_; }
    bool offline() const override { return true; }

    Result<void> flush() override { return unusable(); }
    Offset durable_end_offset() const override { return Offset(0); }
    Result<void> close() override { return ok(); }

private:
    static Result<void> unusable();

    const TopicPartition name_;
    const Uuid topic_id_;
    Traffic traffic_;
};

}  // namespace milena::replication
