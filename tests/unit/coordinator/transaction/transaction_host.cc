// SPDX-License-Identifier: Apache-2.0
// The loop of a host, without waits: append, apply, commit, tell, and have markers written.
#include "transaction_host.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "milena/base/invariant.h"
#include "transaction/transaction_records.h"

namespace milena::coordinator::test {
namespace {

RecordView view(const Record& record, std::size_t at) {
    std::optional<BytesView> value;
    if (record.value) value = BytesView(*record.value);
    return {.key = record.key, .value = value, .offset = Offset(static_cast<std::int64_t>(at))};
}

/// What can be asked of an id, as one text.
std::string told_of(Transactions& of, const std::string& id, const TransactionTime& time) {
    const auto step = of.ask(1, DescribeTransactionRequest{id}, time);
    const auto& reply = std::get<DescribeTransactionReply>(step.answers.at(0).reply);
    std::string told =
        fmt::format("{} {} {} {} {} {}", static_cast<int>(reply.code), text(reply.state),
                    reply.timeout_ms, reply.start_ms, reply.producer_id, reply.producer_epoch);
    for (const auto& one : reply.partitions)
        told += fmt::format(" {}-{}", one.topic, one.partition);
    return told;
}

}  // namespace

TransactionHost::TransactionHost(TransactionOptions options, TransactionVersion version)
    : options_(options),
      place_{.coordinator_epoch = 7, .version = version},
      transactions_(Transactions::make(options, place_, ids_)) {
    finish(transactions_->loaded(time()));
}

Ticket TransactionHost::ask(TransactionRequest request) {
    const Ticket ticket = ++last_ticket_;
    TransactionStep step = transactions_->ask(ticket, request, time());
    written_by_last_ = step.records.size();
    finish(std::move(step));
    return ticket;
}

TransactionReply TransactionHost::reply_to(Ticket ticket) const {
    const auto found = told_.find(ticket);
    INVARIANT(found != told_.end(), "there is no answer yet");
    return found->second;
}

void TransactionHost::advance_ms(std::int64_t ms) {
    const env::Instant end = now_ + std::chrono::milliseconds(ms);
    const std::int64_t wall_end = wall_ms_ + ms;
    while (transactions_->deadline() <= end) {
        const auto step = std::max(transactions_->deadline(), now_) - now_;
        now_ += step;
        wall_ms_ += std::chrono::duration_cast<std::chrono::milliseconds>(step).count();
        finish(transactions_->tick(time()));
    }
    now_ = end;
    wall_ms_ = wall_end;
}

void TransactionHost::release() {
    is_held_ = false;
    finish({});
}

void TransactionHost::commit_to(Offset end) {
    INVARIANT(end.value <= static_cast<std::int64_t>(log_.size()),
              "what is not there is committed");
    high_watermark_ = std::max(high_watermark_, end);
    move_high_watermark();
    finish(transactions_->committed(high_watermark_, time()));
}

void TransactionHost::release_markers() {
    holds_markers_ = false;
    finish({});
}

void TransactionHost::mark(ErrorCode code, bool is_deleted) {
    ASSERT_FALSE(orders_.empty()) << "no markers are ordered";
    const MarkerOrder order = orders_.front();
    orders_.pop_front();
    mark(result_of(order, code, is_deleted));
}

void TransactionHost::mark(const MarkerResult& result) {
    finish(transactions_->marked(result, time()));
}

void TransactionHost::take_over(Has has) {
    if (has == Has::committed) log_.resize(static_cast<std::size_t>(high_watermark_.value));
    ++place_.coordinator_epoch;
    transactions_ = Transactions::make(options_, place_, ids_);
    parked_.clear();
    orders_.clear();
    load(*transactions_);
    high_watermark_ = Offset(static_cast<std::int64_t>(log_.size()));
    finish(transactions_->committed(high_watermark_, time()));
    finish(transactions_->loaded(time()));
}

void TransactionHost::follow(TransactionVersion version) {
    place_.version = version;
    transactions_->follow(place_);
}

void TransactionHost::load(Transactions& into) const {
    for (std::size_t at = 0; at < log_.size(); ++at)
        EXPECT_TRUE(into.load(view(log_[at], at)).has_value());
}

std::optional<std::size_t> TransactionHost::last_at(const std::string& id) const {
    for (std::size_t at = log_.size(); at-- > 0;) {
        if (*read_transaction_key(log_[at].key) != id) continue;
        return log_[at].value ? std::optional(at) : std::nullopt;
    }
    return std::nullopt;
}

Transaction TransactionHost::last(const std::string& id) const {
    const auto at = last_at(id);
    INVARIANT(at.has_value(), "the id has no record");
    return *read_transaction(*log_[*at].value);
}

void TransactionHost::check_replay() {
    const auto other = Transactions::make(options_, place_, ids_);
    load(*other);
    other->loaded(time());
    const auto step = transactions_->ask(1, ListTransactionsRequest{}, time());
    const auto& all = std::get<ListTransactionsReply>(step.answers.at(0).reply);
    EXPECT_EQ(all.transactions.size(), other->figures().ids);
    for (const auto& one : all.transactions) {
        const std::string& id = one.transactional_id;
        EXPECT_EQ(told_of(*transactions_, id, time()), told_of(*other, id, time())) << id;
    }
}

void TransactionHost::finish(TransactionStep step) {
    for (;;) {
        orders_.insert(orders_.end(), step.markers.begin(), step.markers.end());
        if (!step.records.empty() && fails_) {
            const ErrorCode why = *std::exchange(fails_, std::nullopt);
            for (const TransactionAnswer& answer : step.answers)
                refused_.emplace(answer.ticket, why);
            step = transactions_->append_failed(why, time());
            continue;
        }
        append(step.records);
        park(std::move(step.answers));
        step = {};
        const Offset end(static_cast<std::int64_t>(log_.size()));
        if (!is_held_ && high_watermark_ < end) {
            move_high_watermark();
            step = transactions_->committed(high_watermark_, time());
            continue;
        }
        move_high_watermark();
        if (holds_markers_ || orders_.empty()) return;
        const MarkerOrder order = orders_.front();
        orders_.pop_front();
        marked_.push_back(order);
        step = transactions_->marked(result_of(order, ErrorCode::none), time());
    }
}

void TransactionHost::append(const std::vector<Record>& records) {
    for (const Record& record : records) {
        log_.push_back(record);
        transactions_->apply(view(log_.back(), log_.size() - 1), time());
    }
}

void TransactionHost::park(std::vector<TransactionAnswer> answers) {
    for (TransactionAnswer& answer : answers)
        parked_.emplace_back(Offset(static_cast<std::int64_t>(log_.size())), std::move(answer));
}

void TransactionHost::move_high_watermark() {
    if (!is_held_) high_watermark_ = Offset(static_cast<std::int64_t>(log_.size()));
    while (!parked_.empty() && parked_.front().first <= high_watermark_) {
        TransactionAnswer answer = std::move(parked_.front().second);
        parked_.pop_front();
        const bool is_first = told_.emplace(answer.ticket, std::move(answer.reply)).second;
        EXPECT_TRUE(is_first) << "ticket " << answer.ticket << " is told twice";
    }
}

InitProducerRequest init_request(Producer before) {
    return {.transactional_id = kId,
            .timeout_ms = 60'000,
            .producer_id = before.id,
            .producer_epoch = before.epoch};
}

AddPartitionsRequest add_request(Producer producer, std::vector<TransactionPartition> partitions,
                                 TransactionVersion version) {
    return {.transactional_id = kId,
            .producer_id = producer.id,
            .producer_epoch = producer.epoch,
            .partitions = std::move(partitions),
            .version = version};
}

AddPartitionsRequest verify_request(Producer producer,
                                    std::vector<TransactionPartition> partitions) {
    auto request = add_request(producer, std::move(partitions), kClassic);
    request.verify_only = true;
    return request;
}

EndTransactionRequest end_request(Producer producer, bool commit, TransactionVersion version) {
    return {.transactional_id = kId,
            .producer_id = producer.id,
            .producer_epoch = producer.epoch,
            .commit = commit,
            .version = version};
}

TransactionPartition partition(std::int32_t index) {
    return {"t", PartitionIndex(index)};
}

MarkerResult result_of(const MarkerOrder& order, ErrorCode code, bool is_deleted) {
    MarkerResult result{.transactional_id = order.transactional_id,
                        .producer_id = order.producer_id,
                        .producer_epoch = order.producer_epoch,
                        .coordinator_epoch = order.coordinator_epoch,
                        .partitions = {}};
    for (const auto& one : order.partitions)
        result.partitions.push_back({.partition = one, .code = code, .is_deleted = is_deleted});
    return result;
}

Producer TransactionTest::set_epoch(std::int16_t epoch) {
    Transaction said = host.last(kId);
    said.epoch = epoch;
    host.log().push_back(*transaction_record(kId, said, kByEpoch));
    host.take_over();
    return {said.producer_id, epoch};
}

}  // namespace milena::coordinator::test
