// SPDX-License-Identifier: Apache-2.0
// Addresses by the system's own functions.
#include "milena/env/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace milena::env {
namespace {

constexpr std::size_t kBytesOfV4 = 4;
constexpr std::size_t kBytesOfV6 = 16;
constexpr std::size_t kPrefixOfMapped = kBytesOfV6 - kBytesOfV4;

bool is_mapped(const std::vector<std::byte>& v6) {
    constexpr std::size_t kZeros = 10;
    return std::all_of(v6.begin(), v6.begin() + kZeros,
                       [](std::byte byte) { return byte == std::byte{0}; }) &&
           v6[kZeros] == std::byte{0xff} && v6[kZeros + 1] == std::byte{0xff};
}

}  // namespace

std::optional<std::vector<std::byte>> address_bytes(std::string_view text) {
    const std::string host(text.substr(0, text.find('%')));  // without an interface
    std::vector<std::byte> bytes(kBytesOfV4);
    if (inet_pton(AF_INET, host.c_str(), bytes.data()) == 1) return bytes;
    bytes.resize(kBytesOfV6);
    if (inet_pton(AF_INET6, host.c_str(), bytes.data()) != 1) return std::nullopt;
    if (is_mapped(bytes)) bytes.erase(bytes.begin(), bytes.begin() + kPrefixOfMapped);
    return bytes;
}

std::optional<std::string> address_text(BytesView bytes) {
    if (bytes.size() != kBytesOfV4 && bytes.size() != kBytesOfV6) return std::nullopt;
    std::array<char, INET6_ADDRSTRLEN> text{};
    const int family = bytes.size() == kBytesOfV4 ? AF_INET : AF_INET6;
    if (inet_ntop(family, bytes.data(), text.data(), text.size()) == nullptr) return std::nullopt;
    return std::string(text.data());
}

}  // namespace milena::env
