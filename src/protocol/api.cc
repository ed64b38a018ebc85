// SPDX-License-Identifier: Apache-2.0
// Finding an API by its number; the table itself is generated.
#include "milena/protocol/api.h"

#include <algorithm>

namespace milena::protocol {

const Api* find_api(std::int16_t key) {
    const std::span<const Api> all = apis();
    const auto found = std::ranges::lower_bound(all, static_cast<ApiKey>(key), {}, &Api::key);
    return found != all.end() && found->key == static_cast<ApiKey>(key) ? &*found : nullptr;
}

}  // namespace milena::protocol
