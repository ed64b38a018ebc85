// SPDX-License-Identifier: Apache-2.0
// A wish after a pause, whatever came of the last one.
#include "sim/workload/replica_mover.h"

#include <array>

#include <fmt/ranges.h>

#include "milena/protocol/messages/alter_partition_reassignments.h"

namespace milena::sim {
namespace {

constexpr std::int32_t kTimeoutMs = 5'000;
constexpr std::int16_t kVersion = 1;
constexpr env::Duration kPauseMin = std::chrono::milliseconds(20);
constexpr env::Duration kPauseMax = std::chrono::seconds(4);
constexpr double kCancelChance = 0.25;

}  // namespace

env::Task<void> ReplicaMover::run() {
    Node& machine = link_.machine();
    while (!is_finishing_) {
        co_await machine.sleep(machine.core(0), random_.between(kPauseMin, kPauseMax));
        if (!is_finishing_) co_await take_a_step();
    }
}

env::Task<void> ReplicaMover::take_a_step() {
    const auto partition =
        static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(shape_.partitions)));
    const bool is_cancel = random_.chance(kCancelChance);
    auto replicas = draw_replicas();
    if (co_await link_.ready(nullptr) == nullptr) co_return;
    if (is_cancel) {
        co_await ask(partition, std::nullopt);
    } else {
        co_await ask(partition, std::move(replicas));
    }
}

std::vector<std::int32_t> ReplicaMover::draw_replicas() {
    std::vector<std::int32_t> left = shape_.brokers;
    std::vector<std::int32_t> drawn;
    while (std::cmp_less(drawn.size(), shape_.replicas)) {
        const auto at = left.begin() + static_cast<std::ptrdiff_t>(random_.below(left.size()));
        drawn.push_back(*at);
        left.erase(at);
    }
    return drawn;
}

env::Task<void> ReplicaMover::ask(std::int32_t partition,
                                  std::optional<std::vector<std::int32_t>> replicas) {
    using Request = protocol::AlterPartitionReassignmentsRequest;
    std::array<Request::ReassignablePartition, 1> partitions;
    partitions[0].partition_index = partition;
    partitions[0].replicas = std::nullopt;
    if (replicas) partitions[0].replicas = std::span<const std::int32_t>(*replicas);
    std::array<Request::ReassignableTopic, 1> topics;
    topics[0].name = shape_.topic;
    topics[0].partitions = partitions;
    Request request;
    request.topics = topics;
    request.timeout_ms = kTimeoutMs;
    const auto response =
        co_await link_.call<protocol::AlterPartitionReassignmentsResponse>(request, kVersion);
    std::int16_t code = -1;
    if (response) code = response->error_code;
    if (response && code == 0 && response->responses.size() == 1 &&
        response->responses[0].partitions.size() == 1)
        code = response->responses[0].partitions[0].error_code;
    LOG_INFO(log_, "replicas move", kv("partition", partition),
             kv("to", replicas ? fmt::format("{}", *replicas) : "where they were"),
             kv("code", code));
    if (response) judge(code, !replicas);
}

void ReplicaMover::judge(std::int16_t code, bool is_cancel) {
    const auto error = static_cast<ErrorCode>(code);
    if (error == ErrorCode::none) {
        ++moves_;
        return;
    }
    link_.drop();  // another server may take the next one
    const bool may_be = may_be_refused_with(error) || error == ErrorCode::not_controller ||
                        error == ErrorCode::invalid_replica_assignment ||
                        (is_cancel && error == ErrorCode::no_reassignment_in_progress);
    if (!may_be) link_.complain("I14", fmt::format("a move: {}", error_name(error)));
}

}  // namespace milena::sim
