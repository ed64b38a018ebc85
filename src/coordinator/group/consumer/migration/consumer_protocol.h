// SPDX-License-Identifier: Apache-2.0
// What consumers of the classic protocol tell one another (ConsumerProtocolSubscription and
// ConsumerProtocolAssignment, versions 0 to 3), which their coordinator has to understand where
// they share a group with others:
//
//   subscription: version i16 | topics [string] | user data bytes
//                 1+: owned [topic string | partitions [i32]]   2+: generation i32   3+: rack
//                 string
//   assignment:   version i16 | assigned [topic string | partitions [i32]] | user data bytes
//
// Lengths are i16 of strings and i32 else, −1 for what is not there. Later versions end with more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "milena/base/bytes.h"
#include "milena/coordinator/group_requests.h"
#include "milena/coordinator/topics_view.h"

namespace milena::coordinator {

struct NamedPartitions {
    std::string topic;
    std::vector<PartitionIndex> partitions;
};

struct ConsumerSubscription {
    std::int16_t version = 0;
    std::vector<std::string> topics;
    std::vector<NamedPartitions> owned;
    std::optional<std::string> rack;
};
/// Nothing if it can't be read.
std::optional<ConsumerSubscription> read_consumer_subscription(BytesView bytes);

struct ConsumerAssignment {
    std::vector<NamedPartitions> partitions;
    bool has_user_data = false;  ///< it means something to the assignor that no one else knows
};
/// No bytes: nothing is assigned.
std::optional<ConsumerAssignment> read_consumer_assignment(BytesView bytes);

/// Of topics that there still are.
Bytes consumer_assignment(std::int16_t version, const std::vector<TopicPartitions>& partitions,
                          const TopicsView& topics);
std::vector<TopicPartitions> with_ids(const std::vector<NamedPartitions>& partitions,
                                      const TopicsView& topics);

}  // namespace milena::coordinator
