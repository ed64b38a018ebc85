// SPDX-License-Identifier: Apache-2.0
// Topics of a request about a group's offsets, by name or by id: which may be asked for, and where
// their answers go. The answers of refused topics come first, as they do from Kafka.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "../topics.h"

namespace milena::server {

/// One partition's answer where there is nothing but a code.
struct PartitionCode {
    std::int32_t partition = 0;
    ErrorCode code = ErrorCode::none;
};

/// Codes by topic, in the order in which topics first came.
class CodesByTopic {
public:
    struct Topic {
        std::string_view name;
        Uuid id;
        std::vector<PartitionCode> partitions;
    };

    /// Both outlive this.
    void add(std::string_view name, Uuid id, PartitionCode code);
    const std::vector<Topic>& topics() const { return topics_; }

private:
    std::vector<Topic> topics_;
    std::map<std::pair<std::string_view, Uuid>, std::size_t> places_;
};

/// From version 10 on topics of commits and fetches are named by ids.
constexpr bool offsets_use_topic_ids(std::int16_t version) {
    constexpr std::int16_t kFirstVersionWithIds = 10;
    return version >= kFirstVersionWithIds;
}

}  // namespace milena::server
