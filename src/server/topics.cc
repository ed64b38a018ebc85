// SPDX-License-Identifier: Apache-2.0
// Looks topics and replicas up for a request, and says in a code why one is not to be had.
#include "topics.h"

namespace milena::server {
namespace {

bool may(const Request& request, security::Operation operation, std::string_view topic) {
    return request.session.may(operation, security::ResourceType::topic, topic);
}

}  // namespace

TopicLookup find_topic(const Request& request, const metadata::Image& image, std::string_view name,
                       security::Operation operation) {
    if (!may(request, operation, name)) return fail(ErrorCode::topic_authorization_failed, {});
    return find_topic(image, name);
}

TopicLookup find_topic(const Request& request, const metadata::Image& image, Uuid id,
                       security::Operation operation) {
    auto topic = find_topic(image, id);
    if (topic && !may(request, operation, (*topic)->name))
        return fail(ErrorCode::topic_authorization_failed, {});
    return topic;
}

TopicLookup find_topic(const metadata::Image& image, std::string_view name) {
    auto topic = image.topics->find(name);
    if (topic == nullptr) return fail(ErrorCode::unknown_topic_or_partition, {});
    return topic;
}

TopicLookup find_topic(const metadata::Image& image, Uuid id) {
    auto topic = image.topics->find(id);
    if (topic == nullptr) return fail(ErrorCode::unknown_topic_id, {});
    return topic;
}

Result<std::shared_ptr<replication::Partition>> find_replica(const Request& request,
                                                             const TopicLookup& topic,
                                                             std::int32_t partition) {
    if (!topic) return std::unexpected(topic.error());
    const PartitionIndex index(partition);
    if (auto replica = request.broker().replicas.find((*topic)->id, index)) return replica;
    return fail((*topic)->partitions.contains(index) ? ErrorCode::not_leader_or_follower
                                                     : ErrorCode::unknown_topic_or_partition,
                {});
}

bool may_create_topic(const Request& request, std::string_view name) {
    return request.session.may(security::Operation::create, security::ResourceType::cluster,
                               security::kClusterResource) ||
           may(request, security::Operation::create, name);
}

Result<void> check_cluster_right(const Request& request, security::Operation operation) {
    if (request.session.may(operation, security::ResourceType::cluster, security::kClusterResource))
        return ok();
    return fail(ErrorCode::cluster_authorization_failed, "Cluster authorization failed.");
}

bool is_internal_topic(std::string_view name) {
    return name == "__consumer_offsets" || name == "__transaction_state" ||
           name == "__share_group_state";
}

}  // namespace milena::server
