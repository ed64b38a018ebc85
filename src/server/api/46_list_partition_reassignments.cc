// SPDX-License-Identifier: Apache-2.0
// ListPartitionReassignments: which partitions are on their way to other replicas (KIP-455), as the
// served image has them.
#include "milena/protocol/messages/list_partition_reassignments.h"

#include <algorithm>

#include "../api.h"
#include "../image/describing.h"
#include "../topics.h"

namespace milena::server {
namespace {

using protocol::ListPartitionReassignmentsRequest;
using protocol::ListPartitionReassignmentsResponse;
using OngoingTopic = ListPartitionReassignmentsResponse::OngoingTopicReassignment;
using OngoingPartition = ListPartitionReassignmentsResponse::OngoingPartitionReassignment;

bool is_reassigned(const metadata::PartitionRegistration& partition) {
    return !partition.adding_replicas.empty() || !partition.removing_replicas.empty();
}

class Listing {
public:
    explicit Listing(protocol::Arena& arena) : arena_(arena) {}

    void add(const metadata::TopicImage& topic, std::span<const PartitionIndex> asked) {
        auto partitions = arena_.make_array<OngoingPartition>(asked.size());
        std::size_t count = 0;
        for (const PartitionIndex index : asked) {
            const auto* const partition = topic.partitions.find(index);
            if (partition && is_reassigned(*partition))
                partitions[count++] = describe(index, *partition);
        }
        if (count > 0) topics_.push_back({topic.name, partitions.first(count)});
    }

    void add(const metadata::TopicImage& topic) {
        std::vector<PartitionIndex> all;
        for (const auto& [index, partition] : topic.partitions) {
            if (is_reassigned(partition)) all.push_back(index);
        }
        add(topic, all);
    }

    std::span<const OngoingTopic> topics() const { return topics_; }

private:
    static OngoingPartition describe(PartitionIndex index,
                                     const metadata::PartitionRegistration& partition) {
        OngoingPartition out;
        out.partition_index = index.value;
        out.replicas = numbers(partition.replicas);
        out.adding_replicas = numbers(partition.adding_replicas);
        out.removing_replicas = numbers(partition.removing_replicas);
        return out;
    }

    protocol::Arena& arena_;
    std::vector<OngoingTopic> topics_;
};

void list(const ListPartitionReassignmentsRequest& body, const metadata::Image& image,
          Listing& listing) {
    if (!body.topics.has_value()) {
        for (const auto& [id, topic] : image.topics->by_id) listing.add(*topic);
        return;
    }
    for (const auto& asked : body.topics) {
        const auto topic = image.topics->find(asked.name);
        if (!topic) continue;
        std::vector<PartitionIndex> indexes;
        for (const std::int32_t index : asked.partition_indexes) indexes.emplace_back(index);
        listing.add(*topic, indexes);
    }
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<ListPartitionReassignmentsRequest>(request));
    ListPartitionReassignmentsResponse response;
    response.error_message = std::nullopt;
    const auto image = request.broker().image.load();
    Listing listing(request.arena);
    const auto allowed = check_cluster_right(request, security::Operation::describe);
    if (allowed) {
        list(body, *image, listing);
        response.topics = listing.topics();
    } else {
        response.error_code = static_cast<std::int16_t>(allowed.error().code);
        response.error_message = error_text(allowed.error().why);
    }
    co_return answer(request, response);
}

}  // namespace

Api api_46() {
    return make_api(protocol::ApiKey::list_partition_reassignments, &serve);
}

}  // namespace milena::server
