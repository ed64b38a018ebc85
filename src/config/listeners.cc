// SPDX-License-Identifier: Apache-2.0
// What the node binds and what it advertises, with the protocol of each name (KIP-103, KIP-631).
// The rules that tie listeners to roles stand in broker_config.cc.
#include "listeners.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "contains.h"
#include "text.h"

namespace milena::config {
namespace {

constexpr std::string_view kListenerForm = "allowed is NAME://host:port, separated by commas";

using ProtocolMap = std::map<std::string, SecurityProtocol, std::less<>>;

std::optional<SecurityProtocol> parse_protocol(std::string_view name) {
    for (const auto protocol : {SecurityProtocol::plaintext, SecurityProtocol::ssl,
                                SecurityProtocol::sasl_plaintext, SecurityProtocol::sasl_ssl}) {
        if (equal_in_any_case(name, security_protocol_name(protocol))) return protocol;
    }
    return std::nullopt;
}

/// listener.security.protocol.map; where the file does not say it, the controllers' listeners are
/// plain text.
Result<ProtocolMap> read_protocol_map(const Settings& settings, const BrokerConfig& config) {
    constexpr std::string_view kKey = "listener.security.protocol.map";
    ProtocolMap map;
    for (const std::string_view item : split(settings.string(kKey), ',')) {
        const auto colon = item.rfind(':');
        const auto protocol = colon == std::string_view::npos
                                  ? std::nullopt
                                  : parse_protocol(trimmed(item.substr(colon + 1)));
        if (!protocol) {
            return bad_setting(settings, kKey,
                               "allowed is NAME:PROTOCOL, separated by commas; protocols are "
                               "PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL");
        }
        const auto name = upper(trimmed(item.substr(0, colon)));
        if (!map.emplace(name, *protocol).second) {
            return bad_setting(settings, kKey, fmt::format("{} comes twice", name));
        }
    }
    if (!settings.is_set(kKey)) {
        for (const auto& name : config.controller_listeners) {
            map.emplace(name, SecurityProtocol::plaintext);
        }
    }
    return map;
}

Result<Listener> parse_listener(const Settings& settings, std::string_view key,
                                std::string_view text, const ProtocolMap& protocols) {
    const auto slashes = text.find("://");
    if (slashes == std::string_view::npos || slashes == 0) {
        return bad_setting(settings, key, kListenerForm);
    }
    Listener listener;
    listener.name = upper(text.substr(0, slashes));
    auto endpoint = parse_endpoint(text.substr(slashes + 3), true);
    if (!endpoint) return bad_setting(settings, key, kListenerForm);
    listener.endpoint = *std::move(endpoint);

    const auto protocol = protocols.find(listener.name);
    if (protocol == protocols.end()) {
        return bad_setting(settings, key,
                           fmt::format("no security protocol for {}: add {}:PLAINTEXT to "
                                       "listener.security.protocol.map",
                                       listener.name, listener.name));
    }
    if (protocol->second != SecurityProtocol::plaintext) {
        return bad_setting(settings, key,
                           fmt::format("{} has the protocol {}; so far PLAINTEXT is the only one "
                                       "that Milena speaks",
                                       listener.name, security_protocol_name(protocol->second)));
    }
    listener.protocol = protocol->second;
    return listener;
}

Result<std::vector<Listener>> parse_listeners(const Settings& settings, std::string_view key,
                                              const ProtocolMap& protocols) {
    std::vector<Listener> listeners;
    for (const auto& text : settings.list(key)) {
        TRY(auto listener, parse_listener(settings, key, text, protocols));
        if (contains(listeners, listener.name, &Listener::name)) {
            return bad_setting(settings, key, fmt::format("{} comes twice", listener.name));
        }
        listeners.push_back(std::move(listener));
    }
    return listeners;
}

/// Two listeners can not bind the same address, and every address includes each.
Result<void> check_ports(const Settings& settings, const std::vector<Listener>& listeners) {
    for (std::size_t a = 0; a < listeners.size(); ++a) {
        for (std::size_t b = a + 1; b < listeners.size(); ++b) {
            const auto& one = listeners[a].endpoint;
            const auto& other = listeners[b].endpoint;
            if (one.port == 0 || one.port != other.port) continue;
            if (one.host.empty() || other.host.empty() || one.host == other.host) {
                return bad_setting(settings, "listeners",
                                   fmt::format("{} and {} have the same port {}", listeners[a].name,
                                               listeners[b].name, one.port));
            }
        }
    }
    return ok();
}

bool is_wildcard(std::string_view host) {
    return host == "0.0.0.0" || host == "::";
}

/// What is advertised of a listener that advertised.listeners does not name.
Listener advertised_by_default(Listener listener, bool is_controllers, std::string_view host_name) {
    auto& host = listener.endpoint.host;
    if (host.empty() || (is_controllers && is_wildcard(host))) host = host_name;
    return listener;
}

Result<void> check_advertised(const Settings& settings, const BrokerConfig& config) {
    constexpr std::string_view kKey = "advertised.listeners";
    for (const auto& listener : config.advertised_listeners) {
        if (!contains(config.listeners, listener.name, &Listener::name)) {
            return bad_setting(settings, kKey,
                               fmt::format("{} is not one of listeners", listener.name));
        }
        if (is_wildcard(listener.endpoint.host)) {
            return bad_setting(settings, kKey,
                               fmt::format("{} would tell clients to connect to {}; set "
                                           "advertised.listeners to an address that they can reach",
                                           listener.name, listener.endpoint.host));
        }
    }
    return ok();
}

}  // namespace

std::string_view security_protocol_name(SecurityProtocol protocol) {
    switch (protocol) {
        case SecurityProtocol::plaintext: return "PLAINTEXT";
        case SecurityProtocol::ssl: return "SSL";
        case SecurityProtocol::sasl_plaintext: return "SASL_PLAINTEXT";
        case SecurityProtocol::sasl_ssl: return "SASL_SSL";
    }
    std::unreachable();
}

std::unexpected<Error> bad_setting(const Settings& settings, std::string_view key,
                                   std::string_view why) {
    return fail(ErrorCode::invalid_config, fmt::format("{}: {}", settings.where(key), why));
}

Result<env::Endpoint> parse_endpoint(std::string_view text, bool any_host) {
    const auto malformed = [] { return fail(ErrorCode::invalid_config, "allowed is host:port"); };
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return malformed();
    std::string_view host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);

    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
        return malformed();  // an IPv6 address without brackets: where would it end?
    }
    constexpr std::string_view kHostLetters =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-%._:";
    if (host.find_first_not_of(kHostLetters) != std::string_view::npos) return malformed();
    if (host.empty() && !any_host) return malformed();

    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || end != digits.data() + digits.size()) return malformed();
    return env::Endpoint{std::string(host), port};
}

Result<void> read_listeners(const Settings& settings, std::string_view host_name,
                            BrokerConfig& config) {
    TRY(const auto protocols, read_protocol_map(settings, config));
    TRY(config.listeners, parse_listeners(settings, "listeners", protocols));
    TRY_VOID(check_ports(settings, config.listeners));

    TRY(config.advertised_listeners, parse_listeners(settings, "advertised.listeners", protocols));
    for (auto& listener : config.advertised_listeners) {
        if (listener.endpoint.host.empty()) listener.endpoint.host = host_name;
    }
    // The controllers' listeners are advertised even when advertised.listeners names only the
    // brokers'.
    const bool names_brokers = settings.is_set("advertised.listeners");
    for (const auto& listener : config.listeners) {
        const bool is_controllers = config.is_controller_listener(listener.name);
        if ((names_brokers && !is_controllers) ||
            contains(config.advertised_listeners, listener.name, &Listener::name)) {
            continue;
        }
        config.advertised_listeners.push_back(
            advertised_by_default(listener, is_controllers, host_name));
    }
    return check_advertised(settings, config);
}

Result<void> read_quorum_addresses(const Settings& settings, QuorumConfig& quorum) {
    constexpr std::string_view kVoters = "controller.quorum.voters";
    constexpr std::string_view kServers = "controller.quorum.bootstrap.servers";
    for (const std::string_view text : settings.list(kVoters)) {
        const auto at = text.find('@');
        const auto id = parse_value(ValueType::int32, {.min = 0}, text.substr(0, at));
        const auto endpoint = at == std::string_view::npos
                                  ? fail(ErrorCode::invalid_config, "")
                                  : parse_endpoint(text.substr(at + 1), false);
        if (!id || !endpoint) {
            return bad_setting(settings, kVoters, "allowed is id@host:port, separated by commas");
        }
        const BrokerId voter(static_cast<std::int32_t>(std::get<std::int64_t>(*id)));
        if (contains(quorum.voters, voter, &QuorumVoter::id)) {
            return bad_setting(settings, kVoters, fmt::format("{} comes twice", voter));
        }
        quorum.voters.push_back({voter, *endpoint});
    }
    for (const std::string_view text : settings.list(kServers)) {
        auto endpoint = parse_endpoint(text, false);
        if (!endpoint) {
            return bad_setting(settings, kServers, "allowed is host:port, separated by commas");
        }
        quorum.bootstrap_servers.push_back(*std::move(endpoint));
    }
    return ok();
}

}  // namespace milena::config
