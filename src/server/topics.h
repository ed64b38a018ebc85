// SPDX-License-Identifier: Apache-2.0
// From what a request calls a topic or a partition to the thing itself, with the error a client is
// told on the way.
#pragma once

#include <memory>
#include <string_view>

#include "request.h"

namespace milena::server {

using TopicLookup = Result<std::shared_ptr<const metadata::TopicImage>>;

/// TOPIC_AUTHORIZATION_FAILED, whether it exists or not, or UNKNOWN_TOPIC_OR_PARTITION.
TopicLookup find_topic(const Request& request, const metadata::Image& image, std::string_view name,
                       security::Operation operation);
/// UNKNOWN_TOPIC_ID, or TOPIC_AUTHORIZATION_FAILED.
TopicLookup find_topic(const Request& request, const metadata::Image& image, Uuid id,
                       security::Operation operation);

/// The same for who needs no right on topics.
TopicLookup find_topic(const metadata::Image& image, std::string_view name);
TopicLookup find_topic(const metadata::Image& image, Uuid id);

/// This node's replica. UNKNOWN_TOPIC_OR_PARTITION if the topic has no such partition,
/// NOT_LEADER_OR_FOLLOWER if it is on other nodes.
Result<std::shared_ptr<replication::Partition>> find_replica(const Request& request,
                                                             const TopicLookup& topic,
                                                             std::int32_t partition);

/// The client may create this topic: by a right on the cluster, or on the name.
bool may_create_topic(const Request& request, std::string_view name);

/// CLUSTER_AUTHORIZATION_FAILED unless the client may do that to the cluster.
Result<void> check_cluster_right(const Request& request, security::Operation operation);

/// Topics that the cluster itself keeps, which clients may read and not write.
bool is_internal_topic(std::string_view name);

}  // namespace milena::server
