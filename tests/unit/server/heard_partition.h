// SPDX-License-Identifier: Apache-2.0
// A partition that has nothing but listeners, and lets a test step in between when one registers.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "milena/replication/partition.h"

namespace milena::server {

class HeardPartition final : public replication::Partition {
public:
    void tell() const {
        for (const auto& listener : listeners_) {
            if (const auto one = listener.lock()) one->partition_has_news();
        }
    }
    std::size_t listeners() const { return listeners_.size(); }
    /// Called once, when somebody is about to listen.
    std::function<void()> before_listen;

    void listen(std::weak_ptr<replication::FetchListener> listener) override {
        if (const auto step = std::exchange(before_listen, nullptr)) step();
        listeners_.push_back(std::move(listener));
    }
    void unlisten(const replication::FetchListener* listener) override {
        std::erase_if(listeners_, [&](const auto& one) { return one.lock().get() == listener; });
    }

    const storage::TopicPartition& name() const override { return name_; }
    Uuid topic_id() const override { return {}; }
    Result<void> become(const replication::PartitionState&) override { return ok(); }
    void configure(replication::PartitionSettings) override {}
    void stop() override {}
    replication::ProduceStep produce(replication::Production&, replication::ProducePlace) override {
        return replication::ProduceStep::answered;
    }
    void prepare(replication::Production&) const override {}
    std::vector<replication::ReadableFollower> readable_followers(Offset) const override {
        return {};
    }
    std::optional<replication::FetchPlan> next_fetch() override { return std::nullopt; }
    bool is_throttled(replication::CopySide) const override { return false; }
    bool is_behind() const override { return false; }
    Result<replication::FollowStep> take_fetched(const replication::FetchPlan&,
                                                 const replication::FetchedPart&,
                                                 replication::ProducePlace) override {
        return replication::FollowStep::taken;
    }
    Result<replication::FollowStep> take_out_of_range(const replication::FetchPlan&, Offset,
                                                      Offset) override {
        return replication::FollowStep::taken;
    }
    std::optional<replication::IsrProposal> propose_isr() override { return std::nullopt; }
    void isr_accepted(std::vector<BrokerId>, PartitionEpoch) override {}
    void isr_refused(replication::IsrRefusal) override {}
    env::WriteLane* write_lane() override { return nullptr; }
    env::Instant expire(env::Instant) override { return env::kNever; }
    replication::FetchAnswer fetch(const replication::FetchQuestion&) override { return {}; }
    replication::OffsetAnswer find_offset(const replication::OffsetQuestion&) override {
        return {};
    }
    replication::EpochAnswer end_of_epoch(LeaderEpoch, LeaderEpoch) override { return {}; }
    Result<std::vector<storage::ActiveProducer>> active_producers() const override {
        return std::vector<storage::ActiveProducer>();
    }
    void expire_producers(replication::Timestamp) override {}
    replication::DeleteAnswer delete_records(Offset, const replication::FollowerCounts&) override {
        return {};
    }
    replication::DeleteAnswer low_watermark(const replication::FollowerCounts&) const override {
        return {};
    }
    std::uint64_t size_bytes() const override { return 0; }
    Offset high_watermark() const override { return {}; }
    Offset log_start_offset() const override { return {}; }
    Offset log_end_offset() const override { return {}; }
    replication::CurrentLeader current_leader() const override { return {}; }
    replication::Figures figures() const override { return {}; }
    replication::Traffic& traffic() override { return traffic_; }
    bool offline() const override { return false; }
    Result<void> flush() override { return ok(); }
    Offset durable_end_offset() const override { return {}; }
    Result<void> close() override { return ok(); }

private:
    storage::TopicPartition name_;
    replication::Traffic traffic_;
    std::vector<std::weak_ptr<replication::FetchListener>> listeners_;
};

}  // namespace milena::server
