// SPDX-License-Identifier: Apache-2.0
// Listeners and the addresses of the quorum: from lists of text to endpoints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "milena/config/broker_config.h"

namespace milena::config {

/// host:port, an IPv6 address in brackets; the host may be empty only if `any_host`. Port 0 to
/// 65535.
Result<env::Endpoint> parse_endpoint(std::string_view text, bool any_host);

/// Fills in the listeners of `config`, whose roles and controller_listeners are known.
Result<void> read_listeners(const Settings& settings, std::string_view host_name,
                            BrokerConfig& config);

/// controller.quorum.voters and controller.quorum.bootstrap.servers.
Result<void> read_quorum_addresses(const Settings& settings, QuorumConfig& quorum);

/// "file:line: key=value: why", as INVALID_CONFIG.
std::unexpected<Error> bad_setting(const Settings& settings, std::string_view key,
                                   std::string_view why);

}  // namespace milena::config
