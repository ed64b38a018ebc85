// SPDX-License-Identifier: Apache-2.0
// One system call a number: they are drawn for ids and elections, never per record.
#include "system_random.h"

#include <sys/random.h>
#include <cerrno>

#include "milena/base/invariant.h"

namespace milena::env {

std::uint64_t SystemRandom::next() {
    std::uint64_t number = 0;
    ssize_t count = 0;
    do {
        count = ::getrandom(&number, sizeof number, 0);  // so few bytes come whole
    } while (count < 0 && errno == EINTR);
    INVARIANT(count == sizeof number, "the kernel gives no random bytes");
    return number;
}

}  // namespace milena::env
