// SPDX-License-Identifier: Apache-2.0
// Topics and their partitions. A topic that changes is taken apart once, however many of its
// partitions change.
#pragma once

#include <map>
#include <optional>

#include "milena/protocol/records/metadata.h"
#include "part.h"

namespace milena::metadata {

class TopicsDelta {
public:
    TopicsDelta(std::shared_ptr<const TopicsImage> base, Changes& changes)
        : base_(std::move(base)), changes_(changes) {}

    Result<void> apply(const protocol::TopicRecord& record);
    Result<void> apply(const protocol::PartitionRecord& record);
    Result<void> apply(const protocol::PartitionChangeRecord& record);
    /// Nobody is eligible any more, in one topic or (an empty name) in all (KIP-966).
    Result<void> apply(const protocol::ClearElrRecord& record);
    /// The name of the topic that was removed.
    Result<std::string> apply(const protocol::RemoveTopicRecord& record);

    std::shared_ptr<const TopicsImage> finish() &&;

private:
    /// A topic under change.
    struct Open {
        std::string name;
        ShardedMap<PartitionIndex, PartitionRegistration>::Editor partitions;
    };

    /// Null if there is no such topic.
    Open* open(Uuid id);
    std::optional<Uuid> find(std::string_view name) const;
    void clear_eligible(Uuid id);
    ShardedMap<std::string, Uuid>::Editor& names();

    std::shared_ptr<const TopicsImage> base_;
    Changes& changes_;
    /// Nothing stands for a topic that is gone.
    std::map<Uuid, std::optional<Open>> touched_;
    std::optional<ShardedMap<std::string, Uuid>::Editor> names_;
};

}  // namespace milena::metadata
