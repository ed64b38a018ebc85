// SPDX-License-Identifier: Apache-2.0
// Plain sockets: one short question at a time, each with a deadline.
#include "local/probe.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>

namespace milena::cli {
namespace {

constexpr timeval kPatience{.tv_sec = 0, .tv_usec = 500'000};

struct CloseSocket {
    int number = -1;
    CloseSocket() = default;
    explicit CloseSocket(int socket) : number(socket) {}
    CloseSocket(const CloseSocket&) = delete;
    CloseSocket& operator=(const CloseSocket&) = delete;
    ~CloseSocket() {
        if (number >= 0) ::close(number);
    }
};

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses resolve(const env::Endpoint& at, int flags) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    addrinfo* found = nullptr;
    const int error = ::getaddrinfo(at.host.empty() ? nullptr : at.host.c_str(),
                                    std::to_string(at.port).c_str(), &hints, &found);
    return {error == 0 ? found : nullptr, &::freeaddrinfo};
}

/// A connected socket, or −1. A connect waits no longer than a write.
int connect_to(const env::Endpoint& at) {
    const Addresses addresses = resolve(at, 0);
    for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
        const int socket =
            ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
        if (socket < 0) continue;
        ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
        ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
        if (::connect(socket, one->ai_addr, one->ai_addrlen) == 0) return socket;
        ::close(socket);
    }
    return -1;
}

}  // namespace

std::optional<std::string> bind_obstacle(const env::Endpoint& at) {
    const Addresses addresses = resolve(at, AI_PASSIVE);
    if (!addresses) return fmt::format("{} is no address of this machine", at.host);
    for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
        const CloseSocket socket(
            ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol));
        if (socket.number < 0) continue;
        // As the server binds: what an earlier process left in TIME_WAIT is in nobody's way.
        const int yes = 1;
        ::setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (::bind(socket.number, one->ai_addr, one->ai_addrlen) < 0 && errno != EADDRNOTAVAIL)
            return std::strerror(errno);
    }
    return std::nullopt;
}

std::optional<std::string> ask_health(const env::Endpoint& admin) {
    const CloseSocket socket(connect_to(admin));
    if (socket.number < 0) return std::nullopt;
    constexpr std::string_view kRequest =
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    if (::send(socket.number, kRequest.data(), kRequest.size(), MSG_NOSIGNAL) < 0)
        return std::nullopt;
    std::string answer;
    std::array<char, 1024> piece{};
    while (answer.size() < 16 * piece.size()) {
        const auto read = ::recv(socket.number, piece.data(), piece.size(), 0);
        if (read <= 0) break;
        answer.append(piece.data(), static_cast<std::size_t>(read));
    }
    constexpr std::string_view kStatus = "\"status\":\"";
    const auto at = answer.find(kStatus);
    if (at == std::string::npos) return std::nullopt;
    const auto begin = at + kStatus.size();
    return answer.substr(begin, answer.find('"', begin) - begin);
}

bool is_listening(const env::Endpoint& at) {
    return CloseSocket(connect_to(at)).number >= 0;
}

}  // namespace milena::cli
