// SPDX-License-Identifier: Apache-2.0
// Metadata: brokers, topics, partitions and who leads them, as the served image has them. A topic that is asked for and
// missing may be created; the answer then waits until it has its leaders, so that the first produce finds them
// (docs/deviations.md: Apache Kafka answers UNKNOWN_TOPIC_OR_PARTITION and lets the client ask again).
#include "milena/protocol/messages/metadata.h"

#include "../api.h"
#include "../leader_endpoints.h"
#include "../topics.h"

namespace milena::server {
namespace {

using protocol::MetadataRequest;
using protocol::MetadataResponse;
using security::Operation;
using security::ResourceType;

constexpr std::int16_t kFirstVersionWithListenerError = 6;
constexpr std::int16_t kFirstVersionWithIds = 10;
constexpr std::int16_t kFirstVersionWithNullNames = 12;
/// How long an answer waits for topics that it had created.
constexpr env::Duration kCreationWait = std::chrono::seconds(5);

std::span<const std::int32_t> numbers(const std::vector<BrokerId>& brokers) {
    static_assert(sizeof(BrokerId) == sizeof(std::int32_t), "a broker id is its number");
    return {reinterpret_cast<const std::int32_t*>(brokers.data()), brokers.size()};
}

/// Fills one answer from one image, which outlives it.
class MetadataAnswer {
public:
    MetadataAnswer(Request& request, const metadata::Image& image)
        : request_(request), image_(image), listener_(request.session.listener().name) {}

    void add_cluster() {
        response_.cluster_id = std::string_view(request_.broker().cluster_id);
        auto brokers = request_.arena.make_array<MetadataResponse::MetadataResponseBroker>(image_.cluster->brokers.size());
        std::size_t count = 0;
        for (const auto& [id, broker] : image_.cluster->brokers) {
            const auto* endpoint = endpoint_of(broker, listener_);
            if (broker.fenced || endpoint == nullptr) continue;
            auto& out = brokers[count++];
            out.node_id = id.value;
            out.host = endpoint->host;
            out.port = endpoint->port;
            if (broker.rack) out.rack = std::string_view(*broker.rack);
        }
        response_.brokers = brokers.first(count);
        // Any live broker will do: it forwards what is the controller's to decide (KIP-590).
        if (count != 0) response_.controller_id = brokers[request_.broker().env.random().next() % count].node_id;
    }

    void add_topics(std::span<MetadataResponse::MetadataResponseTopic> topics) { response_.topics = topics; }

    MetadataResponse::MetadataResponseTopic topic(const metadata::TopicImage& topic) {
        MetadataResponse::MetadataResponseTopic out;
        out.name = std::string_view(topic.name);
        out.topic_id = topic.id;
        out.is_internal = is_internal_topic(topic.name);
        auto partitions = request_.arena.make_array<MetadataResponse::MetadataResponsePartition>(topic.partitions.size());
        std::size_t next = 0;
        for (const auto& [index, partition] : topic.partitions) partitions[next++] = describe(index, partition);
        out.partitions = partitions;
        return out;
    }

    MetadataResponse::MetadataResponseTopic error(ErrorCode code, protocol::NullableString name, Uuid id) const {
        MetadataResponse::MetadataResponseTopic out;
        out.error_code = static_cast<std::int16_t>(code);
        out.name = name;
        if (!name && request_.version() < kFirstVersionWithNullNames) out.name = "";
        out.topic_id = id;
        out.is_internal = name && is_internal_topic(*name);
        return out;
    }

    MetadataResponse& response() { return response_; }

private:
    MetadataResponse::MetadataResponsePartition describe(PartitionIndex index,
                                                         const metadata::PartitionRegistration& partition) {
        MetadataResponse::MetadataResponsePartition out;
        out.partition_index = index.value;
        out.leader_id = partition.leader.value;
        out.leader_epoch = partition.leader_epoch.value;
        out.replica_nodes = numbers(partition.replicas);
        out.isr_nodes = numbers(partition.in_sync_replicas);
        out.offline_replicas = offline(partition.replicas);
        out.error_code = static_cast<std::int16_t>(leader_error(partition));
        if (out.error_code != 0) out.leader_id = kNoBroker.value;
        return out;
    }

    bool is_online(BrokerId id) const {
        const auto broker = image_.cluster->brokers.find(id);
        return broker != image_.cluster->brokers.end() && !broker->second.fenced;
    }

    protocol::Array<std::int32_t> offline(const std::vector<BrokerId>& replicas) {
        if (std::ranges::all_of(replicas, [this](BrokerId id) { return is_online(id); })) return {};
        auto out = request_.arena.make_array<std::int32_t>(replicas.size());
        std::size_t count = 0;
        for (const BrokerId id : replicas) {
            if (!is_online(id)) out[count++] = id.value;
        }
        return std::span<const std::int32_t>(out.first(count));
    }

    ErrorCode leader_error(const metadata::PartitionRegistration& partition) const {
        const auto broker = image_.cluster->brokers.find(partition.leader);
        if (broker == image_.cluster->brokers.end() || broker->second.fenced) return ErrorCode::leader_not_available;
        if (endpoint_of(broker->second, listener_) != nullptr) return ErrorCode::none;
        return request_.version() >= kFirstVersionWithListenerError ? ErrorCode::listener_not_found
                                                                    : ErrorCode::leader_not_available;
    }

    Request& request_;
    const metadata::Image& image_;
    std::string_view listener_;
    MetadataResponse response_;
};

bool asks_all(const Request& request, const MetadataRequest& body) {
    return !body.topics.has_value() || (request.version() == 0 && body.topics.empty());
}

/// A request must say what it asks for in a way that its version knows.
bool is_valid(const Request& request, const MetadataRequest& body) {
    return std::ranges::all_of(body.topics, [&](const MetadataRequest::MetadataRequestTopic& topic) {
        if (topic.name) return topic.topic_id.is_zero() || request.version() < kFirstVersionWithIds;
        return !topic.topic_id.is_zero() && request.version() >= kFirstVersionWithNullNames;
    });
}

/// Names that are asked for, missing, and may be made.
std::vector<controller::NewTopic> topics_to_create(const Request& request, const MetadataRequest& body,
                                                   const metadata::Image& image) {
    std::vector<controller::NewTopic> missing;
    if (!body.allow_auto_topic_creation || !request.broker().config.auto_create_topics_enable) return missing;
    for (const auto& topic : body.topics) {
        if (!topic.name || image.topics->find(*topic.name) != nullptr) continue;
        const bool may = request.session.may(Operation::create, ResourceType::cluster, security::kClusterResource) ||
                         request.session.may(Operation::create, ResourceType::topic, *topic.name);
        if (!may || is_internal_topic(*topic.name)) continue;
        controller::NewTopic fresh;
        fresh.name = std::string(*topic.name);
        missing.push_back(std::move(fresh));
    }
    return missing;
}

using Refused = std::map<std::string, ErrorCode, std::less<>>;

/// Creates what may be created; gives the names that could not be, with what a client is told for each.
env::Task<Refused> create_missing(Request& request, const MetadataRequest& body) {
    Refused refused;
    controller::CreateTopicsRequest wanted;
    wanted.topics = topics_to_create(request, body, *request.broker().image.load());
    if (wanted.topics.empty()) co_return refused;
    const env::Instant deadline = request.received + kCreationWait;
    auto reply = co_await request.broker().controller.create_topics(std::move(wanted), deadline);
    if (!reply) co_return refused;
    for (const auto& topic : reply->topics) {
        if (topic.code == ErrorCode::none || topic.code == ErrorCode::topic_already_exists) continue;
        if (topic.code == ErrorCode::invalid_topic_exception) refused.emplace(topic.name, topic.code);
        LOG_INFO(request.broker().log, "topic not created for a metadata request", kv("topic", topic.name),
                 kv("client", request.head.header.client_id.value_or("")), kv("why", topic.why));
    }
    co_await request.broker().image.catch_up(request.connection.owner(), deadline);
    co_return refused;
}

MetadataResponse::MetadataResponseTopic describe(Request& request, MetadataAnswer& out, const metadata::Image& image,
                                                 const MetadataRequest::MetadataRequestTopic& asked,
                                                 const Refused& refused) {
    if (!asked.name) {
        const auto found = find_topic(request, image, asked.topic_id, Operation::describe);
        if (!found) return out.error(found.error().code, std::nullopt, asked.topic_id);
        return out.topic(**found);
    }
    const auto found = find_topic(request, image, *asked.name, Operation::describe);
    if (found) return out.topic(**found);
    const auto why = refused.find(*asked.name);
    return out.error(why == refused.end() ? found.error().code : why->second, asked.name, Uuid());
}

void add_all(Request& request, MetadataAnswer& out, const metadata::Image& image) {
    std::vector<const metadata::TopicImage*> visible;
    for (const auto& [id, topic] : image.topics->by_id) {
        if (request.session.may(Operation::describe, ResourceType::topic, topic->name)) visible.push_back(topic.get());
    }
    auto topics = request.arena.make_array<MetadataResponse::MetadataResponseTopic>(visible.size());
    std::ranges::transform(visible, topics.begin(), [&](const auto* topic) { return out.topic(*topic); });
    out.add_topics(topics);
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<MetadataRequest>(request));
    if (!is_valid(request, body)) {
        co_return fail(ErrorCode::invalid_request, "Metadata names a topic in a way that its version has not");
    }
    const auto refused = co_await create_missing(request, body);
    const auto image = request.broker().image.load();
    MetadataAnswer out(request, *image);
    out.add_cluster();
    if (asks_all(request, body)) {
        add_all(request, out, *image);
    } else {
        auto topics = request.arena.make_array<MetadataResponse::MetadataResponseTopic>(body.topics.size());
        std::ranges::transform(body.topics, topics.begin(),
                               [&](const auto& asked) { return describe(request, out, *image, asked, refused); });
        out.add_topics(topics);
    }
    co_return answer(request, out.response());
}

}  // namespace

Api api_03() { return make_api(protocol::ApiKey::metadata, &serve); }

}  // namespace milena::server
