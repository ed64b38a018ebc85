// SPDX-License-Identifier: Apache-2.0
// Asks partitions within the limits of a Fetch, and turns what they gave into its answer.
#include "fetching.h"

#include "fetch/fetch_scratch.h"
#include "fetch/replica_selector.h"
#include "leader_endpoints.h"

namespace milena::server {
namespace {

using protocol::FetchRequest;
using protocol::FetchResponse;
using replication::FetchAnswer;

/// Whoever knows of racks may read from followers (KIP-392).
constexpr std::int16_t kFirstVersionWithRack = 11;
constexpr std::int16_t kFirstVersionWithTopicIds = 13;
constexpr std::int16_t kFirstVersionWithReplicaState = 15;
/// Below it Kafka tells no leader, though versions 12 to 15 have a field for it.
constexpr std::int16_t kFirstVersionWithLeaders = 16;
constexpr std::int8_t kReadCommitted = 1;
/// Records of one answer that are copied: up to here a second system call, and the packet and the
/// wake-up that it makes of its own, cost more than the copy.
constexpr std::uint64_t kCopiedBytesMax = 8 * 1024;

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

}  // namespace

BrokerId fetching_replica(const Request& request, const FetchRequest& body) {
    return BrokerId(request.version() >= kFirstVersionWithReplicaState
                        ? body.replica_state.replica_id
                        : body.replica_id);
}

Fetching::Fetching(const Request& request, const FetchRequest& body, FetchScratch& scratch)
    : request_(request),
      body_(body),
      scratch_(scratch),
      parts_(scratch.parts),
      bytes_max_(std::min(unsigned_limit(body.max_bytes),
                          unsigned_limit(request.broker().config.network.fetch_bytes_max))) {
    // More than the answer may hold will never be there.
    bytes_min_ = std::min(unsigned_limit(body.min_bytes), bytes_max_);
    INVARIANT(parts_.empty(), "two fetches work in one place");
    if (fetching_replica(request, body).value >= 0) {
        const bool may =
            check_cluster_right(request, security::Operation::cluster_action).has_value();
        reads_as_ = may ? ReadsAs::follower : ReadsAs::impostor;
        replication::ReplicationQuota* const quota = request.broker().leader_quota;
        if (may && quota != nullptr && quota->is_limited()) quota_ = quota;
    }
    has_rack_ = reads_as_ == ReadsAs::consumer && !body.rack_id.empty() &&
                request.broker().config.sends_consumers_to_their_rack;
}

Fetching::~Fetching() {
    scratch_.clear();
}

bool Fetching::uses_topic_ids() const {
    return request_.version() >= kFirstVersionWithTopicIds;
}

void Fetching::add_all() {
    const auto image = request_.broker().image.load();
    for (const auto& topic : body_.topics) {
        const auto found =
            uses_topic_ids() ? find(*image, topic.topic_id) : find(*image, topic.topic);
        for (const auto& asked : topic.partitions)
            set(parts_.size(), {topic.topic, topic.topic_id}, asked, found);
    }
    if (std::ranges::none_of(parts_, &FetchPart::can_be_asked)) has_urgent_ = true;
}

FetchPart& Fetching::set(std::size_t number, const FetchTopic& topic,
                         const FetchRequest::FetchPartition& asked, const TopicLookup& found) {
    INVARIANT(number <= parts_.size(), "parts come one by one");
    if (number == parts_.size()) parts_.emplace_back();
    FetchPart& part = parts_[number];
    bytes_ -= part.answer.records.length;
    static_cast<FetchOutcome&>(part) = {};
    part.topic = uses_topic_ids() ? FetchTopic{{}, topic.id} : topic;
    part.index = asked.partition;
    part.partition_bytes_max = unsigned_limit(asked.partition_max_bytes);
    part.question = {.from = Offset(asked.fetch_offset),
                     .current_leader_epoch = epoch_or_none(asked.current_leader_epoch),
                     .last_fetched_epoch = epoch_or_none(asked.last_fetched_epoch),
                     .log_start_offset = Offset(asked.log_start_offset),
                     .replica = fetching_replica(request_, body_),
                     .replica_epoch = BrokerEpoch(body_.replica_state.replica_epoch),
                     .leader_only = request_.version() < kFirstVersionWithRack,
                     .read_committed = body_.isolation_level == kReadCommitted,
                     .quota = quota_};
    auto replica = find_replica(request_, found, asked.partition);
    part.can_be_asked = replica && is_valid(body_, asked);
    if (part.can_be_asked) {
        part.replica = std::move(*replica);
        return part;
    }
    part.replica = nullptr;
    part.answer.code = replica ? ErrorCode::invalid_request : replica.error().code;
    // Kafka does not cut the wait for the others short where a topic or partition is unknown:
    // whoever asks for one again and again would else do so without a pause. A follower pauses by
    // itself, and as a rule has heard of a new partition a moment before this broker.
    has_urgent_ = has_urgent_ || is_followers() || !is_unknown(part.answer.code);
    return part;
}

void Fetching::refuse(FetchPart& part, ErrorCode code) {
    part.can_be_asked = false;
    part.answer.code = code;
    has_urgent_ = true;
}

void Fetching::ask_all() {
    for (std::size_t i = 0; i < parts_.size(); ++i) ask(i);
}

void Fetching::ask_if_room(std::size_t number) {
    if (bytes_ == 0 || room() != 0) ask(number);
}

void Fetching::ask(std::size_t number) {
    FetchPart& part = parts_[number];
    if (!part.can_be_asked) return;
    bytes_ -= part.answer.records.length;
    part.answer = {};
    part.preferred_replica = kNoBroker;
    if (has_rack_ && sends_to_rack(part)) return;
    // The first data is given whole whatever the limits are, or a client with small ones would
    // never get further.
    part.question.at_least_one_batch = bytes_ == 0;
    part.question.bytes_max = std::min(part.partition_bytes_max, room());
    part.was_asked = true;
    part.answer = part.replica->fetch(part.question);
    part.had_room = part.question.bytes_max != 0 && !part.answer.is_withheld;
    bytes_ += part.answer.records.length;
    has_urgent_ = has_urgent_ || is_urgent(part.answer);
}

/// True if the consumer is to read the partition from a replica in its rack: then its answer tells
/// where this leader's log stands, and no records.
bool Fetching::sends_to_rack(FetchPart& part) {
    const replication::CurrentLeader leader = part.replica->current_leader();
    if (leader.leader != request_.broker().config.node_id) return false;
    const auto image = request_.broker().image.load();
    const ReplicaSelector selector(*image, request_.session.listener().name, body_.rack_id);
    if (selector.is_in_rack(leader.leader)) return false;
    const BrokerId preferred =
        selector.select(leader.leader, part.replica->readable_followers(part.question.from));
    if (preferred == kNoBroker) return false;
    auto question = part.question;
    question.from = part.replica->log_start_offset();
    question.last_fetched_epoch = kNoLeaderEpoch;
    question.bytes_max = 0;
    question.at_least_one_batch = false;
    auto answer = part.replica->fetch(question);
    if (answer.code != ErrorCode::none) return false;
    part.answer = std::move(answer);
    part.preferred_replica = preferred;
    part.was_asked = part.had_room = has_urgent_ = true;
    return true;
}

void Fetching::count(const FetchPart& part) const {
    const bool is_consumers = part.question.replica.value < 0;
    const auto count_in = [&](replication::Traffic& traffic) {
        traffic.fetch_requests.add();
        if (part.answer.code != ErrorCode::none) traffic.failed_fetch_requests.add();
        if (is_consumers) traffic.bytes_out.add(part.answer.records.length);
    };
    if (part.answer.is_throttled)
        quota_->record(part.answer.records.length, request_.broker().env.clock().now());
    count_in(request_.session.core().metrics.traffic());
    if (!is_consumers)
        request_.session.core().metrics.replication_bytes_out().add(part.answer.records.length);
    if (part.replica != nullptr) count_in(part.replica->traffic());
}

FetchResponse::PartitionData Fetching::describe(const FetchPart& part, protocol::Arena& arena) {
    const FetchAnswer& answer = part.answer;
    FetchResponse::PartitionData out;
    out.partition_index = part.index;
    out.error_code = static_cast<std::int16_t>(answer.code);
    out.high_watermark = answer.high_watermark.value;
    out.last_stable_offset = answer.last_stable_offset.value;
    out.log_start_offset = answer.log_start_offset.value;
    out.preferred_read_replica = part.preferred_replica.value;
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
    if (part.question.read_committed && answer.code == ErrorCode::none) {
        auto aborted = arena.make_array<FetchResponse::AbortedTransaction>(answer.aborted.size());
        for (std::size_t i = 0; i < aborted.size(); ++i) {
            aborted[i].producer_id = answer.aborted[i].producer.value;
            aborted[i].first_offset = answer.aborted[i].first_offset.value;
        }
        out.aborted_transactions = aborted;
    }
    describe_records(answer.records, arena, out);
    count(part);
    return out;
}

/// By sendfile, or with the answer's own bytes where that is the lesser work and waits for no disk.
void Fetching::describe_records(const replication::FileRange& range, protocol::Arena& arena,
                                FetchResponse::PartitionData& out) {
    if (range.length == 0) {
        out.records = BytesView();
    } else if (range.length <= copied_bytes_left_ &&
               range.file->is_cached(range.position + range.length - 1)) {
        copied_bytes_left_ -= range.length;
        const auto bytes = arena.make_array<std::byte>(range.length);
        const auto read = range.file->read_at(range.position, bytes);
        if (read && *read == bytes.size()) {
            out.records = BytesView(bytes);
        } else {
            out.error_code = static_cast<std::int16_t>(ErrorCode::kafka_storage_error);
            out.records = BytesView();
        }
    } else {
        out.records = protocol::Records::external(
            range.length, static_cast<std::uint32_t>(scratch_.files.size()));
        scratch_.files.push_back(range);
    }
}

/// Those whose replica was asked come first, then the others, as Kafka has it; neighbours of one
/// topic stand together.
protocol::Array<FetchResponse::FetchableTopicResponse> Fetching::describe_all(
    protocol::Arena& arena) {
    const auto told = static_cast<std::size_t>(std::ranges::count_if(parts_, &FetchPart::is_told));
    auto partitions = arena.make_array<FetchResponse::PartitionData>(told);
    auto topics = arena.make_array<FetchResponse::FetchableTopicResponse>(told);
    std::size_t topic_count = 0;
    std::size_t next = 0;
    std::size_t first = 0;
    for (const bool were_asked : {true, false}) {
        for (const FetchPart& part : parts_) {
            if (!part.is_told || (part.replica != nullptr) != were_asked) continue;
            auto* topic = topic_count == 0 ? nullptr : &topics[topic_count - 1];
            if (topic == nullptr || topic->topic != part.topic.name ||
                topic->topic_id != part.topic.id) {
                topic = &topics[topic_count++];
                topic->topic = part.topic.name;
                topic->topic_id = part.topic.id;
                first = next;
            }
            partitions[next++] = describe(part, arena);
            topic->partitions = partitions.subspan(first, next - first);
        }
    }
    return std::span<const FetchResponse::FetchableTopicResponse>(topics.first(topic_count));
}

Result<void> Fetching::answer_to(Request& request, std::int32_t session_id) {
    FetchResponse response;
    copied_bytes_left_ = kCopiedBytesMax;
    response.session_id = session_id;
    response.responses = describe_all(request.arena);
    if (request.version() >= kFirstVersionWithLeaders) {
        LeaderEndpoints endpoints;
        for (const FetchPart& part : parts_) {
            // A replica knows the others.
            if (part.is_told && part.question.replica.value < 0)
                endpoints.add(part.answer.current_leader.leader);
        }
        const auto image = request.broker().image.load();
        response.node_endpoints = endpoints.resolve<FetchResponse::NodeEndpoint>(
            *image, request.session.listener(), request.arena);
    }
    const AnswerFiles files{scratch_.files, scratch_.splices};
    return answer(request, response, request.version(), &files);
}

}  // namespace milena::server
