// SPDX-License-Identifier: Apache-2.0
// Randomness of the real world. Cores take an env::Random and never know which it is.
#pragma once

#include "milena/env/env.h"

namespace milena::env {

/// The kernel's generator, good enough for ids that nobody may guess.
class SystemRandom final : public Random {
public:
    std::uint64_t next() override;
};

}  // namespace milena::env
