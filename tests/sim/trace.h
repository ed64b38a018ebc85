// SPDX-License-Identifier: Apache-2.0
// The history of a run as one number: everything that happens is folded in, so two runs with the
// same number did the same. It is how a replayed seed is known to be a replay.
#pragma once

#include <cstdint>

#include "milena/base/bytes.h"
#include "sim/random.h"

namespace milena::sim {

class Trace {
public:
    std::uint64_t hash() const { return hash_; }

    void fold(std::uint64_t number) { hash_ = mix(hash_ ^ number) + 0x9E37'79B9'7F4A'7C15ULL; }
    void fold(BytesView bytes);

private:
    std::uint64_t hash_ = 0;
};

}  // namespace milena::sim
