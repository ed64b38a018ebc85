// SPDX-License-Identifier: Apache-2.0
// Only what the tool needs is read: the file may name what this version does not know.
#include "quorum/controller_file.h"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cluster/client_properties.h"
#include "milena/storage/log_directory.h"

namespace milena::cli {
namespace {

std::unexpected<Error> wrong(std::string why) {
    return fail(ErrorCode::invalid_config, std::move(why));
}

std::unexpected<Error> no_controller(std::string_view what) {
    return wrong(fmt::format("{} Is this a valid controller configuration file?", what));
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        if (const auto part = trimmed(text.substr(0, comma)); !part.empty()) parts.push_back(part);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return parts;
}

/// "CONTROLLER://host:9093"; the host may be absent, or stand in brackets.
Result<raft::VoterEndpoint> parse_listener(std::string_view text) {
    const std::size_t slashes = text.find("://");
    const std::size_t colon = text.rfind(':');
    raft::VoterEndpoint out;
    if (slashes == std::string_view::npos || colon < slashes + 3)
        return wrong(fmt::format("Unable to parse {} to a listener", text));
    const std::string_view port = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
    if (error != std::errc() || end != port.data() + port.size())
        return wrong(fmt::format("Unable to parse {} to a listener", text));
    std::string_view host = text.substr(slashes + 3, colon - slashes - 3);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    out.listener = std::string(text.substr(0, slashes));
    out.host = host.empty() ? "localhost" : std::string(host);
    return out;
}

/// Those of controller.listener.names, as they are advertised.
Result<std::vector<raft::VoterEndpoint>> controllers_endpoints(const ClientProperties& file) {
    std::vector<raft::VoterEndpoint> known;
    for (const std::string_view key : {"advertised.listeners", "listeners"}) {
        const std::string value = text_property(file, key, "");
        for (const std::string_view text : split(value)) {
            TRY(auto one, parse_listener(text));
            known.push_back(std::move(one));
        }
    }
    const std::string names = text_property(file, "controller.listener.names", "");
    if (names.empty()) return no_controller("controller.listener.names was not found.");
    std::vector<raft::VoterEndpoint> out;
    for (const std::string_view name : split(names)) {
        const auto found = std::ranges::find(known, name, &raft::VoterEndpoint::listener);
        if (found == known.end()) {
            return wrong(
                fmt::format("Cannot find information about controller listener name: {}", name));
        }
        out.push_back(*found);
    }
    return out;
}

Result<BrokerId> controller_id(const ClientProperties& file) {
    if (!file.contains("node.id")) return no_controller("node.id not found in configuration file.");
    TRY(const std::int64_t id, number_property(file, "node.id", -1));
    if (id < 0 || id > INT32_MAX)
        return no_controller("node.id was negative in configuration file.");
    const std::string text = text_property(file, "process.roles", "");
    const auto roles = split(text);
    if (std::ranges::find(roles, "controller") == roles.end())
        return no_controller("process.roles did not contain 'controller' in configuration file.");
    return BrokerId(static_cast<std::int32_t>(id));
}

Result<Uuid> directory_id(env::FileSystem& files, const ClientProperties& file) {
    std::string path = text_property(file, "metadata.log.dir", "");
    if (path.empty()) {
        const std::string paths = text_property(file, "log.dirs", "");
        const auto all = split(paths);
        if (all.empty()) return no_controller("Neither metadata.log.dir nor log.dirs were found.");
        path = std::string(all.front());
    }
    TRY(const auto meta, storage::read_meta(files, path));
    if (!meta) return wrong(fmt::format("Unable to read meta.properties from {}", path));
    return meta->directory_id;
}

}  // namespace

std::string ControllerFile::text() const {
    std::vector<std::string> endpoints;
    for (const raft::VoterEndpoint& one : voter.endpoints) {
        const bool is_ipv6 = one.host.find(':') != std::string::npos;
        endpoints.push_back(fmt::format("{}://{}{}{}:{}", one.listener, is_ipv6 ? "[" : "",
                                        one.host, is_ipv6 ? "]" : "", one.port));
    }
    return fmt::format("controller {} with directory id {} and endpoints: {}", voter.key.id,
                       voter.key.directory, fmt::join(endpoints, ", "));
}

Result<ControllerFile> read_controller_file(env::FileSystem& files, const std::string& path) {
    TRY(const auto file, read_client_properties(files, path));
    ControllerFile out;
    TRY(out.voter.key.id, controller_id(file));
    TRY(out.voter.key.directory, directory_id(files, file));
    TRY(out.voter.endpoints, controllers_endpoints(file));
    return out;
}

}  // namespace milena::cli
