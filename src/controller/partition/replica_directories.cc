// SPDX-License-Identifier: Apache-2.0
// Of a replica that is named in two directories the last counts: it was there last.
#include "partition/replica_directories.h"

#include <map>

#include "partition/alter_partition.h"
#include "partition/partition_change.h"

namespace milena::controller {
namespace {

using metadata::TopicImage;

class Assignments {
public:
    Assignments(const View& view, const metadata::BrokerRegistration& broker)
        : view_(view), broker_(broker) {}

    void add(Uuid directory, const TopicReplicas& asked) {
        const auto topic = view_.image.topics->find(asked.topic);
        std::optional<ElectionRules> rules;
        if (topic) rules.emplace(view_, *topic);
        for (const PartitionIndex index : asked.partitions) {
            const ErrorCode code =
                topic ? assign(*topic, *rules, index, directory) : ErrorCode::unknown_topic_id;
            told_.push_back({directory, asked.topic, index, code});
        }
    }

    Decision<AssignReplicasReply> finish() && {
        Records records;
        for (auto& [key, record] : records_) {
            if (record) records.push_back(std::move(*record));
        }
        return {std::move(records), std::move(told_)};
    }

private:
    ErrorCode assign(const TopicImage& topic, const ElectionRules& rules, PartitionIndex index,
                     Uuid directory) {
        const auto* const now = topic.partitions.find(index);
        if (!now) return ErrorCode::unknown_topic_or_partition;
        if (!contains(now->replicas, broker_.id)) return ErrorCode::not_leader_or_follower;
        if (records_.size() >= kRecordsMax) return ErrorCode::request_timed_out;
        PartitionChange change(view_, rules, {topic.id, index}, *now);
        change.set_directory(broker_.id, directory);
        if (has_directory(broker_, directory)) {
            change.settle(Election::clean);
        } else {
            change.leaves(broker_.id, false);
            change.settle(rules.automatic);
        }
        records_.insert_or_assign({topic.id, index}, change.record());
        return ErrorCode::none;
    }

    const View& view_;
    const metadata::BrokerRegistration& broker_;
    std::map<PartitionKey, std::optional<RecordValue>> records_;
    std::vector<AssignedReplica> told_;
};

}  // namespace

Decision<AssignReplicasReply> assign_replicas(const View& view,
                                              const AssignReplicasRequest& request) {
    if (!view.versions().log_directories) {
        return {{},
                fail(ErrorCode::unsupported_version,
                     "the metadata.version has no directories of replicas")};
    }
    const auto broker = check_broker_epoch(view, request.broker, request.epoch);
    if (!broker) return {{}, std::unexpected(broker.error())};
    Assignments assignments(view, **broker);
    for (const DirectoryReplicas& directory : request.directories) {
        for (const TopicReplicas& topic : directory.topics)
            assignments.add(directory.directory, topic);
    }
    return std::move(assignments).finish();
}

}  // namespace milena::controller
