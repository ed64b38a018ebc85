// SPDX-License-Identifier: Apache-2.0
// The properties of a tool's client: those of a --command-config file and those given one by one.
// Keys that nothing here reads are passed over, as Kafka's clients do; what they would need and is
// not there (TLS, SASL) is an error that says so.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "milena/wire/client.h"

namespace milena::cli {

using ClientProperties = std::map<std::string, std::string, std::less<>>;

/// The entries of the file, if `file` is not empty.
Result<ClientProperties> read_client_properties(env::FileSystem& files, const std::string& file);

/// Adds "key=value" texts, which win.
Result<void> add_properties(ClientProperties& properties, const std::vector<std::string>& entries);

/// The value of `key` as a whole number, or `otherwise`.
Result<std::int64_t> number_property(const ClientProperties& properties, std::string_view key,
                                     std::int64_t otherwise);
std::string text_property(const ClientProperties& properties, std::string_view key,
                          std::string_view otherwise);

Result<wire::ClientOptions> client_options(const ClientProperties& properties);

}  // namespace milena::cli
