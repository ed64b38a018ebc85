// SPDX-License-Identifier: Apache-2.0
// Whether consumer groups are served, and their partitions on the wire.
#include "consumer_protocol.h"

#include "milena/metadata/features.h"

namespace milena::server {

bool serves_consumer_protocol(const Request& request) {
    constexpr std::string_view kFeature = "group.version";
    return request.broker().config.groups.serves_consumer_protocol &&
           request.broker().image.load()->features->level(kFeature) >= 1;
}

std::span<std::int32_t> indexes_of(Request& request, const coordinator::TopicPartitions& topic) {
    auto indexes = request.arena.make_array<std::int32_t>(topic.partitions.size());
    for (std::size_t i = 0; i < indexes.size(); ++i) indexes[i] = topic.partitions[i].value;
    return indexes;
}

}  // namespace milena::server
