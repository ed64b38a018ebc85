// SPDX-License-Identifier: Apache-2.0
// One value for each row of the tables: the entries of the file over the defaults.
#include "milena/config/settings.h"

#include <fmt/format.h>

#include "milena/base/invariant.h"

#include "text.h"

namespace milena::config {
namespace {

std::string place(std::string_view file, int line, std::string_view key, std::string_view value) {
    return fmt::format("{}:{}: {}={}", file, line, key, value);
}

/// The key that a listener.name.NAME.KEY is about (KIP-103), if it is one that is known.
const Key* find_listener_key(std::string_view name) {
    constexpr std::string_view kPrefix = "listener.name.";
    if (!name.starts_with(kPrefix)) return nullptr;
    const auto dot = name.find('.', kPrefix.size());
    return dot == std::string_view::npos ? nullptr : find_broker_key(name.substr(dot + 1));
}

std::string unknown_key_warning(std::string_view where, std::string_view name) {
    const auto nearest = nearest_broker_key(name);
    return nearest ? fmt::format("{}: unknown key, ignored; is it {}?", where, *nearest)
                   : fmt::format("{}: unknown key, ignored", where);
}

}  // namespace

Result<Settings> Settings::from(const Properties& properties, Warnings& warnings) {
    Settings settings;
    settings.file_ = properties.file;
    for (const Key* key : broker_keys()) {
        Entry entry;
        if (key->default_text) {
            auto value = parse_value(key->type, key->allowed, *key->default_text);
            INVARIANT(value.has_value(), "a key whose default it does not allow");
            entry.value = *std::move(value);
        }
        settings.entries_.emplace(key->name, std::move(entry));
    }
    for (const Property& property : properties.entries) {
        TRY_VOID(settings.set(properties, property, warnings));
    }
    return settings;
}

Result<void> Settings::set(const Properties& properties, const Property& property,
                           Warnings& warnings) {
    const Key* const key = find_broker_key(property.key);
    const bool is_listener_key = key == nullptr && find_listener_key(property.key) != nullptr;
    // A value that may be a secret, or part of one, is not for the log.
    const bool is_secret = key == nullptr || key->type == ValueType::password;
    const auto where = place(properties.file, property.line, property.key,
                             is_secret ? std::string_view("…") : property.value);
    if (key == nullptr) unknown_.insert_or_assign(property.key, property.value);
    if (is_listener_key) {
        warnings.push_back(fmt::format("{}: settings of one listener have no effect yet", where));
        return ok();
    }
    if (key == nullptr) {
        warnings.push_back(unknown_key_warning(where, property.key));
        return ok();
    }

    auto value = parse_value(key->type, key->allowed, property.value);
    if (!value) return fail_at(where, value.error());
    if (key->effect == Effect::refused && !trimmed(property.value).empty()) {
        return fail(ErrorCode::invalid_config, fmt::format("{}: refused. {}", where, key->doc));
    }
    if (key->effect == Effect::idle) {
        warnings.push_back(fmt::format("{}: accepted, without effect. {}", where, key->doc));
    } else if (key->effect == Effect::not_yet) {
        warnings.push_back(fmt::format("{}: accepted, without effect yet", where));
    }

    Entry& entry = entries_.find(property.key)->second;
    if (entry.line != 0) {
        warnings.push_back(
            fmt::format("{}: set before in line {}; this one counts", where, entry.line));
    }
    entry = {*std::move(value), property.value, property.line};
    return ok();
}

Settings Settings::defaults() {
    Warnings warnings;
    auto settings = from({}, warnings);
    INVARIANT(settings.has_value(), "an empty file is refused");
    return *std::move(settings);
}

Settings Settings::with(const ConfigMap& cluster_wide, const ConfigMap& broker) const {
    Settings out = *this;
    for (const ConfigMap* const layer : {&cluster_wide, &broker}) {
        for (const auto& [name, text] : *layer) {
            const Key* const key = find_broker_key(name);
            if (key == nullptr || key->update == Update::read_only) continue;
            auto value = parse_client_value(name, key->type, key->allowed, text);
            if (!value) continue;
            Entry& entry = out.entries_.find(name)->second;
            entry.value = *std::move(value);
            entry.is_dynamic = true;
        }
    }
    return out;
}

const Settings::Entry& Settings::entry(std::string_view name) const {
    const auto found = entries_.find(name);
    INVARIANT(found != entries_.end(), "a key that has no row");
    return found->second;
}

bool Settings::is_set(std::string_view name) const {
    const Entry& found = entry(name);
    return found.line != 0 || found.is_dynamic;
}

bool Settings::is_null(std::string_view name) const {
    return std::holds_alternative<std::monostate>(entry(name).value);
}

const Value& Settings::value(std::string_view name) const {
    return entry(name).value;
}

bool Settings::boolean(std::string_view name) const {
    const auto* const value = std::get_if<bool>(&entry(name).value);
    INVARIANT(value != nullptr, "not a boolean key, or without a value");
    return *value;
}

std::int64_t Settings::integer(std::string_view name) const {
    const auto* const value = std::get_if<std::int64_t>(&entry(name).value);
    INVARIANT(value != nullptr, "not a whole number's key, or without a value");
    return *value;
}

std::int32_t Settings::number(std::string_view name) const {
    const auto value = integer(name);
    INVARIANT(std::in_range<std::int32_t>(value), "not a key of 32 bits");
    return static_cast<std::int32_t>(value);
}

double Settings::real(std::string_view name) const {
    const auto* const value = std::get_if<double>(&entry(name).value);
    INVARIANT(value != nullptr, "not a number's key, or without a value");
    return *value;
}

const std::string& Settings::string(std::string_view name) const {
    static const std::string empty;
    if (is_null(name)) return empty;
    const auto* const value = std::get_if<std::string>(&entry(name).value);
    INVARIANT(value != nullptr, "not a text's key");
    return *value;
}

const std::vector<std::string>& Settings::list(std::string_view name) const {
    static const std::vector<std::string> empty;
    if (is_null(name)) return empty;
    const auto* const value = std::get_if<std::vector<std::string>>(&entry(name).value);
    INVARIANT(value != nullptr, "not a list's key");
    return *value;
}

std::string Settings::where(std::string_view name) const {
    const Entry& found = entry(name);
    if (found.line == 0) return fmt::format("{}: {} (not set)", file_, name);
    return place(file_, found.line, name, found.text);
}

std::optional<std::string_view> Settings::text(std::string_view name) const {
    const Entry& found = entry(name);
    if (found.line == 0) return std::nullopt;
    return found.text;
}

}  // namespace milena::config
