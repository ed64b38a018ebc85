// SPDX-License-Identifier: Apache-2.0
// Reading and writing meta.properties in the part of Java's property syntax that it uses.
#include "meta_properties.h"

#include <map>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "checkpoint_text.h"

namespace milena::storage {
namespace {

std::unexpected<Error> malformed(std::string_view path, std::string why) {
    return fail(ErrorCode::kafka_storage_error, fmt::format("{}{}", path, why));
}

constexpr std::string_view kSpace = " \t\r\f";

std::string_view trim_left(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(kSpace), text.size()));
}

std::string_view trim_right(std::string_view text) {
    return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

/// The characters that Java writes as a backslash and a letter, and their letters: a line break in
/// a value must not end its line.
constexpr std::string_view kControls = "\t\n\r\f";
constexpr std::string_view kLetters = "tnrf";

/// Java writes a backslash before the characters that would end a key.
std::string unescape(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool escaped = text[at] == '\\' && at + 1 < text.size();
        if (escaped) ++at;
        const std::size_t letter = escaped ? kLetters.find(text[at]) : std::string_view::npos;
        plain += letter == std::string_view::npos ? text[at] : kControls[letter];
    }
    return plain;
}

std::string escape(std::string_view text) {
    constexpr std::string_view kEscaped = "=:#!\\ ";
    std::string escaped;
    for (const char c : text) {
        const std::size_t control = kControls.find(c);
        if (control != std::string_view::npos || kEscaped.contains(c)) escaped += '\\';
        escaped += control == std::string_view::npos ? c : kLetters[control];
    }
    return escaped;
}

std::size_t end_of_key(std::string_view line) {
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] == '\\') {
            ++at;
        } else if (line[at] == '=' || line[at] == ':') {
            return at;
        }
    }
    return std::string_view::npos;
}

using Properties = std::map<std::string, std::string, std::less<>>;

Result<Properties> parse_properties(std::string_view path, std::string_view text) {
    Properties properties;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find_first_of("\r\n");
        const std::string_view line = trim_left(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.empty() || line[0] == '#' || line[0] == '!') continue;
        const std::size_t key_end = end_of_key(line);
        if (key_end == std::string_view::npos)
            return malformed(path, fmt::format(":{}: expected key=value", number));
        // As in Java, spaces at the end of a value belong to it.
        properties[unescape(trim_right(line.substr(0, key_end)))] =
            unescape(trim_left(line.substr(key_end + 1)));
    }
    return properties;
}

Result<std::string> required(std::string_view path, const Properties& properties,
                             std::string_view key) {
    const auto found = properties.find(key);
    if (found == properties.end()) return malformed(path, fmt::format(": {} is missing", key));
    return found->second;
}

}  // namespace

Result<MetaProperties> parse_meta_properties(std::string_view path, std::string_view text) {
    TRY(const Properties properties, parse_properties(path, text));
    TRY(const std::string version, required(path, properties, "version"));
    if (version != "1") return malformed(path, fmt::format(": version {} is not 1", version));
    MetaProperties meta;
    TRY(meta.cluster_id, required(path, properties, "cluster.id"));
    TRY(const std::string node_id, required(path, properties, "node.id"));
    const auto number = parse_number<std::int32_t>(node_id);
    if (!number || *number < 0)
        return malformed(path, fmt::format(": node.id {} is no node id", node_id));
    meta.node_id = BrokerId(*number);
    // Directories made before KIP-858 have no id yet.
    if (const auto found = properties.find("directory.id"); found != properties.end()) {
        const auto id = Uuid::parse(found->second);
        if (!id) return malformed(path, fmt::format(": directory.id {} is no id", found->second));
        meta.directory_id = *id;
    }
    return meta;
}

std::string format_meta_properties(const MetaProperties& meta, env::Timestamp now) {
    const std::tm time = fmt::gmtime(static_cast<std::time_t>(now.value / 1000));
    return fmt::format(
        "#\n#{:%a %b %d %H:%M:%S} UTC "
        "{:%Y}\ncluster.id={}\ndirectory.id={}\nnode.id={}\nversion=1\n",
        time, time, escape(meta.cluster_id), meta.directory_id, meta.node_id);
}

}  // namespace milena::storage
