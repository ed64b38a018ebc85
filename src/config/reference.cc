// SPDX-License-Identifier: Apache-2.0
// The reference of all keys as a page of Markdown, printed from their rows so that it can't say
// anything else.
#include <fmt/format.h>

#include "key_table.h"
#include "milena/config/layers.h"
#include "milena/config/resource_keys.h"

namespace milena::config {
namespace {

constexpr std::string_view kHead =
    "# Configuration\n"
    "\n"
    "Printed by `milena config-reference` from the tables of the source; don't edit it.\n"
    "\n"
    "A value that is not allowed fails the start, with the key, its value, file and line and what "
    "is allowed. A key that is\n"
    "not known is a warning that names the nearest known one. What a key does here:\n"
    "\n"
    "* **works**: what Kafka's does.\n"
    "* **no effect**: nothing, by design; the last column says why.\n"
    "* **not yet**: nothing yet; setting it is a warning. The last column says what it is for.\n"
    "* **refused**: setting it fails the start; the last column says why.\n";

std::string_view type_name(ValueType type) {
    switch (type) {
        case ValueType::boolean: return "boolean";
        case ValueType::int16: return "short";
        case ValueType::int32: return "int";
        case ValueType::int64: return "long";
        case ValueType::float64: return "double";
        case ValueType::string: return "string";
        case ValueType::list: return "list";
        case ValueType::class_name: return "class";
        case ValueType::password: return "password";
    }
    return "";
}

std::string_view effect_name(Effect effect) {
    switch (effect) {
        case Effect::works: return "works";
        case Effect::idle: return "no effect";
        case Effect::not_yet: return "not yet";
        case Effect::refused: return "refused";
    }
    return "";
}

std::string_view update_name(Update update) {
    switch (update) {
        case Update::read_only: return "at start";
        case Update::per_broker: return "per broker";
        case Update::cluster_wide: return "any time";
    }
    return "";
}

std::string default_name(const std::optional<std::string_view>& text) {
    if (!text) return "";
    return text->empty() ? "empty" : fmt::format("`{}`", *text);
}

std::string broker_section() {
    std::string out =
        "\n## Brokers and controllers\n\n"
        "Changes: *at start*, the file alone; *per broker*, also dynamically for one broker; *any "
        "time*, also dynamically for one\nbroker or for all.\n\n"
        "| key | type | default | allowed | changes | here | |\n|---|---|---|---|---|---|---|\n";
    for (const Key* const key : broker_keys()) {
        out +=
            fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", key->name, type_name(key->type),
                        default_name(key->default_text), key->allowed.text(),
                        update_name(key->update), effect_name(key->effect), key->doc);
    }
    return out;
}

std::string topic_section() {
    std::string out =
        "\n## Topics\n\nThe default of a topic's key is the first of its broker keys that is set, "
        "in the topic key's unit.\n\n"
        "| key | type | default | allowed | broker keys | here | "
        "|\n|---|---|---|---|---|---|---|\n";
    for (const TopicKey& key : topic_keys()) {
        std::string synonyms;
        for (const Synonym& synonym : key.synonyms) {
            synonyms += fmt::format("{}`{}`", synonyms.empty() ? "" : ", ", synonym.broker_key);
        }
        out += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", key.name,
                           type_name(key.type), default_name(key.default_text), key.allowed.text(),
                           synonyms, effect_name(key.effect), key.doc);
    }
    return out;
}

std::string resource_section(std::string_view title, std::string_view about,
                             std::span<const ResourceKey> keys) {
    std::string out = fmt::format(
        "\n## {}\n\n{}\n\n| key | type | default | allowed | broker key | |\n"
        "|---|---|---|---|---|---|\n",
        title, about);
    for (const ResourceKey& key : keys) {
        out +=
            fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", key.name, type_name(key.type),
                        default_name(key.default_text), key.allowed.text(),
                        key.broker_key.empty() ? "" : fmt::format("`{}`", key.broker_key), key.doc);
    }
    return out;
}

}  // namespace

std::string reference_page() {
    std::string out(kHead);
    out += broker_section();
    out += topic_section();
    out += resource_section("Groups", "Checked, kept and described; groups do not read them yet.",
                            group_keys());
    out += resource_section("Client metrics",
                            "Checked, kept and described; clients are not asked for metrics yet.",
                            client_metrics_keys());
    return out;
}

}  // namespace milena::config
