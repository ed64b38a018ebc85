// SPDX-License-Identifier: Apache-2.0
// What a group may set for itself, within the limits that the broker's keys draw.
#include <algorithm>

#include <fmt/format.h>

#include "contains.h"
#include "key_table.h"
#include "milena/config/resource_keys.h"
#include "text.h"

namespace milena::config {
namespace {

using enum ValueType;

constexpr std::string_view kOffsetReset = "share.auto.offset.reset";
constexpr std::string_view kDeadLetters = "errors.deadletterqueue.topic.name";
constexpr std::string_view kAssignor = "streams.assignor.name";
constexpr std::string_view kRackTags = "streams.rack.aware.assignment.tags";

// clang-format off
constexpr ResourceKey kKeys[] = {
    {"consumer.assignment.interval.ms", int32, "1000", at_least(0),
     "group.consumer.assignment.interval.ms", "group.consumer.min.assignment.interval.ms",
     "group.consumer.max.assignment.interval.ms", false,
     "Shortest time between two assignments of a consumer group."},
    {"consumer.assignor.offload.enable", boolean, "true", kAny,
     "group.consumer.assignor.offload.enable", {}, {}, true,
     "Whether the assignment of a consumer group is computed beside its requests."},
    {"consumer.heartbeat.interval.ms", int32, "5000", at_least(1),
     "group.consumer.heartbeat.interval.ms", "group.consumer.min.heartbeat.interval.ms",
     "group.consumer.max.heartbeat.interval.ms", false,
     "How often members of a consumer group are told to send heartbeats."},
    {"consumer.session.timeout.ms", int32, "45000", at_least(1),
     "group.consumer.session.timeout.ms", "group.consumer.min.session.timeout.ms",
     "group.consumer.max.session.timeout.ms", false,
     "A member of a consumer group that is silent for so long is taken out."},
    {"errors.deadletterqueue.copy.record.enable", boolean, "false", kAny, {}, {}, {}, false,
     "Whether a record that a share group gives up is copied whole to its dead letter topic."},
    {"errors.deadletterqueue.topic.name", string, "", kAny, {}, {}, {}, false,
     "Topic for the records that a share group gives up; empty is none."},
    {"share.assignment.interval.ms", int32, "1000", at_least(0),
     "group.share.assignment.interval.ms", "group.share.min.assignment.interval.ms",
     "group.share.max.assignment.interval.ms", false,
     "Shortest time between two assignments of a share group."},
    {"share.assignor.offload.enable", boolean, "true", kAny,
     "group.share.assignor.offload.enable", {}, {}, true,
     "Whether the assignment of a share group is computed beside its requests."},
    {"share.auto.offset.reset", string, "latest", kAny, {}, {}, {}, false,
     "Where a share group begins: earliest, latest or by_duration: and an ISO 8601 duration."},
    {"share.delivery.count.limit", int32, "5", at_least(2), "group.share.delivery.count.limit",
     "group.share.min.delivery.count.limit", "group.share.max.delivery.count.limit", false,
     "How often a share group is given a record before it is given up."},
    {"share.heartbeat.interval.ms", int32, "5000", at_least(1),
     "group.share.heartbeat.interval.ms", "group.share.min.heartbeat.interval.ms",
     "group.share.max.heartbeat.interval.ms", false,
     "How often members of a share group are told to send heartbeats."},
    {"share.isolation.level", string, "read_uncommitted",
     one_of("read_committed|read_uncommitted"), {}, {}, {}, false,
     "Whether a share group is given records of transactions that are not committed."},
    {"share.partition.max.record.locks", int32, "2000", at_least(100),
     "group.share.partition.max.record.locks", "group.share.min.partition.max.record.locks",
     "group.share.max.partition.max.record.locks", false,
     "Most records of a partition that a share group holds at a time."},
    {"share.record.lock.duration.ms", int32, "30000", at_least(1000),
     "group.share.record.lock.duration.ms", "group.share.min.record.lock.duration.ms",
     "group.share.max.record.lock.duration.ms", false,
     "How long a member of a share group holds a record before others get it."},
    {"share.renew.acknowledge.enable", boolean, "true", kAny, {}, {}, {}, false,
     "Whether members of a share group may hold a record for longer."},
    {"share.session.timeout.ms", int32, "45000", at_least(1), "group.share.session.timeout.ms",
     "group.share.min.session.timeout.ms", "group.share.max.session.timeout.ms", false,
     "A member of a share group that is silent for so long is taken out."},
    {"streams.acceptable.recovery.lag", int64, "10000", at_least(0),
     "group.streams.acceptable.recovery.lag", {}, {}, true,
     "Lag at which a copy of a task counts as caught up."},
    {"streams.assignment.interval.ms", int32, "1000", at_least(0),
     "group.streams.assignment.interval.ms", "group.streams.min.assignment.interval.ms",
     "group.streams.max.assignment.interval.ms", false,
     "Shortest time between two assignments of a streams group."},
    {"streams.assignor.name", string, kNull, kAny, "group.streams.assignors", {}, {}, false,
     "Assignor of a streams group; unset, the first of the broker's."},
    {"streams.assignor.offload.enable", boolean, "true", kAny,
     "group.streams.assignor.offload.enable", {}, {}, true,
     "Whether the assignment of a streams group is computed beside its requests."},
    {"streams.heartbeat.interval.ms", int32, "5000", at_least(1),
     "group.streams.heartbeat.interval.ms", "group.streams.min.heartbeat.interval.ms",
     "group.streams.max.heartbeat.interval.ms", false,
     "How often members of a streams group are told to send heartbeats."},
    {"streams.initial.rebalance.delay.ms", int32, "3000", at_least(0),
     "group.streams.initial.rebalance.delay.ms", {}, {}, false,
     "How long a new streams group waits for more members before its first assignment."},
    {"streams.num.standby.replicas", int32, "0", at_least(0),
     "group.streams.num.standby.replicas", {}, "group.streams.max.standby.replicas", false,
     "Standby copies of each task of a streams group."},
    {"streams.num.warmup.replicas", int32, "2", at_least(0), "group.streams.num.warmup.replicas",
     {}, "group.streams.max.warmup.replicas", true,
     "Tasks of a streams group that may be warmed up elsewhere at a time."},
    {"streams.rack.aware.assignment.tags", list, "", kAny,
     "group.streams.rack.aware.assignment.tags", {}, {}, false,
     "Tags of clients over which the copies of a task are spread."},
    {"streams.session.timeout.ms", int32, "45000", at_least(1),
     "group.streams.session.timeout.ms", "group.streams.min.session.timeout.ms",
     "group.streams.max.session.timeout.ms", false,
     "A member of a streams group that is silent for so long is taken out."},
    {"streams.task.offset.interval.ms", int32, "60000", at_least(1),
     "group.streams.task.offset.interval.ms", "group.streams.min.task.offset.interval.ms", {}, true,
     "How often members of a streams group report the offsets of their tasks."},
};
// clang-format on

std::unexpected<Error> refused(std::string why) {
    return fail(ErrorCode::invalid_config, std::move(why));
}

Result<void> check_limits(const ResourceKey& key, std::int64_t value, const Settings& broker) {
    const bool is_low = !key.min_key.empty() && value < broker.integer(key.min_key);
    const bool is_high = !key.max_key.empty() && value > broker.integer(key.max_key);
    if (!is_low && !is_high) return ok();
    if (key.min_key.empty()) {
        return refused(fmt::format("{} must be less than or equal to {}", key.name,
                                   broker.integer(key.max_key)));
    }
    if (key.max_key.empty()) {
        return refused(fmt::format("{} must be greater than or equal to {}", key.name,
                                   broker.integer(key.min_key)));
    }
    return refused(fmt::format("{} must be in the range {} to {} inclusive.", key.name,
                               broker.integer(key.min_key), broker.integer(key.max_key)));
}

/// Takes "12H" and the like off the front of `text`; the fraction only where `unit` is S.
bool take_part(std::string_view& text, char unit) {
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    std::size_t end = digits;
    if (unit == 'S' && end < text.size() && text[end] == '.') {
        end = std::min(text.find_first_not_of("0123456789", end + 1), text.size());
        if (end - digits > 10) return false;
    }
    if (digits == 0 || end == text.size() || text[end] != unit) return false;
    text.remove_prefix(end + 1);
    return true;
}

/// PnDTnHnMn.nS, at least one part, none negative.
bool is_duration(std::string_view text) {
    if (!text.starts_with('P')) return false;
    text.remove_prefix(1);
    bool has_part = take_part(text, 'D');
    if (text.empty()) return has_part;
    if (!text.starts_with('T')) return false;
    text.remove_prefix(1);
    has_part = false;
    for (const char unit : {'H', 'M', 'S'}) has_part |= take_part(text, unit);
    return has_part && text.empty();
}

Result<void> check_offset_reset(const std::string& value) {
    constexpr std::string_view kDuration = "by_duration:";
    if (value == "earliest" || value == "latest") return ok();
    if (value.starts_with(kDuration) &&
        is_duration(std::string_view(value).substr(kDuration.size()))) {
        return ok();
    }
    return refused(fmt::format(
        "Invalid value {0} for configuration {1}: Invalid value `{0}` for configuration {1}. The "
        "value must be either 'earliest', 'latest' or of the format 'by_duration:<PnDTnHnMn.nS>'.",
        value, kOffsetReset));
}

Result<void> check_text(const ResourceKey& key, const std::string& value, const Settings& broker) {
    if (key.name == kOffsetReset) return check_offset_reset(value);
    if (key.name == kDeadLetters && value.starts_with("__")) {
        return refused(fmt::format("{}: DLQ topic name must not start with '__'", kDeadLetters));
    }
    const auto& assignors = broker.list("group.streams.assignors");
    if (key.name == kAssignor && !contains(assignors, value)) {
        return refused(fmt::format(
            "{} '{}' is not a registered task assignor. Registered assignors are: [{}].", kAssignor,
            value, fmt::join(assignors, ", ")));
    }
    return ok();
}

}  // namespace

std::span<const ResourceKey> group_keys() {
    return kKeys;
}

const ResourceKey* find_group_key(std::string_view name) {
    const auto* const at = std::ranges::find(kKeys, name, &ResourceKey::name);
    return at == std::end(kKeys) ? nullptr : at;
}

Result<void> check_group_config(const ConfigMap& all, const Settings& broker) {
    for (const auto& [name, text] : all) {
        if (find_group_key(name) == nullptr)
            return refused(fmt::format("Unknown group config name: {}", name));
    }
    for (const auto& [name, text] : all) {
        const ResourceKey& key = *find_group_key(name);
        TRY(const auto value, parse_client_value(name, key.type, key.allowed, text));
        if (const auto* const number = std::get_if<std::int64_t>(&value)) {
            TRY_VOID(check_limits(key, *number, broker));
        } else if (const auto* const word = std::get_if<std::string>(&value)) {
            TRY_VOID(check_text(key, *word, broker));
        } else if (name == kRackTags &&
                   split(text, ',').size() != std::get<std::vector<std::string>>(value).size()) {
            return refused(fmt::format("{} must not contain duplicate tag keys.", kRackTags));
        }
    }
    return ok();
}

}  // namespace milena::config
