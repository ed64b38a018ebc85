// SPDX-License-Identifier: Apache-2.0
// What every Env does the same way, by what its doors offer.
#include "milena/env/env.h"

namespace milena::env {

Uuid random_uuid(Random& random) {
    Uuid id;
    do {
        const std::uint64_t high = random.next();
        id = Uuid::from_random(high, random.next());
    } while (id.is_reserved());
    return id;
}

Task<void> Env::sleep(Executor owner, Duration duration) {
    const Instant now = clock().now();
    const std::unique_ptr<Timer> timer = make_timer(owner);
    co_await timer->wait_until(duration < kNever - now ? now + duration : kNever);
}

}  // namespace milena::env
