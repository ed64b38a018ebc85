// SPDX-License-Identifier: Apache-2.0
// An idempotent producer, as real ones are: several batches on their way at once, each sent again,
// with the numbers that it had, until it is answered. Now and then it sends one of its last batches
// again that was answered already (a frame that comes twice): the answer must be the first one.
#pragma once

#include <deque>

#include "milena/protocol/messages/produce.h"
#include "sim/workload/link.h"

namespace milena::sim {

struct WriterShape {
    Place place;
    std::int32_t number = 0;
    /// Between two rounds of batches.
    env::Duration pause_max = std::chrono::milliseconds(50);
    double replay_chance = 0.02;
};

class Writer {
public:
    Writer(Link link, WriterShape shape, SeededRandom random, History& history);

    env::Task<void> run();
    env::Task<void> watch() { return link_.watch(); }
    /// Writes one more batch, and ends when all are answered.
    void finish() { is_finishing_ = true; }
    bool is_done() const { return is_done_; }
    /// What it waits for, for a report.
    std::string text() const;

private:
    struct Batch {
        std::int32_t base_sequence = 0;
        std::vector<Mark> marks;
        std::vector<std::byte> bytes;
        std::int64_t base_offset = -1;
    };
    struct Answer {
        ErrorCode error = ErrorCode::none;
        std::int64_t base_offset = -1;
    };

    env::Task<bool> take_producer_id();
    env::Task<bool> exchange();
    env::Task<bool> replay();
    env::Task<Result<void>> send(support::Client& client, const Batch& batch);
    /// The next answer; nothing if the connection has ended.
    env::Task<std::optional<Answer>> receive(support::Client& client);
    void make_batches();
    Batch make_batch();
    /// True if the batch is in the log now; else it is to be sent again.
    bool is_taken(Batch& batch, const Answer& answer, bool is_first_refused);
    void complain(std::string_view invariant, std::string what);

    Link link_;
    const WriterShape shape_;
    SeededRandom random_;
    History& history_;
    ProducerId producer_id_ = kNoProducer;
    std::int64_t next_number_ = 0;
    std::int32_t next_sequence_ = 0;
    std::deque<Batch> waiting_;
    std::deque<Batch> answered_;  ///< the last five
    bool is_finishing_ = false;
    bool has_finished_writing_ = false;
    bool is_done_ = false;
};

}  // namespace milena::sim
