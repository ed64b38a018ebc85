// SPDX-License-Identifier: Apache-2.0
// Finds the partitions that need the election, and says of the others why they do not.
#include "elections.h"

#include <set>

#include <fmt/format.h>

#include "milena/controller/topic_names.h"
#include "partition/partition_change.h"

namespace milena::controller {
namespace {

using metadata::PartitionRegistration;
using metadata::TopicImage;

bool is_needed(const PartitionRegistration& partition, ElectionType type) {
    return type == ElectionType::preferred ? partition.leader != partition.replicas.front()
                                           : partition.leader == kNoBroker;
}

class Elections {
public:
    Elections(const View& view, ElectionType type) : view_(view), type_(type) {}

    void elect_all(const TopicImage& topic) {
        ElectedTopic told{.topic = topic.name};
        for (const auto& [index, partition] : topic.partitions) {
            ElectedPartition one = elect(topic, index);
            if (one.code != ErrorCode::election_not_needed)
                told.partitions.push_back(std::move(one));
        }
        decision_.reply.push_back(std::move(told));
    }

    void elect(const PartitionsToElect& asked) {
        ElectedTopic told{.topic = asked.topic};
        const auto topic = view_.image.topics->find(asked.topic);
        // Said of every partition: no topic has a longer name.
        const auto name = std::string_view(asked.topic).substr(0, kTopicNameBytesMax);
        for (const PartitionIndex index : asked.partitions) {
            if (topic) {
                told.partitions.push_back(elect(*topic, index));
            } else {
                told.partitions.push_back({index, ErrorCode::unknown_topic_or_partition,
                                           fmt::format("No such topic as {}", name)});
            }
        }
        decision_.reply.push_back(std::move(told));
    }

    Decision<std::vector<ElectedTopic>> finish() && { return std::move(decision_); }

private:
    ElectedPartition elect(const TopicImage& topic, PartitionIndex index) {
        const PartitionRegistration* const partition = topic.partitions.find(index);
        if (!partition) {
            return {index, ErrorCode::unknown_topic_or_partition,
                    fmt::format("No such partition as {}-{}", topic.name, index)};
        }
        // A second election in one decision would look at the same image and write the same record.
        if (!is_needed(*partition, type_) || done_.contains({topic.id, index})) {
            return {index, ErrorCode::election_not_needed,
                    "Leader election not needed for topic partition."};
        }
        const bool is_preferred = type_ == ElectionType::preferred;
        const ElectionRules rules(view_, topic);
        PartitionChange change(view_, rules, {topic.id, index}, *partition);
        change.settle(is_preferred ? Election::preferred : Election::unclean);
        auto record = change.record();
        if (!record) {
            if (is_preferred) {
                return {index, ErrorCode::preferred_leader_not_available,
                        "The preferred leader was not available."};
            }
            return {index, ErrorCode::eligible_leaders_not_available,
                    "Eligible topic partition leaders are not available."};
        }
        done_.insert({topic.id, index});
        decision_.records.push_back(std::move(*record));
        return {index};
    }

    const View& view_;
    ElectionType type_;
    std::set<PartitionKey> done_;
    Decision<std::vector<ElectedTopic>> decision_;
};

}  // namespace

Decision<std::vector<ElectedTopic>> elect_leaders(const View& view,
                                                  const ElectLeadersRequest& request) {
    Elections elections(view, request.type);
    if (request.topics) {
        for (const PartitionsToElect& asked : *request.topics) elections.elect(asked);
    } else {
        for (const auto& [id, topic] : view.image.topics->by_id) elections.elect_all(*topic);
    }
    return std::move(elections).finish();
}

}  // namespace milena::controller
