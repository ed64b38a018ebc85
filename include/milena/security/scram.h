// SPDX-License-Identifier: Apache-2.0
// What a server keeps of a password for SCRAM (RFC 5802, RFC 7677): enough to recognise it, too
// little to use it elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "milena/base/bytes.h"

namespace milena::security {

/// The numbers are those of Kafka's requests and records.
enum class ScramMechanism : std::int8_t { sha_256 = 1, sha_512 = 2 };

/// "SCRAM-SHA-256"
std::optional<ScramMechanism> find_scram_mechanism(std::string_view name);

inline constexpr std::int32_t kScramIterationsMin = 4096;
inline constexpr std::int32_t kScramIterationsMax = 16384;

/// What stands for a password: Hi(password, salt, iterations), slow on purpose.
std::vector<std::byte> salted_password(ScramMechanism mechanism, std::string_view password,
                                       BytesView salt, std::int32_t iterations);

struct ScramKeys {
    std::vector<std::byte> stored_key;
    std::vector<std::byte> server_key;
};
/// From what salted_password() gave.
ScramKeys scram_keys(ScramMechanism mechanism, BytesView salted);

}  // namespace milena::security
