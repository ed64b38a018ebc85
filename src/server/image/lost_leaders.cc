// SPDX-License-Identifier: Apache-2.0
// One moment for each broker that is lost.
#include "milena/server/lost_leaders.h"

namespace milena::server {

void LostLeaders::lost(BrokerId broker) {
    const env::Instant now = clock_.now();
    since_.with([&](auto& since) { since.try_emplace(broker, now); });
}

void LostLeaders::found(BrokerId broker) {
    since_.with([&](auto& since) { since.erase(broker); });
}

std::vector<BrokerId> LostLeaders::undecided() const {
    const env::Instant now = clock_.now();
    return since_.with([&](const auto& since) {
        std::vector<BrokerId> found;
        for (const auto& [broker, moment] : since) {
            if (now < moment + kUndecided) found.push_back(broker);
        }
        return found;
    });
}

}  // namespace milena::server
