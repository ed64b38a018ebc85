// SPDX-License-Identifier: Apache-2.0
// Changes of consumer groups as records, in the versions that Kafka 4.4 writes:
//
//   3 the group's epoch          6 the epoch of its target assignment    16 what a pattern matches
//   5 what a member says         7 what a member is to have
//   4 partitions (before 4.1)    8 what a member has
#pragma once

#include "../consumer_group.h"
#include "milena/coordinator/record.h"

namespace milena::coordinator {

bool is_of_consumer_group(std::int16_t type);

Record record_of(std::string_view group, const ConsumerChange& change);

struct ConsumerRecord {
    std::string group;
    ConsumerChange change;
};
/// CORRUPT_MESSAGE if it is no such record.
Result<ConsumerRecord> read_consumer_record(const RecordView& record);

}  // namespace milena::coordinator
