// SPDX-License-Identifier: Apache-2.0
// Sends records to the partitions of one topic. Batches are filled while earlier ones are on their
// way; each leader has a bounded number of requests under way, and all that was taken a bounded
// memory. A batch that could not be sent is tried again while that can help. It is not idempotent:
// with one request at a time records stay in order, with more a second try may overtake.
#pragma once

#include "cluster/producer_options.h"
#include "cluster/session.h"

namespace milena::cli {

/// What a producer has done.
struct ProducerFigures {
    std::int64_t records = 0;  ///< acknowledged
    std::int64_t records_failed = 0;
    std::int64_t retries = 0;
    std::int64_t requests = 0;
    std::int64_t batches = 0;
    std::int64_t batch_bytes = 0;
    std::int64_t batch_bytes_max = 0;
    std::int64_t uncompressed_bytes = 0;
    env::Duration latency{};  ///< of all requests together
    env::Duration latency_max{};
};

class Producer {
public:
    /// What became of the records of a batch: acknowledged, or given up for an error.
    using OnDone = std::function<void(std::span<const RecordReceipt> records, const Error* error)>;

    Producer(Session& session, std::string topic, ProducerOptions options, OnDone on_done);
    /// close() must have returned if open() was called.
    ~Producer();
    Producer(const Producer&) = delete;
    Producer& operator=(const Producer&) = delete;

    /// Asks for the topic's partitions; the cluster may create the topic.
    env::Task<Result<void>> open();
    /// Takes a record; waits while the buffer is full.
    env::Task<void> send(const RecordParts& record);
    /// Everything that was taken is acknowledged, or was given up, when it returns.
    env::Task<void> flush();
    /// flush(), and then nothing of it runs any more.
    env::Task<void> close();

    const ProducerFigures& figures() const { return figures_; }

private:
    using Batches = std::vector<ClosedBatch>;

    env::Task<Result<void>> find_partitions();
    env::Task<bool> wait_for_room(const RecordParts& record);
    std::int32_t choose(const RecordParts& record) const;
    void choose_sticky();
    void refuse(const RecordParts& record, const Error& error);

    env::Task<void> run();
    env::Task<void> refresh_leaders();
    env::Instant send_due();
    env::Task<void> deliver(BrokerId leader, Batches batches);
    env::Task<Result<void>> produce(BrokerId leader, const Batches& batches,
                                    std::vector<Error>& errors);
    void settle(ClosedBatch batch, const Error& error);
    void give_up_late(std::int32_t partition, env::Instant now);
    env::Instant now() { return session_.env().clock().now(); }

    Session& session_;
    std::string topic_;
    ProducerOptions options_;
    OnDone on_done_;
    ProducerFigures figures_;
    Accumulator accumulator_;
    std::vector<std::int32_t> partitions_;
    std::map<std::int32_t, BrokerId> leaders_;
    std::map<BrokerId, std::size_t> under_way_;
    std::int32_t sticky_ = 0;  ///< where records without a key go until the batch is full
    std::size_t first_ = 0;    ///< of the partitions, whose turn it is to be looked at first
    env::Wakeup due_;          ///< something may leave
    env::Wakeup settled_;      ///< batches are done
    env::Instant refresh_at_ = env::kNever;
    bool is_running_ = false;
    bool is_closing_ = false;
};

}  // namespace milena::cli
