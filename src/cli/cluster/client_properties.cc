// SPDX-License-Identifier: Apache-2.0
// Client properties to client options.
#include "cluster/client_properties.h"

#include <charconv>

#include <fmt/format.h>

#include "milena/config/properties.h"

namespace milena::cli {
namespace {

constexpr std::size_t kFileBytesMax = 1U << 20;

/// Numbers as Kafka's ConfigDef says what is wrong with them.
std::unexpected<Error> not_a_number(std::string_view key, std::string_view value) {
    return fail(ErrorCode::invalid_config,
                fmt::format("Invalid value {} for configuration {}: Not a number of type LONG",
                            value, key));
}

Result<env::Duration> duration_property(const ClientProperties& properties, std::string_view key,
                                        env::Duration otherwise) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(otherwise).count();
    TRY(const std::int64_t number, number_property(properties, key, ms));
    if (number < 0 || number > std::int64_t{1} << 31)
        return fail(ErrorCode::invalid_config,
                    fmt::format("Invalid value {} for configuration {}", number, key));
    return std::chrono::milliseconds(number);
}

}  // namespace

Result<ClientProperties> read_client_properties(env::FileSystem& files, const std::string& file) {
    ClientProperties properties;
    if (file.empty()) return properties;
    TRY(const std::string text, env::read_file(files, file, kFileBytesMax));
    TRY(const auto parsed, config::Properties::parse(file, text));
    for (const auto& [key, value, line] : parsed.entries) properties[key] = value;
    return properties;
}

Result<void> add_properties(ClientProperties& properties, const std::vector<std::string>& entries) {
    for (const std::string& entry : entries) {
        const std::size_t equals = entry.find('=');
        if (equals == std::string::npos || equals == 0)
            return fail(ErrorCode::invalid_config,
                        fmt::format("Invalid command line properties: {}", entry));
        properties[entry.substr(0, equals)] = entry.substr(equals + 1);
    }
    return ok();
}

Result<std::int64_t> number_property(const ClientProperties& properties, std::string_view key,
                                     std::int64_t otherwise) {
    const auto found = properties.find(key);
    if (found == properties.end()) return otherwise;
    std::string_view text = found->second;
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return not_a_number(key, text);
    return number;
}

std::string text_property(const ClientProperties& properties, std::string_view key,
                          std::string_view otherwise) {
    const auto found = properties.find(key);
    return found == properties.end() ? std::string(otherwise) : found->second;
}

Result<wire::ClientOptions> client_options(const ClientProperties& properties) {
    const std::string protocol = text_property(properties, "security.protocol", "PLAINTEXT");
    if (protocol != "PLAINTEXT") {
        return fail(ErrorCode::invalid_config,
                    fmt::format("security.protocol={} is not supported by this tool yet, only "
                                "PLAINTEXT",
                                protocol));
    }
    wire::ClientOptions options;
    options.software_version = MILENA_VERSION;
    options.client_id = text_property(properties, "client.id", "");
    TRY(options.request_timeout,
        duration_property(properties, "request.timeout.ms", options.request_timeout));
    TRY(options.call_timeout,
        duration_property(properties, "default.api.timeout.ms", options.call_timeout));
    TRY(options.backoff_min,
        duration_property(properties, "reconnect.backoff.ms", options.backoff_min));
    TRY(options.backoff_max,
        duration_property(properties, "reconnect.backoff.max.ms", options.backoff_max));
    return options;
}

}  // namespace milena::cli
