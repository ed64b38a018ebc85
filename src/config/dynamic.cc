// SPDX-License-Identifier: Apache-2.0
// What may change while a broker runs. The rules and the words are Kafka's, so that a script that
// was written against one sees no difference; a rule about threads is kept although the number of
// ours is not changed by these keys.
#include <algorithm>

#include <fmt/format.h>

#include "contains.h"
#include "key_table.h"
#include "milena/config/layers.h"
#include "text.h"
#include "topic_fields.h"

namespace milena::config {
namespace {

using enum ValueType;

constexpr Key kDynamicOnly[] = {
    {"follower.replication.throttled.rate", int64, kNull, at_least(0), Update::cluster_wide,
     Effect::works, "Bytes a second that throttled followers of this broker may fetch."},
    {"leader.replication.throttled.rate", int64, kNull, at_least(0), Update::cluster_wide,
     Effect::works, "Bytes a second that throttled replicas of this broker's leaders are sent."},
    {"replica.alter.log.dirs.io.max.bytes.per.second", int64, kNull, at_least(0),
     Update::cluster_wide, Effect::works,
     "Bytes a second that moves between this broker's directories may copy."},
};

/// Of one listener only: listener.name.NAME. before them.
constexpr std::string_view kListenerOnly[] = {
    "ssl.key.password",
    "ssl.keystore.certificate.chain",
    "ssl.keystore.key",
    "ssl.keystore.location",
    "ssl.keystore.password",
    "ssl.keystore.type",
    "ssl.truststore.certificates",
    "ssl.truststore.location",
    "ssl.truststore.password",
    "ssl.truststore.type",
};

/// May be at least half and at most double of what they were.
constexpr std::string_view kThreads[] = {
    "background.threads",
    "num.io.threads",
    "num.network.threads",
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
    "remote.log.manager.copier.thread.pool.size",
    "remote.log.manager.expiration.thread.pool.size",
    "remote.log.manager.follower.thread.pool.size",
    "remote.log.reader.threads",
};

std::unexpected<Error> refused(std::string why) {
    return fail(ErrorCode::invalid_request, std::move(why));
}

/// What a part that is reconfigured answers.
std::unexpected<Error> refused_by_part(std::string_view why) {
    return refused(
        fmt::format("Invalid value org.apache.kafka.common.config.ConfigException: {} "
                    "for configuration Invalid dynamic configuration",
                    why));
}

template <class Is>
Result<void> refuse_those(const ConfigMap& changed, std::string_view why, Is is) {
    std::vector<std::string_view> names;
    for (const auto& [name, text] : changed) {
        if (is(name)) names.emplace_back(name);
    }
    if (names.empty()) return ok();
    return refused(fmt::format("{}: [{}]", why, fmt::join(names, ", ")));
}

Result<void> check_values(const ConfigMap& changed) {
    for (const auto& [name, text] : changed) {
        const std::string_view base = base_name(name);
        const Key* key = find_broker_key(base);
        if (key == nullptr) key = find_dynamic_only_key(base);
        if (key == nullptr) continue;
        const auto value = parse_client_value(base, key->type, key->allowed, text);
        if (!value) return refused(value.error().why);
    }
    return ok();
}

Result<void> check_threads(const Settings& before, const Settings& after) {
    for (const auto name : kThreads) {
        const std::int32_t was = before.number(name);
        const std::int32_t is = after.number(name);
        const bool is_less = is < was / 2;
        if (is == was || (!is_less && is <= was * std::int64_t{2})) continue;
        return refused_by_part(fmt::format(
            "Dynamic thread count update validation failed for {}={}, value should "
            "{} the current value {}",
            name, is, is_less ? "be at least half" : "not be greater than double", was));
    }
    const std::int32_t was = before.number("log.cleaner.threads");
    const std::int32_t is = after.number("log.cleaner.threads");
    if (is < 1) return refused_by_part("Log cleaner threads should be at least 1");
    if (is < was / 2) {
        return refused_by_part(fmt::format(
            "Log cleaner threads cannot be reduced to less than half the current value {}", was));
    }
    if (is > was * std::int64_t{2}) {
        return refused_by_part(fmt::format(
            "Log cleaner threads cannot be increased to more than double the current value {}",
            was));
    }
    return ok();
}

std::unexpected<Error> requirement(std::string_view why) {
    return refused(fmt::format("requirement failed: {}", why));
}

Result<void> check_times(const Settings& after) {
    const auto below = [&](std::string_view name, std::int64_t min) {
        return !after.is_null(name) && after.integer(name) < min;
    };
    if (below("log.roll.ms", 1)) {
        return requirement("log.roll.ms must be greater than or equal to 1");
    }
    if (below("log.roll.jitter.ms", 0)) {
        return requirement("log.roll.jitter.ms must be greater than or equal to 0");
    }
    if (below("log.retention.ms", 1) && after.integer("log.retention.ms") != -1) {
        return requirement(
            "log.retention.ms must be unlimited (-1) or, greater than or equal to 1");
    }
    return ok();
}

Result<void> check_cordoned(const Settings& after) {
    const auto& cordoned = after.list("cordoned.log.dirs");
    if (cordoned.size() == 1 && cordoned.front() == "*") return ok();
    const auto& dirs =
        after.list("log.dirs").empty() ? after.list("log.dir") : after.list("log.dirs");
    std::vector<std::string_view> missing;
    for (const std::string_view dir : cordoned) {
        if (!contains(dirs, dir)) missing.push_back(dir);
    }
    if (missing.empty()) return ok();
    return requirement(
        fmt::format("All entries in cordoned.log.dirs must be present in log.dirs "
                    "or log.dir. Missing entries : {}",
                    fmt::join(missing, ", ")));
}

Result<void> check_local_retention(const Settings& after) {
    const std::int64_t local = after.integer("log.local.retention.ms");
    const std::int64_t all = topic_defaults(after).retention_ms;
    if (local == -2 || all == -1 || local <= all) return ok();
    return refused_by_part(
        fmt::format("Invalid value {} for configuration log.local.retention.ms: Value must not be "
                    "more than log.retention.ms property value: {}",
                    local, all));
}

}  // namespace

const Key* find_dynamic_only_key(std::string_view name) {
    const auto* const at = std::ranges::find(kDynamicOnly, name, &Key::name);
    return at == std::end(kDynamicOnly) ? nullptr : at;
}

Result<std::map<std::string, std::int32_t, std::less<>>> connection_overrides(
    std::string_view text) {
    std::map<std::string, std::int32_t, std::less<>> out;
    for (const auto entry : split(text, ',')) {
        // An IPv6 address has colons of its own.
        const auto colon = entry.rfind(':');
        const bool has_number = colon != std::string_view::npos && colon > 0;
        const auto count =
            parse_value(int32, at_least(0), has_number ? entry.substr(colon + 1) : "");
        if (!count) {
            return refused(
                fmt::format("max.connections.per.ip.overrides has the entry \"{}\"; "
                            "allowed is a list of address:number",
                            entry));
        }
        out.insert_or_assign(std::string(trimmed(entry.substr(0, colon))),
                             static_cast<std::int32_t>(std::get<std::int64_t>(*count)));
    }
    return out;
}

Result<void> check_dynamic_config(const ConfigMap& changed, bool is_of_broker,
                                  const Layers& layers) {
    const auto has = [](std::string_view name, Update update) {
        const Key* const key = find_broker_key(name);
        return key != nullptr && key->update == update;
    };
    TRY_VOID(refuse_those(changed, "Cannot update these configs dynamically",
                          [&](std::string_view name) { return has(name, Update::read_only); }));
    TRY_VOID(refuse_those(changed,
                          "These security configs can be dynamically updated only per-listener "
                          "using the listener prefix",
                          [](std::string_view name) { return contains(kListenerOnly, name); }));
    TRY_VOID(check_values(changed));
    if (!is_of_broker) {
        TRY_VOID(refuse_those(
            changed,
            "Cannot update these configs at default cluster level, broker id "
            "must be specified",
            [&](std::string_view name) { return has(base_name(name), Update::per_broker); }));
    }
    const Settings before = layers.settings();
    const Settings after = is_of_broker ? layers.file.with(layers.cluster_wide, changed)
                                        : layers.file.with(changed, layers.broker);
    TRY_VOID(check_times(after));
    TRY_VOID(check_threads(before, after));
    TRY_VOID(check_local_retention(after));
    if (after.number("max.connections") < 1) {
        return refused_by_part(
            fmt::format("Invalid max.connections {}", after.number("max.connections")));
    }
    TRY_VOID(connection_overrides(after.string("max.connections.per.ip.overrides")));
    return check_cordoned(after);
}

}  // namespace milena::config
