// SPDX-License-Identifier: Apache-2.0
// Gathers the answers of partitions, at once or from other threads, and encodes them together.
#include "produce_answers.h"

#include <algorithm>

#include "leader_endpoints.h"
#include "milena/protocol/messages/produce.h"
#include "milena/server/broker.h"
#include "request.h"

namespace milena::server {
namespace {

using protocol::ProduceResponse;
using replication::ProduceAnswer;

/// Below it an answer has no room for a leader or its endpoint (KIP-951).
constexpr std::int16_t kFirstVersionWithLeaders = 10;

ProduceResponse::PartitionProduceResponse encode_part(const ProduceAnswers::Part& part,
                                                      std::int16_t version,
                                                      protocol::Arena& arena) {
    const ProduceAnswer& answer = part.answer;
    ProduceResponse::PartitionProduceResponse out;
    out.index = part.index;
    out.error_code = static_cast<std::int16_t>(answer.code);
    out.base_offset = answer.base_offset.value;
    out.log_append_time_ms = answer.log_append_time.value;
    out.log_start_offset = answer.log_start_offset.value;
    if (!answer.why.empty()) out.error_message = error_text(answer.why);
    if (version >= kFirstVersionWithLeaders) {
        out.current_leader.leader_id = answer.current_leader.leader.value;
        out.current_leader.leader_epoch = answer.current_leader.epoch.value;
    }
    if (!answer.record_errors.empty()) {
        auto errors = arena.make_array<ProduceResponse::BatchIndexAndErrorMessage>(
            answer.record_errors.size());
        for (std::size_t i = 0; i < errors.size(); ++i) {
            errors[i].batch_index = answer.record_errors[i].index;
            errors[i].batch_index_error_message = error_text(answer.record_errors[i].message);
        }
        out.record_errors = errors;
    }
    return out;
}

}  // namespace

void ProduceAnswers::begin(const AnswerContext& context) {
    context_ = context;
    topics_.clear();
    parts_.clear();
    expected_ = 0;
}

std::uint32_t ProduceAnswers::add_partition(std::int32_t index) {
    ++topics_.back().partition_count;
    parts_.push_back({index, {}});
    return static_cast<std::uint32_t>(parts_.size() - 1);
}

bool ProduceAnswers::has_error() const {
    return std::ranges::any_of(
        parts_, [](const Part& part) { return part.answer.code != ErrorCode::none; });
}

void ProduceAnswers::seal(wire::DeferredReply reply) {
    kept_names_.reserve(topics_.size());
    for (Topic& topic : topics_) topic.name = kept_names_.emplace_back(topic.name);
    reply_ = std::move(reply);
    self_ = shared_from_this();
    const bool complete = arrivals_.with([this](Arrivals& arrivals) {
        arrivals.wanted = expected_;
        return arrivals.answers.size() == expected_;
    });
    if (complete) deliver();
}

void ProduceAnswers::arrived(std::uint32_t part, ProduceAnswer answer) {
    const bool complete = arrivals_.with([&](Arrivals& arrivals) {
        arrivals.answers.push_back({part, std::move(answer)});
        return arrivals.wanted == arrivals.answers.size();
    });
    if (complete) deliver();
}

void ProduceAnswers::take_arrivals() {
    arrivals_.with([this](Arrivals& arrivals) {
        for (Arrival& arrival : arrivals.answers)
            parts_[arrival.part].answer = std::move(arrival.answer);
        arrivals.answers.clear();
        arrivals.wanted.reset();
    });
}

void ProduceAnswers::deliver() {
    const auto self = std::exchange(self_, nullptr);
    reply_->complete([self](wire::ReplySlot& slot) {
        self->take_arrivals();
        if (auto encoded = self->encode(slot); !encoded) {
            LOG_ERROR(self->context_.broker->log, "produce answer not encoded",
                      kv("why", encoded.error().why));
            slot.output.clear();
            slot.close_after = true;
        }
    });
}

Result<void> ProduceAnswers::encode(wire::ReplySlot& slot) {
    arena_.reset();
    ProduceResponse response;
    LeaderEndpoints endpoints;
    auto topics = arena_.make_array<ProduceResponse::TopicProduceResponse>(topics_.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < topics_.size(); ++i) {
        auto parts = arena_.make_array<ProduceResponse::PartitionProduceResponse>(
            topics_[i].partition_count);
        for (auto& part : parts) {
            endpoints.add(parts_[next].answer.current_leader.leader);
            part = encode_part(parts_[next++], context_.version, arena_);
        }
        topics[i].name = topics_[i].name;
        topics[i].topic_id = topics_[i].id;
        topics[i].partition_responses = parts;
    }
    response.responses = topics;
    const auto image = context_.broker->image.load();
    if (context_.version >= kFirstVersionWithLeaders) {
        response.node_endpoints =
            endpoints.resolve<ProduceResponse::NodeEndpoint>(*image, *context_.listener, arena_);
    }
    return encode_answer(slot.output, context_.version, context_.correlation_id, response);
}

}  // namespace milena::server
