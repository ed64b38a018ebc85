// SPDX-License-Identifier: Apache-2.0
// Properties of Kafka's consumer that a member of a group has.
#include <limits>

#include <fmt/format.h>

#include "membership/group_consumer.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

Result<std::int32_t> milliseconds(const ClientProperties& properties, std::string_view key,
                                  std::int32_t otherwise) {
    TRY(const auto ms, number_property(properties, key, otherwise));
    if (ms <= 0 || ms > std::numeric_limits<std::int32_t>::max()) {
        return fail(ErrorCode::invalid_config,
                    fmt::format("Invalid value {} for configuration {}", ms, key));
    }
    return static_cast<std::int32_t>(ms);
}

Result<OffsetReset> reset_of(std::string_view text) {
    if (text == "earliest") return OffsetReset::earliest;
    if (text == "latest") return OffsetReset::latest;
    if (text == "none") return OffsetReset::none;
    return fail(ErrorCode::invalid_config,
                fmt::format("Invalid value {} for configuration auto.offset.reset: it is earliest, "
                            "latest or none",
                            text));
}

}  // namespace

Result<GroupConsumerOptions> group_consumer_options(const ClientProperties& properties,
                                                    std::string group, bool from_beginning) {
    GroupConsumerOptions options;
    options.member.group = std::move(group);
    options.member.instance_id = text_property(properties, "group.instance.id", "");
    TRY(const auto heartbeat_ms, milliseconds(properties, "heartbeat.interval.ms", 3000));
    options.member.heartbeat_interval = std::chrono::milliseconds(heartbeat_ms);
    TRY(options.session_timeout_ms,
        milliseconds(properties, "session.timeout.ms", options.session_timeout_ms));
    if (heartbeat_ms >= options.session_timeout_ms) {
        return fail(ErrorCode::invalid_config,
                    "heartbeat.interval.ms has to be less than session.timeout.ms");
    }
    TRY(options.rebalance_timeout_ms,
        milliseconds(properties, "max.poll.interval.ms", options.rebalance_timeout_ms));
    TRY(options.reset, reset_of(text_property(properties, "auto.offset.reset",
                                              from_beginning ? "earliest" : "latest")));
    options.commits = text_property(properties, "enable.auto.commit", "true") != "false";
    TRY(const auto commit_ms, milliseconds(properties, "auto.commit.interval.ms", 5000));
    options.commit_interval = std::chrono::milliseconds(commit_ms);
    TRY(const auto metadata_ms, milliseconds(properties, "metadata.max.age.ms", 300'000));
    options.metadata_interval = std::chrono::milliseconds(metadata_ms);
    return options;
}

}  // namespace milena::cli
