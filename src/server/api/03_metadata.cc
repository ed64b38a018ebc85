// SPDX-License-Identifier: Apache-2.0
// Metadata: brokers, topics, partitions and who leads them, as the served image has them. A topic
// that is asked for and missing may be created; the answer then waits until it has its leaders, so
// that the first produce finds them (docs/deviations.md: Apache Kafka answers
// UNKNOWN_TOPIC_OR_PARTITION and lets the client ask again).
#include "milena/protocol/messages/metadata.h"

#include <set>

#include "milena/controller/topic_names.h"
#include "milena/protocol/messages/create_topics.h"

#include "../api.h"
#include "../image/describing.h"
#include "../image/successors.h"
#include "../internal/internal_topics.h"
#include "../leader_endpoints.h"
#include "../topics.h"

namespace milena::server {
namespace {

using protocol::CreateTopicsRequest;
using protocol::MetadataRequest;
using protocol::MetadataResponse;
using security::Operation;
using security::ResourceType;

constexpr std::int16_t kFirstVersionWithListenerError = 6;
constexpr std::int16_t kFirstVersionWithNullNames = 12;

/// Fills one answer from one image, which outlives it.
class MetadataAnswer {
public:
    MetadataAnswer(Request& request, const metadata::Image& image)
        : request_(request), image_(image), listener_(request.session.listener().name) {}

    void add_cluster() {
        response_.cluster_id = std::string_view(request_.broker().cluster_id);
        auto brokers = request_.arena.make_array<MetadataResponse::MetadataResponseBroker>(
            image_.cluster->brokers.size());
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
        if (count != 0)
            response_.controller_id =
                brokers[request_.broker().env.random().next() % count].node_id;
    }

    void add_cluster_operations() {
        response_.cluster_authorized_operations = cluster_operations(request_);
    }

    void add_topics(std::span<MetadataResponse::MetadataResponseTopic> topics,
                    bool with_operations) {
        for (auto& topic : topics) {
            if (!with_operations || !topic.name || is_denied(topic)) continue;
            topic.topic_authorized_operations = topic_operations(request_, *topic.name);
        }
        response_.topics = topics;
    }

    MetadataResponse::MetadataResponseTopic topic(const metadata::TopicImage& topic) {
        MetadataResponse::MetadataResponseTopic out;
        out.name = std::string_view(topic.name);
        out.topic_id = topic.id;
        out.is_internal = is_internal_topic(topic.name);
        auto partitions = request_.arena.make_array<MetadataResponse::MetadataResponsePartition>(
            topic.partitions.size());
        std::size_t next = 0;
        for (const auto& [index, partition] : topic.partitions)
            partitions[next++] = describe(index, partition);
        out.partitions = partitions;
        return out;
    }

    MetadataResponse::MetadataResponseTopic error(ErrorCode code, protocol::NullableString name,
                                                  Uuid id) const {
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
    static bool is_denied(const MetadataResponse::MetadataResponseTopic& topic) {
        return topic.error_code == static_cast<std::int16_t>(ErrorCode::topic_authorization_failed);
    }

    MetadataResponse::MetadataResponsePartition describe(
        PartitionIndex index, const metadata::PartitionRegistration& partition) {
        MetadataResponse::MetadataResponsePartition out;
        out.partition_index = index.value;
        out.leader_id = partition.leader.value;
        out.leader_epoch = partition.leader_epoch.value;
        out.replica_nodes = numbers(partition.replicas);
        out.isr_nodes = numbers(partition.in_sync_replicas);
        out.offline_replicas = offline_replicas(image_, partition.replicas, request_.arena);
        out.error_code = static_cast<std::int16_t>(leader_code(partition));
        if (out.error_code != 0) out.leader_id = kNoBroker.value;
        return out;
    }

    ErrorCode leader_code(const metadata::PartitionRegistration& partition) const {
        const ErrorCode code = leader_error(image_, partition, listener_);
        const bool is_known = request_.version() >= kFirstVersionWithListenerError;
        return code == ErrorCode::listener_not_found && !is_known ? ErrorCode::leader_not_available
                                                                  : code;
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
    return std::ranges::all_of(body.topics,
                               [&](const MetadataRequest::MetadataRequestTopic& topic) {
                                   if (request.version() >= kFirstVersionWithNullNames)
                                       return topic.name || !topic.topic_id.is_zero();
                                   return topic.name && topic.topic_id.is_zero();
                               });
}

/// How the topic of that name is made, which is missing; nothing if clients can't have it made.
std::optional<CreateTopicsRequest::CreatableTopic> topic_to_create(const Request& request,
                                                                   std::string_view name) {
    if (is_internal_topic(name)) return internal_topic(request, name);
    // This broker's defaults, as in Apache Kafka: not those of the controller's node.
    const auto& config = request.broker().config;
    CreateTopicsRequest::CreatableTopic fresh;
    fresh.name = name;
    fresh.num_partitions = config.num_partitions;
    fresh.replication_factor = static_cast<std::int16_t>(config.default_replication_factor);
    return fresh;
}

/// Names that are asked for, missing, and may be made.
std::vector<CreateTopicsRequest::CreatableTopic> topics_to_create(const Request& request,
                                                                  const MetadataRequest& body,
                                                                  const metadata::Image& image) {
    std::vector<CreateTopicsRequest::CreatableTopic> missing;
    if (!body.allow_auto_topic_creation || !request.broker().config.auto_create_topics_enable)
        return missing;
    for (const auto& topic : body.topics) {
        if (!topic.name || !controller::check_topic_name(*topic.name)) continue;
        if (!topic.topic_id.is_zero() || image.topics->find(*topic.name) != nullptr) continue;
        if (!may_create_topic(request, *topic.name)) continue;
        if (const auto fresh = topic_to_create(request, *topic.name)) missing.push_back(*fresh);
    }
    return missing;
}

/// Creates what may be created. What could not be stays unknown to the client, which asks again.
env::Task<void> create_missing(Request& request, const MetadataRequest& body) {
    const auto missing = topics_to_create(request, body, *request.broker().image.load());
    if (!missing.empty()) co_await create_by_itself(request, missing);
}

MetadataResponse::MetadataResponseTopic describe(
    Request& request, MetadataAnswer& out, const metadata::Image& image,
    const MetadataRequest::MetadataRequestTopic& asked) {
    if (!asked.topic_id.is_zero()) {
        const auto found = find_topic(request, image, asked.topic_id, Operation::describe);
        if (!found) return out.error(found.error().code, std::nullopt, asked.topic_id);
        return out.topic(**found);
    }
    const auto found = find_topic(request, image, *asked.name, Operation::describe);
    if (found) return out.topic(**found);
    const bool can_exist = found.error().code != ErrorCode::unknown_topic_or_partition ||
                           controller::check_topic_name(*asked.name);
    return out.error(can_exist ? found.error().code : ErrorCode::invalid_topic_exception,
                     asked.name, Uuid());
}

void add_asked(Request& request, const MetadataRequest& body, MetadataAnswer& out,
               const metadata::Image& image) {
    // One id among them, and only ids count; what is asked for twice is answered once.
    const bool by_id = std::ranges::any_of(
        body.topics, [](const auto& topic) { return !topic.topic_id.is_zero(); });
    auto topics =
        request.arena.make_array<MetadataResponse::MetadataResponseTopic>(body.topics.size());
    std::set<std::string_view> names;
    std::set<Uuid> ids;
    std::size_t count = 0;
    for (const auto& asked : body.topics) {
        if (by_id && asked.topic_id.is_zero()) continue;
        const bool is_first =
            by_id ? ids.insert(asked.topic_id).second : names.insert(*asked.name).second;
        if (is_first) topics[count++] = describe(request, out, image, asked);
    }
    out.add_topics(topics.first(count), body.include_topic_authorized_operations);
}

bool leads_one_of(const std::vector<BrokerId>& brokers, const metadata::TopicImage& topic) {
    return std::ranges::any_of(topic.partitions, [&](const auto& partition) {
        return std::ranges::find(brokers, partition.second.leader) != brokers.end();
    });
}

bool is_led_by(const std::vector<BrokerId>& brokers, const metadata::Image& image,
               const MetadataRequest& body) {
    return std::ranges::any_of(body.topics, [&](const auto& asked) {
        const auto topic = asked.topic_id.is_zero() ? image.topics->find(*asked.name)
                                                    : image.topics->find(asked.topic_id);
        return topic != nullptr && leads_one_of(brokers, *topic);
    });
}

/// The answer to a request that is not valid: its topics, each with the error, and nothing else.
Result<void> answer_invalid(Request& request, const MetadataRequest& body) {
    constexpr auto kCode = static_cast<std::int16_t>(ErrorCode::invalid_request);
    MetadataResponse response;
    response.cluster_id = std::nullopt;
    auto topics =
        request.arena.make_array<MetadataResponse::MetadataResponseTopic>(body.topics.size());
    for (std::size_t i = 0; i < topics.size(); ++i) {
        topics[i].error_code = kCode;
        topics[i].name = body.topics[i].name.value_or("");
        topics[i].topic_id = body.topics[i].topic_id;
    }
    response.topics = topics;
    response.error_code = kCode;
    return answer(request, response);
}

void add_all(Request& request, MetadataAnswer& out, const metadata::Image& image,
             bool with_operations) {
    std::vector<const metadata::TopicImage*> visible;
    for (const auto& [id, topic] : image.topics->by_id) {
        if (request.session.may(Operation::describe, ResourceType::topic, topic->name))
            visible.push_back(topic.get());
    }
    auto topics = request.arena.make_array<MetadataResponse::MetadataResponseTopic>(visible.size());
    std::ranges::transform(visible, topics.begin(),
                           [&](const auto* topic) { return out.topic(*topic); });
    out.add_topics(topics, with_operations);
}

/// Notes that the client was sent to this node, if the answer says that it leads what was asked
/// for.
void note_told(Request& request, const MetadataResponse& response, const metadata::Image& image,
               bool may_create_topics) {
    const BrokerId self = request.broker().config.node_id;
    const auto* const broker = image.cluster->find_broker(self);
    if (broker == nullptr) return;
    const auto* const told = endpoint_of(*broker, request.session.listener().name);
    if (told == nullptr) return;
    for (const auto& topic : response.topics) {
        for (const auto& partition : topic.partitions) {
            if (partition.leader_id != self.value) continue;
            request.session.told_to_come({told->host, told->port}, may_create_topics, request);
            return;
        }
    }
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<MetadataRequest>(request));
    if (!is_valid(request, body)) co_return answer_invalid(request, body);
    co_await create_missing(request, body);
    if (!asks_all(request, body)) {
        co_await await_successors(request, [&](const auto& lost, const metadata::Image& image) {
            return is_led_by(lost, image, body);
        });
    }
    const auto image = request.broker().image.load();
    MetadataAnswer out(request, *image);
    out.add_cluster();
    if (body.include_cluster_authorized_operations) out.add_cluster_operations();
    if (asks_all(request, body)) {
        add_all(request, out, *image, body.include_topic_authorized_operations);
    } else {
        add_asked(request, body, out, *image);
        note_told(request, out.response(), *image, body.allow_auto_topic_creation);
    }
    co_return answer(request, out.response());
}

}  // namespace

Api api_03() {
    return make_api(protocol::ApiKey::metadata, &serve);
}

}  // namespace milena::server
