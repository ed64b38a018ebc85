// SPDX-License-Identifier: Apache-2.0
// The transactions of one partition: hands each request to its function, and what is written to the
// table.
#include "milena/coordinator/transactions.h"

#include <utility>

#include "milena/base/invariant.h"
#include "transaction_functions.h"
#include "transaction_records.h"

namespace milena::coordinator {
namespace {

template <class... Cases>
struct Each : Cases... {
    using Cases::operator()...;
};

void decide(TransactionDecision& decision, Ticket ticket, const TransactionRequest& request) {
    std::visit(
        Each{
            [&](const InitProducerRequest& r) { init_producer(decision, ticket, r); },
            [&](const AddPartitionsRequest& r) { add_partitions(decision, ticket, r); },
            [&](const EndTransactionRequest& r) { end_transaction(decision, ticket, r); },
            [&](const DescribeTransactionRequest& r) { describe_transaction(decision, ticket, r); },
            [&](const ListTransactionsRequest& r) { list_transactions(decision, ticket, r); }},
        request);
}

class TransactionsInMemory final : public Transactions {
public:
    TransactionsInMemory(TransactionOptions options, Place place, ProducerIdSource& ids)
        : table_(options, place, ids) {}

    Result<void> load(const RecordView& record) override;
    TransactionStep loaded(const TransactionTime& time) override;
    TransactionStep ask(Ticket ticket, const TransactionRequest& request,
                        const TransactionTime& time) override;
    void apply(const RecordView& record, const TransactionTime& time) override;
    TransactionStep append_failed(ErrorCode why, const TransactionTime& time) override;
    TransactionStep committed(Offset high_watermark, const TransactionTime& time) override;
    TransactionStep marked(const MarkerResult& result, const TransactionTime& time) override;
    void follow(Place place) override { table_.place = place; }
    TransactionStep tick(const TransactionTime& time) override;
    env::Instant deadline() const override { return table_.deadline(); }
    TransactionFigures figures() const override;

private:
    void check_that_all_is_applied() const {
        INVARIANT(table_.decided.empty(), "a decision before the last one is in the log");
    }

    TransactionTable table_;
};

Result<void> TransactionsInMemory::load(const RecordView& record) {
    TRY(const std::string id, read_transaction_key(record.key));
    if (!record.value) {
        table_.erase(id);
        return ok();
    }
    TRY(auto said, read_transaction(*record.value));
    table_.set(id, std::move(said));
    return ok();
}

TransactionStep TransactionsInMemory::loaded(const TransactionTime& time) {
    TransactionDecision decision(table_, time);
    for (const auto& [id, live] : table_.ids()) set_timer(decision, id, Written::before);
    return decision.take();
}

TransactionStep TransactionsInMemory::ask(Ticket ticket, const TransactionRequest& request,
                                          const TransactionTime& time) {
    check_that_all_is_applied();
    TransactionDecision decision(table_, time);
    decide(decision, ticket, request);
    return decision.take();
}

void TransactionsInMemory::apply(const RecordView& record, const TransactionTime& time) {
    INVARIANT(!table_.decided.empty(), "a record that nobody has decided");
    DecidedRecord decided = std::move(table_.decided.front());
    table_.decided.pop_front();
    if (!decided.next) return table_.erase(decided.id);
    const Transaction* const before = table_.find(decided.id);
    const bool was_open = before != nullptr && before->state == TransactionState::ongoing;
    const LiveTransaction* const live = table_.find_live(decided.id);
    const env::Instant due = live == nullptr ? env::kNever : live->due;
    const TransactionState state = decided.next->state;
    table_.set(decided.id, *std::move(decided.next));
    if (decided.is_timeout) ++table_.timed_out;
    if (is_prepared(state)) table_.uncommitted.emplace_back(record.offset, decided.id);
    TransactionDecision timers(table_, time);
    // More partitions do not make a transaction younger.
    if (was_open && state == TransactionState::ongoing) return table_.set_due(decided.id, due);
    set_timer(timers, decided.id, Written::now);
}

TransactionStep TransactionsInMemory::append_failed(ErrorCode /*why*/,
                                                    const TransactionTime& /*time*/) {
    table_.decided.clear();
    return {};
}

TransactionStep TransactionsInMemory::committed(Offset high_watermark,
                                                const TransactionTime& time) {
    check_that_all_is_applied();
    TransactionDecision decision(table_, time);
    while (!table_.uncommitted.empty() && table_.uncommitted.front().first < high_watermark) {
        begin_markers(decision, table_.uncommitted.front().second);
        table_.uncommitted.pop_front();
    }
    return decision.take();
}

TransactionStep TransactionsInMemory::marked(const MarkerResult& result,
                                             const TransactionTime& time) {
    check_that_all_is_applied();
    TransactionDecision decision(table_, time);
    take_markers(decision, result);
    return decision.take();
}

TransactionStep TransactionsInMemory::tick(const TransactionTime& time) {
    check_that_all_is_applied();
    TransactionDecision decision(table_, time);
    take_due(decision);
    return decision.take();
}

TransactionFigures TransactionsInMemory::figures() const {
    using enum TransactionState;
    return {.ids = table_.ids().size(),
            .empty = table_.count(empty),
            .ongoing = table_.count(ongoing),
            .preparing = table_.count(prepare_commit) + table_.count(prepare_abort),
            .complete = table_.count(complete_commit) + table_.count(complete_abort),
            .partitions = table_.partitions(),
            .timed_out = table_.timed_out};
}

}  // namespace

std::unique_ptr<Transactions> Transactions::make(TransactionOptions options, Place place,
                                                 ProducerIdSource& ids) {
    return std::make_unique<TransactionsInMemory>(options, place, ids);
}

}  // namespace milena::coordinator
