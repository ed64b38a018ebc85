// SPDX-License-Identifier: Apache-2.0
// Puts codes to their topics.
#include "group_topics.h"

namespace milena::server {

void CodesByTopic::add(std::string_view name, Uuid id, PartitionCode code) {
    const auto [place, is_new] = places_.try_emplace({name, id}, topics_.size());
    if (is_new) topics_.push_back({.name = name, .id = id, .partitions = {}});
    topics_[place->second].partitions.push_back(code);
}

}  // namespace milena::server
