// SPDX-License-Identifier: Apache-2.0
// Changes of a state store that are commits, as coordinators write them, or their ends.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "milena/coordinator/record.h"
#include "milena/protocol/records/group.h"
#include "milena/storage/state_store.h"

namespace milena::drivers {

class OffsetChanges {
public:
    OffsetChanges& set(std::string_view group, std::string_view topic, std::int32_t partition,
                       std::int64_t offset) {
        protocol::OffsetCommitValue value;
        value.offset = offset;
        kept_.push_back(*coordinator::make_record(key(group, topic, partition), value, 4));
        return *this;
    }
    OffsetChanges& gone(std::string_view group, std::string_view topic, std::int32_t partition) {
        kept_.push_back(*coordinator::make_tombstone(key(group, topic, partition)));
        return *this;
    }
    /// A key of an offset with a value that is none.
    OffsetChanges& garbage(std::string_view group, std::string_view topic, std::int32_t partition) {
        gone(group, topic, partition);
        kept_.back().value.emplace(3);
        return *this;
    }

    std::vector<storage::StateChange> all() const {
        std::vector<storage::StateChange> all;
        for (const auto& [key, value] : kept_)
            all.push_back({key, value ? std::optional(BytesView(*value)) : std::nullopt});
        return all;
    }
    /// The same as the store gives them to who reads a page.
    std::vector<coordinator::RecordView> records() const {
        std::vector<coordinator::RecordView> records;
        for (const auto& [key, value] : all()) records.push_back({.key = key, .value = value});
        return records;
    }

private:
    static protocol::OffsetCommitKey key(std::string_view group, std::string_view topic,
                                         std::int32_t partition) {
        return {.group = group, .topic = topic, .partition = partition};
    }

    std::deque<coordinator::Record> kept_;
};

}  // namespace milena::drivers
