// SPDX-License-Identifier: Apache-2.0
// Looks groups up and gathers a step.
#include "decision.h"

#include "consumer/records/records.h"
#include "milena/base/invariant.h"

namespace milena::coordinator {

ClassicGroup* Table::find(std::string_view group) {
    const auto found = classic.find(group);
    return found == classic.end() ? nullptr : &found->second;
}

const ClassicGroup* Table::find(std::string_view group) const {
    const auto found = classic.find(group);
    return found == classic.end() ? nullptr : &found->second;
}

const OtherGroup* Table::find_other(std::string_view group) const {
    const auto found = others.find(group);
    return found == others.end() ? nullptr : &found->second;
}

ClassicGroup& Table::make(std::string_view group, std::int64_t now_ms) {
    if (ClassicGroup* const found = find(group)) return *found;
    const std::string name(group);
    return classic
        .emplace(std::piecewise_construct, std::forward_as_tuple(name),
                 std::forward_as_tuple(name, now_ms))
        .first->second;
}

void Decision::write(Record record, Sequel sequel) {
    INVARIANT(!table.last_sequel, "two records of one decision have a sequel");
    write(std::move(record));
    table.last_sequel = std::move(sequel);
}

void Decision::change(ConsumerGroup& group, ConsumerChange change) {
    write(record_of(group.name, change));
    table.consumers.change(group, std::move(change));
}

void Decision::write(Result<Record> record) {
    INVARIANT(record.has_value(), "a record that can't be written");
    write(*std::move(record));
}

ErrorCode told_of_append(ErrorCode why) {
    switch (why) {
        case ErrorCode::unknown_topic_or_partition:
        case ErrorCode::not_enough_replicas:
        case ErrorCode::not_enough_replicas_after_append:
        case ErrorCode::request_timed_out: return ErrorCode::coordinator_not_available;
        case ErrorCode::not_leader_or_follower:
        case ErrorCode::kafka_storage_error: return ErrorCode::not_coordinator;
        case ErrorCode::record_list_too_large:
        case ErrorCode::invalid_fetch_size: return ErrorCode::message_too_large;
        default: return why;
    }
}

}  // namespace milena::coordinator
