// SPDX-License-Identifier: Apache-2.0
// How failures of connections are worded: the call, the peer, the reason.
#pragma once

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <boost/system/error_code.hpp>

#include "milena/base/result.h"
#include "milena/env/network.h"

namespace milena::env {

/// NETWORK_EXCEPTION "call peer: text".
inline std::unexpected<Error> network_failure(std::string_view call, const Endpoint& peer,
                                              std::string_view text) {
    return fail(ErrorCode::network_exception, fmt::format("{} {}: {}", call, peer.text(), text));
}
inline std::unexpected<Error> network_failure(std::string_view call, const Endpoint& peer,
                                              int error_number) {
    if (error_number == ECONNREFUSED) return network_failure(call, peer, kConnectionRefused);
    const char* const text = strerrordesc_np(error_number);
    return network_failure(call, peer, text == nullptr ? std::string_view("unknown error") : text);
}
inline std::unexpected<Error> network_failure(std::string_view call, const Endpoint& peer,
                                              const boost::system::error_code& error) {
    if (error == boost::system::errc::connection_refused)
        return network_failure(call, peer, kConnectionRefused);
    return network_failure(call, peer, std::string_view(error.message()));
}

}  // namespace milena::env
