// SPDX-License-Identifier: Apache-2.0
// Asks partitions within the limits of a Fetch, and turns what they gave into its answer.
#include "fetching.h"

#include "leader_endpoints.h"

namespace milena::server {
namespace {

using protocol::FetchRequest;
using protocol::FetchResponse;
using replication::FetchAnswer;

constexpr std::int16_t kFirstVersionWithTopicIds = 13;
constexpr std::int16_t kFirstVersionWithReplicaState = 15;
/// Below it Kafka tells no leader, though versions 12 to 15 have a field for it.
constexpr std::int16_t kFirstVersionWithLeaders = 16;
constexpr std::int8_t kReadCommitted = 1;

/// Kafka trips over these and answers UNKNOWN_SERVER_ERROR (docs/deviations.md).
bool is_valid(const FetchRequest& body, const FetchRequest::FetchPartition& asked) {
    return (body.isolation_level == 0 || body.isolation_level == kReadCommitted) &&
           body.max_bytes >= 0 && asked.partition_max_bytes >= 0;
}

std::uint64_t unsigned_limit(std::int32_t limit) {
    return static_cast<std::uint64_t>(std::max(limit, 0));
}

/// In a Fetch, unlike in a ListOffsets, every negative epoch means none.
LeaderEpoch epoch_or_none(std::int32_t epoch) {
    return epoch < 0 ? kNoLeaderEpoch : LeaderEpoch(epoch);
}

/// There is no such thing for this client.
bool is_unknown(ErrorCode code) {
    return code == ErrorCode::unknown_topic_or_partition || code == ErrorCode::unknown_topic_id ||
           code == ErrorCode::topic_authorization_failed;
}

/// What ends the wait whatever its size.
bool is_urgent(const FetchAnswer& answer) {
    return answer.code != ErrorCode::none || answer.diverging_epoch;
}

BrokerId replica_of(const Request& request, const FetchRequest& body) {
    return BrokerId(request.version() >= kFirstVersionWithReplicaState
                        ? body.replica_state.replica_id
                        : body.replica_id);
}

}  // namespace

Fetching::Fetching(const Request& request, const FetchRequest& body)
    : request_(request),
      body_(body),
      bytes_min_(unsigned_limit(body.min_bytes)),
      bytes_max_(std::min(unsigned_limit(body.max_bytes),
                          unsigned_limit(request.broker().config.network.fetch_bytes_max))) {
    const auto image = request.broker().image.load();
    for (const auto& topic : body.topics) {
        const auto found =
            request.version() >= kFirstVersionWithTopicIds
                ? find_topic(request, *image, topic.topic_id, security::Operation::read)
                : find_topic(request, *image, topic.topic, security::Operation::read);
        for (const auto& asked : topic.partitions) add_part(found, asked);
    }
    // More than the answer may hold will never be there.
    bytes_min_ = std::min(bytes_min_, bytes_max_);
    if (std::ranges::none_of(parts_, [](const FetchPart& part) { return part.replica != nullptr; }))
        has_urgent_ = true;
}

void Fetching::add_part(const TopicLookup& topic, const FetchRequest::FetchPartition& asked) {
    FetchPart& part = parts_.emplace_back();
    part.index = asked.partition;
    part.partition_bytes_max = unsigned_limit(asked.partition_max_bytes);
    part.question = {.from = Offset(asked.fetch_offset),
                     .current_leader_epoch = epoch_or_none(asked.current_leader_epoch),
                     .last_fetched_epoch = epoch_or_none(asked.last_fetched_epoch),
                     .log_start_offset = Offset(asked.log_start_offset),
                     .replica = replica_of(request_, body_),
                     .read_committed = body_.isolation_level == kReadCommitted};
    auto replica = find_replica(request_, topic, asked.partition);
    if (replica && is_valid(body_, asked)) {
        part.replica = std::move(*replica);
    } else {
        part.answer.code = replica ? ErrorCode::invalid_request : replica.error().code;
        // Kafka does not cut the wait for the others short where a topic or partition is unknown:
        // whoever asks for one again and again would else do so without a pause.
        has_urgent_ = has_urgent_ || !is_unknown(part.answer.code);
    }
}

void Fetching::ask_all() {
    for (std::size_t i = 0; i < parts_.size(); ++i) ask(i);
}

void Fetching::ask(std::size_t number) {
    FetchPart& part = parts_[number];
    if (part.replica == nullptr) return;
    bytes_ -= part.answer.records.length;
    const std::uint64_t room = bytes_max_ - std::min(bytes_, bytes_max_);
    // The first data is given whole whatever the limits are, or a client with small ones would
    // never get further.
    part.question.at_least_one_batch = bytes_ == 0;
    part.question.bytes_max = std::min(part.partition_bytes_max, room);
    part.answer = part.replica->fetch(part.question);
    bytes_ += part.answer.records.length;
    has_urgent_ = has_urgent_ || is_urgent(part.answer);
}

FetchResponse::PartitionData Fetching::describe(const FetchPart& part, protocol::Arena& arena,
                                                std::vector<replication::FileRange>& files) const {
    const FetchAnswer& answer = part.answer;
    FetchResponse::PartitionData out;
    out.partition_index = part.index;
    out.error_code = static_cast<std::int16_t>(answer.code);
    out.high_watermark = answer.high_watermark.value;
    out.last_stable_offset = answer.last_stable_offset.value;
    out.log_start_offset = answer.log_start_offset.value;
    if (answer.diverging_epoch) {
        out.diverging_epoch.epoch = answer.diverging_epoch->epoch.value;
        out.diverging_epoch.end_offset = answer.diverging_epoch->end_offset.value;
    }
    if (request_.version() >= kFirstVersionWithLeaders) {
        out.current_leader.leader_id = answer.current_leader.leader.value;
        out.current_leader.leader_epoch = answer.current_leader.epoch.value;
    }
    // Where no replica was asked the list is empty, else null, which is how Kafka has it.
    if (part.replica != nullptr) out.aborted_transactions = std::nullopt;
    if (part.question.read_committed && answer.code == ErrorCode::none)
        out.aborted_transactions = arena.make_array<FetchResponse::AbortedTransaction>(0);
    if (answer.records.length == 0) {
        out.records = BytesView();
    } else {
        out.records = protocol::Records::external(answer.records.length,
                                                  static_cast<std::uint32_t>(files.size()));
        files.push_back(answer.records);
    }
    return out;
}

Result<void> Fetching::answer_to(Request& request) const {
    FetchResponse response;
    LeaderEndpoints endpoints;
    std::vector<replication::FileRange> files;
    auto topics =
        request.arena.make_array<FetchResponse::FetchableTopicResponse>(body_.topics.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < topics.size(); ++i) {
        auto parts = request.arena.make_array<FetchResponse::PartitionData>(
            body_.topics[i].partitions.size());
        for (auto& part : parts) {
            // A replica knows the others.
            if (parts_[next].question.replica.value < 0)
                endpoints.add(parts_[next].answer.current_leader.leader);
            part = describe(parts_[next++], request.arena, files);
        }
        topics[i].topic = body_.topics[i].topic;
        topics[i].topic_id = body_.topics[i].topic_id;
        topics[i].partitions = parts;
    }
    response.responses = topics;
    if (request.version() >= kFirstVersionWithLeaders) {
        const auto image = request.broker().image.load();
        response.node_endpoints = endpoints.resolve<FetchResponse::NodeEndpoint>(
            *image, request.session.listener(), request.arena);
    }
    return answer(request, response, files);
}

}  // namespace milena::server
