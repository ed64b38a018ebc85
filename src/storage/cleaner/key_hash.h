// SPDX-License-Identifier: Apache-2.0
// 128 bits of a key, by SipHash-2-4 (Aumasson and Bernstein, 2012) with a secret: keys that have
// the same hash count as one key in a compaction, and nobody can make such keys who does not know
// the secret.
#pragma once

#include <array>
#include <cstdint>

#include "milena/base/bytes.h"

namespace milena::storage {

struct KeyHash {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    bool operator==(const KeyHash&) const = default;
};

KeyHash hash_key(const std::array<std::uint64_t, 2>& secret, BytesView key);

}  // namespace milena::storage
