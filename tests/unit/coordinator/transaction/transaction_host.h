// SPDX-License-Identifier: Apache-2.0
// A host of transactions with a log, a high watermark, producer ids, partitions that take markers,
// and a clock, which go on when a test says so. Records are committed at once unless it holds, and
// markers written at once unless it holds these.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "milena/coordinator/transactions.h"
#include "transaction/transaction.h"

namespace milena::coordinator::test {

class CountedIds final : public ProducerIdSource {
public:
    std::optional<ProducerId> take() override {
        if (is_empty) return std::nullopt;
        return ProducerId(next++);
    }
    std::int64_t next = 1000;
    bool is_empty = false;
};

class TransactionHost {
public:
    explicit TransactionHost(TransactionOptions options = {},
                             TransactionVersion version = TransactionVersion::epoch_a_transaction);

    Ticket ask(TransactionRequest request);
    /// The same, and its answer, which must come at once.
    template <class Reply>
    Reply reply(TransactionRequest request) {
        return std::get<Reply>(reply_to(ask(std::move(request))));
    }
    TransactionReply reply_to(Ticket ticket) const;
    bool has_been_told(Ticket ticket) const {
        return told_.contains(ticket) || refused_.contains(ticket);
    }
    bool has_reply(Ticket ticket) const { return told_.contains(ticket); }
    ErrorCode refused(Ticket ticket) const { return refused_.at(ticket); }
    /// Records that the last request was decided to write.
    std::size_t written_by_last() const { return written_by_last_; }

    /// Time goes on, and what is due happens.
    void advance_ms(std::int64_t ms);
    /// The high watermark stays where it is; goes to the end.
    void hold() { is_held_ = true; }
    void release();
    /// It moves so far while it is held, and no further than to the end.
    void commit_to(Offset end);
    /// The next append does not happen.
    void fail_next_append(ErrorCode why) { fails_ = why; }
    /// Markers wait until mark() is called; are written from now on.
    void hold_markers() { holds_markers_ = true; }
    void release_markers();
    /// Orders whose partitions were all marked.
    const std::vector<MarkerOrder>& marked() const { return marked_; }
    const std::deque<MarkerOrder>& orders() const { return orders_; }
    /// The first order is answered: all its partitions with this.
    void mark(ErrorCode code, bool is_deleted = false);
    void mark(const MarkerResult& result);
    /// Another node coordinates: what was only in memory is gone, and orders are nobody's. It has
    /// all of the log, or what was committed of it.
    enum class Has : std::uint8_t { all, committed };
    void take_over(Has has = Has::all);
    void follow(TransactionVersion version);

    /// Where the last record of an id lies in the log; nothing if it has none, or is forgotten.
    std::optional<std::size_t> last_at(const std::string& id) const;
    /// What it says; it must be there.
    Transaction last(const std::string& id) const;
    /// What another one says who has read the log.
    void check_replay();

    CountedIds& ids() { return ids_; }
    Transactions& transactions() { return *transactions_; }
    std::vector<Record>& log() { return log_; }
    Offset high_watermark() const { return high_watermark_; }
    TransactionTime time() const { return {now_, wall_ms_}; }
    std::int32_t coordinator_epoch() const { return place_.coordinator_epoch; }

private:
    void finish(TransactionStep step);
    void append(const std::vector<Record>& records);
    void park(std::vector<TransactionAnswer> answers);
    void move_high_watermark();
    void load(Transactions& into) const;

    const TransactionOptions options_;
    CountedIds ids_;
    Transactions::Place place_;
    std::unique_ptr<Transactions> transactions_;
    std::vector<Record> log_;
    Offset high_watermark_;
    bool is_held_ = false;
    bool holds_markers_ = false;
    std::optional<ErrorCode> fails_;
    std::deque<MarkerOrder> orders_;
    std::vector<MarkerOrder> marked_;
    std::deque<std::pair<Offset, TransactionAnswer>> parked_;
    std::map<Ticket, TransactionReply> told_;
    std::map<Ticket, ErrorCode> refused_;
    Ticket last_ticket_ = 0;
    std::size_t written_by_last_ = 0;
    env::Instant now_{};
    std::int64_t wall_ms_ = 1'700'000'000'000;
};

/// A producer: who it is by what it was told last.
struct Producer {
    ProducerId id = kNoProducer;
    std::int16_t epoch = -1;
};

constexpr TransactionVersion kClassic = TransactionVersion::classic;
constexpr TransactionVersion kByEpoch = TransactionVersion::epoch_a_transaction;

InitProducerRequest init_request(Producer before = {});
AddPartitionsRequest add_request(Producer producer, std::vector<TransactionPartition> partitions,
                                 TransactionVersion version = kByEpoch);
AddPartitionsRequest verify_request(Producer producer,
                                    std::vector<TransactionPartition> partitions);
EndTransactionRequest end_request(Producer producer, bool commit,
                                  TransactionVersion version = kByEpoch);
/// A partition of the topic "t".
TransactionPartition partition(std::int32_t index);
/// What came of all partitions of the order.
MarkerResult result_of(const MarkerOrder& order, ErrorCode code, bool is_deleted = false);

/// The one transactional id of most tests.
inline const std::string kId = "tx";

/// A producer of kId, step by step.
class TransactionTest {
public:
    Producer init(Producer before = {}) {
        const auto told = host.reply<InitProducerReply>(init_request(before));
        return {told.producer_id, told.producer_epoch};
    }
    ErrorCode init_code(Producer before = {}) {
        return host.reply<InitProducerReply>(init_request(before)).code;
    }
    ErrorCode add(Producer producer, std::int32_t index, TransactionVersion version = kByEpoch) {
        return host.reply<AddPartitionsReply>(add_request(producer, {partition(index)}, version))
            .code;
    }
    EndTransactionReply end(Producer producer, bool commit, TransactionVersion version = kByEpoch) {
        return host.reply<EndTransactionReply>(end_request(producer, commit, version));
    }
    ErrorCode end_code(Producer producer, bool commit, TransactionVersion version = kByEpoch) {
        return end(producer, commit, version).code;
    }
    TransactionState state() const { return host.last(kId).state; }
    /// The producer is at that epoch, by a record that says so.
    Producer set_epoch(std::int16_t epoch);

    TransactionHost host;
};

}  // namespace milena::coordinator::test
