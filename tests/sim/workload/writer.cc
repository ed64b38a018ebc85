// SPDX-License-Identifier: Apache-2.0
// Rounds of: new batches if none waits, send all that wait, read all answers.
#include "sim/workload/writer.h"

#include <array>

#include "milena/protocol/messages/init_producer_id.h"
#include "milena/record/records.h"

namespace milena::sim {
namespace {

using protocol::ProduceRequest;
using protocol::ProduceResponse;

constexpr std::int16_t kProduceVersion = 9;
constexpr std::int16_t kInitProducerIdVersion = 4;
/// Kafka remembers that many batches of a producer, so no more may be under way.
constexpr std::size_t kInFlightMax = 5;
constexpr std::int32_t kRecordsMax = 4;
constexpr env::Duration kRetryPause = std::chrono::milliseconds(100);

}  // namespace

Writer::Writer(Link link, WriterShape shape, SeededRandom random, History& history)
    : link_(std::move(link)), shape_(std::move(shape)), random_(random), history_(history) {}

env::Task<void> Writer::run() {
    Node& machine = link_.machine();
    while (!is_done_) {
        const bool is_well = co_await take_producer_id() && co_await exchange() &&
                             (!random_.chance(shape_.replay_chance) || co_await replay());
        if (!is_well) link_.drop();
        is_done_ = has_finished_writing_ && waiting_.empty();
        const env::Duration pause =
            is_well ? random_.between(env::Duration(0), shape_.pause_max) : kRetryPause;
        co_await machine.sleep(machine.core(0), pause);
    }
}

env::Task<bool> Writer::take_producer_id() {
    if (co_await link_.ready(&shape_.place) == nullptr) co_return false;
    if (producer_id_ != kNoProducer) co_return true;
    protocol::InitProducerIdRequest request;
    request.transactional_id = std::nullopt;
    const auto response =
        co_await link_.call<protocol::InitProducerIdResponse>(request, kInitProducerIdVersion);
    if (!response) co_return false;
    const auto code = static_cast<ErrorCode>(response->error_code);
    if (code != ErrorCode::none) {
        // The wait for a block of ids has a limit.
        if (code != ErrorCode::coordinator_load_in_progress)
            complain("I18", fmt::format("no producer id: {}", error_name(code)));
        co_return false;
    }
    producer_id_ = ProducerId(response->producer_id);
    co_return true;
}

env::Task<bool> Writer::exchange() {
    support::Client* const client = co_await link_.ready(&shape_.place);
    if (client == nullptr) co_return false;
    if (waiting_.empty()) make_batches();
    link_.begin_wait();
    for (const Batch& batch : waiting_) {
        if (!co_await send(*client, batch)) co_return false;
    }
    std::deque<Batch> again;
    while (!waiting_.empty()) {
        const auto answer = co_await receive(*client);
        if (!answer) break;
        Batch batch = std::move(waiting_.front());
        waiting_.pop_front();
        if (is_taken(batch, *answer, again.empty())) {
            answered_.push_back(std::move(batch));
            if (answered_.size() > kInFlightMax) answered_.pop_front();
        } else {
            again.push_back(std::move(batch));
        }
    }
    link_.end_wait();
    const bool is_well = again.empty() && waiting_.empty();
    waiting_.insert(waiting_.begin(), std::make_move_iterator(again.begin()),
                    std::make_move_iterator(again.end()));
    co_return is_well;
}

env::Task<bool> Writer::replay() {
    if (answered_.empty() || !waiting_.empty()) co_return true;
    support::Client* const client = co_await link_.ready(&shape_.place);
    if (client == nullptr) co_return false;
    const Batch batch = answered_[random_.below(answered_.size())];
    link_.begin_wait();
    if (!co_await send(*client, batch)) co_return false;
    const auto answer = co_await receive(*client);
    link_.end_wait();
    if (!answer) co_return false;
    const bool is_leaders = history_.partitions[shape_.place].is_newest(link_.leader_epoch());
    if (may_be_refused_with(answer->error)) co_return false;
    if (answer->error != ErrorCode::none) {
        if (!is_leaders) co_return false;
        complain("I4", fmt::format("a batch that came twice is refused with {}",
                                   error_name(answer->error)));
    } else if (answer->base_offset != batch.base_offset) {
        complain("I3", fmt::format("a batch that came twice is said to be at {} and at {}",
                                   batch.base_offset, answer->base_offset));
    }
    co_return true;
}

env::Task<Result<void>> Writer::send(support::Client& client, const Batch& batch) {
    ProduceRequest request;
    request.acks = -1;
    request.timeout_ms = 5'000;
    std::array<ProduceRequest::PartitionProduceData, 1> parts;
    parts[0].index = shape_.place.partition;
    parts[0].records = protocol::Records(BytesView(batch.bytes));
    std::array<ProduceRequest::TopicProduceData, 1> topics;
    topics[0].name = shape_.place.topic;
    topics[0].partition_data = parts;
    request.topic_data = topics;
    co_return co_await client.send(request, kProduceVersion);
}

env::Task<std::optional<Writer::Answer>> Writer::receive(support::Client& client) {
    const auto frame = co_await client.receive();
    if (!frame) co_return std::nullopt;
    const auto response = client.read<ProduceResponse>(*frame, kProduceVersion);
    if (!response) {
        complain("protocol", response.error().why);
        co_return std::nullopt;
    }
    const auto& part = response->responses[0].partition_responses[0];
    co_return Answer{static_cast<ErrorCode>(part.error_code), part.base_offset};
}

void Writer::make_batches() {
    if (has_finished_writing_) return;
    const std::uint64_t count = is_finishing_ ? 1 : random_.between(1, kInFlightMax);
    for (std::uint64_t i = 0; i < count; ++i) waiting_.push_back(make_batch());
    has_finished_writing_ = is_finishing_;
}

Writer::Batch Writer::make_batch() {
    Batch batch;
    batch.base_sequence = next_sequence_;
    record::BatchBuilder builder({.base_offset = Offset(0),
                                  .timestamp = link_.machine().clock().wall(),
                                  .producer_id = producer_id_,
                                  .producer_epoch = 0,
                                  .base_sequence = next_sequence_});
    const auto count = static_cast<std::int32_t>(random_.between(1, kRecordsMax));
    for (std::int32_t i = 0; i < count; ++i) {
        batch.marks.push_back({shape_.number, next_number_++});
        const std::string value = batch.marks.back().text();
        builder.append(std::nullopt, as_bytes(value));
    }
    next_sequence_ += count;
    batch.bytes = std::move(builder).finish();
    return batch;
}

bool Writer::is_taken(Batch& batch, const Answer& answer, bool is_first_refused) {
    // Also of a batch that is taken: who leads in an older epoch is known not to lead from then on.
    const bool is_leaders = history_.partitions[shape_.place].is_newest(link_.leader_epoch());
    if (answer.error == ErrorCode::none) {
        batch.base_offset = answer.base_offset;
        auto& acknowledged = history_.partitions[shape_.place].acknowledged;
        for (std::size_t i = 0; i < batch.marks.size(); ++i)
            acknowledged.push_back(
                {answer.base_offset + static_cast<std::int64_t>(i), batch.marks[i]});
        return true;
    }
    // Out of order is right behind a batch of the same round that was not taken, and only there.
    const bool follows_refused =
        answer.error == ErrorCode::out_of_order_sequence_number && !is_first_refused;
    if (is_leaders && !may_be_refused_with(answer.error) && !follows_refused)
        complain("I5", fmt::format("{}, which leads in epoch {}, refuses a batch with {}",
                                   link_.server(), link_.leader_epoch(), error_name(answer.error)));
    return false;
}

void Writer::complain(std::string_view invariant, std::string what) {
    link_.complain(invariant, text() + ": " + std::move(what));
}

std::string Writer::text() const {
    return fmt::format("writer {} of {} (producer {}, {} batches wait, next sequence {})",
                       shape_.number, shape_.place.text(), producer_id_.value, waiting_.size(),
                       next_sequence_);
}

}  // namespace milena::sim
