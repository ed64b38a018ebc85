// SPDX-License-Identifier: Apache-2.0
// What tells a consumer group that its topics are otherwise than before: a hash over those that
// there are, with their partitions and the racks of their replicas (KIP-1101). It stands in the
// group's record, so that the next coordinator does not take the same topics for news. It is
// Kafka's, for that may be one: XXH3 of 64 bits, numbers little-endian, texts as UTF-16 and their
// length:
//
//   topic: 0 | id, two i64 | name | partitions i32
//          | for each: number i32, for each rack: length i32, rack
//   group: the topics' hashes, i64, in the order of their names
#pragma once

#include <cstdint>

#include "milena/coordinator/topics_view.h"

namespace milena::coordinator {

class ConsumerTable;
class ConsumerGroup;

std::int64_t hash_of(const TopicsView& topics, const TopicsView::Topic& topic);
/// Of all that the group subscribes to; 0 if there is none of it.
std::int64_t metadata_hash(ConsumerTable& table, const ConsumerGroup& group);

}  // namespace milena::coordinator
