// SPDX-License-Identifier: Apache-2.0
// Applies topics and partitions: a leader in a change raises the leader epoch, any change the
// partition epoch.
#include "topics_delta.h"

namespace milena::metadata {

/// Directory ids with a meaning (KIP-858).
static constexpr Uuid kMigrating{0, 0};
static constexpr Uuid kUnassigned{0, 1};
/// PartitionChangeRecord.leader: the leader stays, and with it its epoch.
static constexpr std::int32_t kSameLeader = -2;

ShardedMap<std::string, Uuid>::Editor& TopicsDelta::names() {
    if (!names_) names_.emplace(base_->by_name);
    return *names_;
}

std::optional<Uuid> TopicsDelta::find(std::string_view name) const {
    const Uuid* const id = names_ ? names_->find(name) : base_->by_name.find(name);
    return id ? std::optional(*id) : std::nullopt;
}

TopicsDelta::Open* TopicsDelta::open(Uuid id) {
    if (const auto at = touched_.find(id); at != touched_.end())
        return at->second ? &*at->second : nullptr;
    const auto* const topic = base_->by_id.find(id);
    if (!topic) return nullptr;
    changes_.topics.insert(id);
    return &*touched_
                 .emplace(id,
                          Open{(*topic)->name, decltype(Open::partitions)((*topic)->partitions)})
                 .first->second;
}

Result<void> TopicsDelta::apply(const protocol::TopicRecord& record) {
    if (find(record.name)) return contradiction("a second topic with the name {}", record.name);
    if (open(record.topic_id))
        return contradiction("a second topic with the id {}", record.topic_id);
    const ShardedMap<PartitionIndex, PartitionRegistration> none;
    touched_.insert_or_assign(record.topic_id,
                              Open{std::string(record.name), decltype(Open::partitions)(none)});
    names().set(std::string(record.name), record.topic_id);
    changes_.topics.insert(record.topic_id);
    return ok();
}

Result<std::string> TopicsDelta::apply(const protocol::RemoveTopicRecord& record) {
    Open* const topic = open(record.topic_id);
    if (!topic) return contradiction("topic {} is removed, which does not exist", record.topic_id);
    std::string name = std::move(topic->name);
    names().erase(name);
    touched_.insert_or_assign(record.topic_id, std::nullopt);
    return name;
}

/// In most partitions all replicas are in sync: then they are listed once.
static void share_where_equal(PartitionRegistration& partition) {
    if (partition.in_sync_replicas == partition.replicas)
        partition.in_sync_replicas = partition.replicas;
}

Result<void> TopicsDelta::apply(const protocol::PartitionRecord& record) {
    Open* const topic = open(record.topic_id);
    if (!topic)
        return contradiction("partition {} of topic {}, which does not exist", record.partition_id,
                             record.topic_id);
    PartitionRegistration partition;
    partition.replicas = broker_view(record.replicas);
    partition.directories = std::span<const Uuid>(record.directories);
    if (partition.directories.empty())
        partition.directories = std::vector<Uuid>(partition.replicas.size(), kMigrating);
    if (partition.directories.size() != partition.replicas.size()) {
        return contradiction("partition {} of topic {} has {} replicas in {} directories",
                             record.partition_id, topic->name, partition.replicas.size(),
                             partition.directories.size());
    }
    partition.in_sync_replicas = broker_view(record.isr);
    share_where_equal(partition);
    partition.removing_replicas = broker_view(record.removing_replicas);
    partition.adding_replicas = broker_view(record.adding_replicas);
    partition.eligible_leader_replicas = broker_view(record.eligible_leader_replicas);
    partition.last_known_eligible_leader_replicas = broker_view(record.last_known_elr);
    partition.leader = BrokerId(record.leader);
    partition.is_recovering = record.leader_recovery_state == 1;
    partition.leader_epoch = LeaderEpoch(record.leader_epoch);
    partition.partition_epoch = PartitionEpoch(record.partition_epoch);
    topic->partitions.set(PartitionIndex(record.partition_id), std::move(partition));
    return ok();
}

/// New replicas with the directories that are known of them.
static void set_replicas(PartitionRegistration& partition, const std::vector<BrokerId>& replicas) {
    std::vector<Uuid> directories;
    for (const BrokerId replica : replicas) {
        const auto at = std::ranges::find(partition.replicas, replica);
        directories.push_back(
            at == partition.replicas.end()
                ? kUnassigned
                : partition.directories[static_cast<std::size_t>(at - partition.replicas.begin())]);
    }
    partition.replicas = replicas;
    partition.directories = directories;
}

static Result<void> change(PartitionRegistration& partition,
                           const protocol::PartitionChangeRecord& record) {
    const auto assign = [](SharedList<BrokerId>& brokers,
                           const protocol::NullableArray<std::int32_t>& now) {
        if (now.has_value()) brokers = broker_view(now);
    };
    if (record.replicas.has_value()) set_replicas(partition, broker_ids(record.replicas));
    if (record.directories.has_value()) {
        if (record.directories.size() != partition.replicas.size()) {
            return contradiction("partition {} of topic {} gets {} directories for {} replicas",
                                 record.partition_id, record.topic_id, record.directories.size(),
                                 partition.replicas.size());
        }
        partition.directories = std::span<const Uuid>(record.directories);
    }
    assign(partition.in_sync_replicas, record.isr);
    share_where_equal(partition);
    assign(partition.removing_replicas, record.removing_replicas);
    assign(partition.adding_replicas, record.adding_replicas);
    assign(partition.eligible_leader_replicas, record.eligible_leader_replicas);
    assign(partition.last_known_eligible_leader_replicas, record.last_known_elr);
    if (record.leader_recovery_state >= 0)
        partition.is_recovering = record.leader_recovery_state == 1;
    if (record.leader != kSameLeader) {
        partition.leader = BrokerId(record.leader);
        ++partition.leader_epoch.value;
    }
    ++partition.partition_epoch.value;
    return ok();
}

Result<void> TopicsDelta::apply(const protocol::PartitionChangeRecord& record) {
    Open* const topic = open(record.topic_id);
    PartitionRegistration* const partition =
        topic ? topic->partitions.edit(PartitionIndex(record.partition_id)) : nullptr;
    if (!partition) {
        return contradiction("partition {} of topic {} changes, which does not exist",
                             record.partition_id, record.topic_id);
    }
    return change(*partition, record);
}

void TopicsDelta::clear_eligible(Uuid id) {
    Open* const topic = open(id);
    if (!topic) return;  // gone by an earlier record of this delta
    const ShardedMap<PartitionIndex, PartitionRegistration> all =
        std::move(topic->partitions).finish();
    topic->partitions = decltype(Open::partitions)(all);
    for (const auto& [index, partition] : all) {
        if (partition.eligible_leader_replicas.empty() &&
            partition.last_known_eligible_leader_replicas.empty())
            continue;
        PartitionRegistration& changed = *topic->partitions.edit(index);
        changed.eligible_leader_replicas = {};
        changed.last_known_eligible_leader_replicas = {};
        ++changed.partition_epoch.value;
    }
}

Result<void> TopicsDelta::apply(const protocol::ClearElrRecord& record) {
    if (!record.topic_name.empty()) {
        const std::optional<Uuid> id = find(record.topic_name);
        if (!id)
            return contradiction("eligible replicas of topic {}, which does not exist",
                                 record.topic_name);
        clear_eligible(*id);
        return ok();
    }
    for (const auto& [id, topic] : base_->by_id) clear_eligible(id);
    for (auto& [id, topic] : touched_) {
        if (topic && !base_->by_id.contains(id)) clear_eligible(id);
    }
    return ok();
}

std::shared_ptr<const TopicsImage> TopicsDelta::finish() && {
    if (touched_.empty()) return std::move(base_);
    auto image = std::make_shared<TopicsImage>();
    decltype(image->by_id)::Editor topics(base_->by_id);
    for (auto& [id, open] : touched_) {
        if (open) {
            topics.set(id, std::make_shared<const TopicImage>(TopicImage{
                               std::move(open->name), id, std::move(open->partitions).finish()}));
        } else {
            topics.erase(id);
        }
    }
    image->by_id = std::move(topics).finish();
    image->by_name = names_ ? std::move(*names_).finish() : base_->by_name;
    return image;
}

}  // namespace milena::metadata
