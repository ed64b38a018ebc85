// SPDX-License-Identifier: Apache-2.0
// Keeps ids, what is due and how many there are of each state in step, and gathers a decision.
#include "transaction_table.h"

#include "milena/base/invariant.h"
#include "transaction_records.h"

namespace milena::coordinator {

const Transaction* TransactionTable::find(std::string_view id) const {
    const auto found = ids_.find(id);
    return found == ids_.end() ? nullptr : &found->second.said;
}

LiveTransaction* TransactionTable::find_live(std::string_view id) {
    const auto found = ids_.find(id);
    return found == ids_.end() ? nullptr : &found->second;
}

LiveTransaction& TransactionTable::set(const std::string& id, Transaction said) {
    const auto [at, is_new] = ids_.try_emplace(id);
    if (!is_new) {
        drop_due(at);
        count_out(at->second.said);
    }
    ++counts_.at(static_cast<std::size_t>(said.state));
    partitions_ += said.partitions.size();
    at->second = {.said = std::move(said)};
    return at->second;
}

void TransactionTable::erase(std::string_view id) {
    const auto at = ids_.find(id);
    if (at == ids_.end()) return;
    drop_due(at);
    count_out(at->second.said);
    ids_.erase(at);
}

void TransactionTable::set_due(std::string_view id, env::Instant due) {
    const auto at = ids_.find(id);
    INVARIANT(at != ids_.end(), "an id is due that is not there");
    drop_due(at);
    at->second.due = due;
    if (due != env::kNever) due_.emplace(due, at->first);
}

void TransactionTable::count_out(const Transaction& said) {
    --counts_.at(static_cast<std::size_t>(said.state));
    partitions_ -= said.partitions.size();
}

void TransactionTable::drop_due(Ids::iterator at) {
    if (at->second.due != env::kNever) due_.erase({at->second.due, at->first});
    at->second.due = env::kNever;
}

Result<void> TransactionDecision::write(std::string_view id, Transaction next, bool is_timeout) {
    TRY(auto record, transaction_record(id, next, table.place.version));
    const Transaction* const before = table.find(id);
    INVARIANT(before == nullptr || may_follow(*before, next), "a record that may not follow");
    add(std::move(record), {std::string(id), std::move(next), is_timeout});
    return ok();
}

void TransactionDecision::write_known(std::string_view id, Transaction next, bool is_timeout) {
    const auto written = write(id, std::move(next), is_timeout);
    INVARIANT(written.has_value(), "a transaction that can't be written");
}

void TransactionDecision::forget(std::string_view id) {
    auto record = transaction_tombstone(id);
    INVARIANT(record.has_value(), "an id that can't be written");
    add(*std::move(record), {.id = std::string(id)});
}

void TransactionDecision::add(Record record, DecidedRecord decided) {
    constexpr std::size_t kRecordBytes = 16;
    bytes_ += kRecordBytes + record.key.size() + (record.value ? record.value->size() : 0);
    step_.records.push_back(std::move(record));
    table.decided.push_back(std::move(decided));
}

}  // namespace milena::coordinator
