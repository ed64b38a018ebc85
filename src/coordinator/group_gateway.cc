// SPDX-License-Identifier: Apache-2.0
// Which partition of __consumer_offsets a group belongs to. Clients rely on brokers agreeing, not
// on the number, but a cluster that is upgraded from Kafka has its groups where Kafka put them.
#include "milena/coordinator/group_gateway.h"

#include "java_text.h"
#include "milena/base/invariant.h"

namespace milena::coordinator {

PartitionIndex coordinator_partition(std::string_view group, std::int32_t partitions) {
    INVARIANT(partitions > 0, "a topic of coordinators without partitions");
    return PartitionIndex((java_hash(group) & INT32_MAX) % partitions);
}

}  // namespace milena::coordinator
