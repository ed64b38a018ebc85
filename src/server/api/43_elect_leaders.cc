// SPDX-License-Identifier: Apache-2.0
// ElectLeaders: has the controller elect preferred leaders, or any where nobody leads (KIP-460).
#include "milena/protocol/messages/elect_leaders.h"

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using controller::ElectedTopic;
using controller::ElectionType;
using protocol::ElectLeadersRequest;
using protocol::ElectLeadersResponse;

/// More partitions than that are refused; as many are told so.
constexpr std::size_t kPartitionsMax = 10'000;

bool asks_for_too_much(const ElectLeadersRequest& body) {
    std::size_t partitions = 0;
    for (const auto& asked : body.topic_partitions) partitions += asked.partitions.size();
    return partitions > kPartitionsMax;
}

controller::ElectLeadersRequest wanted(const ElectLeadersRequest& body) {
    controller::ElectLeadersRequest out{.type = static_cast<ElectionType>(body.election_type)};
    if (!body.topic_partitions.has_value()) return out;
    auto& topics = out.topics.emplace();
    for (const auto& asked : body.topic_partitions) {
        auto& topic = topics.emplace_back();
        topic.topic = std::string(asked.topic);
        for (const std::int32_t index : asked.partitions) topic.partitions.emplace_back(index);
    }
    return out;
}

bool is_known(std::int8_t type) {
    return type == static_cast<std::int8_t>(ElectionType::preferred) ||
           type == static_cast<std::int8_t>(ElectionType::unclean);
}

env::Task<Result<std::vector<ElectedTopic>>> elect(Request& request,
                                                   const ElectLeadersRequest& body) {
    CO_TRY_VOID(check_cluster_right(request, security::Operation::alter));
    if (body.topic_partitions.has_value() && body.topic_partitions.empty())
        co_return std::vector<ElectedTopic>();
    if (!is_known(body.election_type)) {
        co_return fail(ErrorCode::invalid_request,
                       fmt::format("Unknown election type {}", body.election_type));
    }
    if (asks_for_too_much(body)) {
        co_return fail(ErrorCode::policy_violation,
                       "Excessively large number of partitions per request.");
    }
    const env::Instant deadline = request.deadline(body.timeout_ms);
    if (request.broker().env.clock().now() >= deadline)
        co_return fail(ErrorCode::request_timed_out, {});
    CO_TRY(auto elected, co_await ask_controller(request, [&](controller::Gateway& controller) {
               return controller.elect_leaders(wanted(body), deadline);
           }));
    co_await show_change(request, deadline);
    co_return elected;
}

/// Every partition that was named, up to the limit, with the error of all.
std::vector<ElectedTopic> refused(const ElectLeadersRequest& body, const Error& error) {
    std::vector<ElectedTopic> out;
    std::size_t left = kPartitionsMax;
    for (const auto& asked : body.topic_partitions) {
        if (left == 0) break;
        ElectedTopic topic{.topic = std::string(asked.topic)};
        for (const std::int32_t index :
             std::span(asked.partitions).first(std::min(left, asked.partitions.size())))
            topic.partitions.push_back({PartitionIndex(index), error.code, error.why});
        left -= topic.partitions.size();
        out.push_back(std::move(topic));
    }
    return out;
}

protocol::Array<ElectLeadersResponse::ReplicaElectionResult> results(
    protocol::Arena& arena, const std::vector<ElectedTopic>& topics) {
    auto out = arena.make_array<ElectLeadersResponse::ReplicaElectionResult>(topics.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto& elected = topics[i].partitions;
        auto partitions = arena.make_array<ElectLeadersResponse::PartitionResult>(elected.size());
        for (std::size_t j = 0; j < partitions.size(); ++j) {
            partitions[j].partition_id = elected[j].partition.value;
            partitions[j].error_code = static_cast<std::int16_t>(elected[j].code);
            partitions[j].error_message = std::nullopt;
            if (!elected[j].why.empty()) partitions[j].error_message = error_text(elected[j].why);
        }
        out[i].topic = topics[i].topic;
        out[i].partition_result = partitions;
    }
    return out;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<ElectLeadersRequest>(request));
    const auto elected = co_await elect(request, body);
    const auto topics = elected ? *elected : refused(body, elected.error());
    ElectLeadersResponse response;
    constexpr std::int16_t kFirstVersionWithError = 1;
    if (!elected && request.version() >= kFirstVersionWithError)
        response.error_code = static_cast<std::int16_t>(elected.error().code);
    response.replica_election_results = results(request.arena, topics);
    co_return answer(request, response);
}

}  // namespace

Api api_43() {
    return make_api(protocol::ApiKey::elect_leaders, &serve);
}

}  // namespace milena::server
