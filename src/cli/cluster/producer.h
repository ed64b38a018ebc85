// SPDX-License-Identifier: Apache-2.0
// Sends records to the partitions of one topic, batch by batch; one request at a time, so they stay
// in order. A batch that could not be sent is tried again while that can help.
#pragma once

#include "cluster/session.h"
#include "records/batch_writer.h"

namespace milena::cli {

struct ProducerOptions {
    std::int16_t acks = -1;
    record::Codec codec = record::Codec::none;
    std::size_t batch_bytes = 16'384;  ///< from here on a batch is sent
    std::int32_t timeout_ms = 1'500;   ///< told to the leader
    std::int64_t retries = 3;
    env::Duration backoff = std::chrono::milliseconds(100);
};

Result<ProducerOptions> producer_options(const ClientProperties& properties);

class Producer {
public:
    /// What became of a batch that was given up.
    using OnFailure = std::function<void(const std::vector<ProducedRecord>& records, const Error&)>;

    Producer(Session& session, std::string topic, ProducerOptions options, OnFailure on_failure);

    /// Asks for the topic's partitions; the cluster may create the topic.
    env::Task<Result<void>> open();
    /// Takes a record, and sends a batch if one is full.
    env::Task<void> send(ProducedRecord record);
    /// Everything that was taken is sent, or was given up, when it returns.
    env::Task<void> flush();

private:
    struct Pending {
        BatchWriter writer;
        std::vector<ProducedRecord> records;
    };
    env::Task<void> send_batch(std::int32_t partition);
    env::Task<Result<void>> produce(std::int32_t partition, BytesView batch);
    std::int32_t choose(const ProducedRecord& record);

    Session& session_;
    std::string topic_;
    ProducerOptions options_;
    OnFailure on_failure_;
    std::vector<std::int32_t> partitions_;
    std::map<std::int32_t, Pending> pending_;
    std::int32_t sticky_ = 0;  ///< where records without a key go until the batch is full
};

}  // namespace milena::cli
