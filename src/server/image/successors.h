// SPDX-License-Identifier: Apache-2.0
// A client that has lost its leader asks at once, before anybody knows who leads now: the answer
// waits until it is known, or until it is clear that nothing happens.
#pragma once

#include <functional>
#include <vector>

#include "request.h"

namespace milena::server {

/// True if one of `lost` leads, by that image, what the request is about.
using LedByOneOf =
    std::function<bool(const std::vector<BrokerId>& lost, const metadata::Image& image)>;

/// While that is so and the loss of a broker is undecided. It is asked only when something has
/// changed.
env::Task<void> await_successors(const Request& request, LedByOneOf is_led);

}  // namespace milena::server
