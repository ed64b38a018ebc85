// SPDX-License-Identifier: Apache-2.0
// How many connections may be open: max.connections, max.connections.per.ip and its overrides, as
// they are configured at the moment (KIP-226). On the control thread.
#pragma once

#include <map>

#include "milena/server/broker.h"

namespace milena::server {

struct AdmissionLimits {
    std::int64_t total = 0;
    std::int64_t per_address = 0;
    std::map<std::string, std::int32_t, std::less<>> overrides{};

    std::int64_t of_address(std::string_view address) const {
        const auto at = overrides.find(address);
        return at == overrides.end() ? per_address : at->second;
    }
};

class Admission {
public:
    explicit Admission(const Broker& broker);

    /// Made anew where the configuration has changed since the last call.
    const AdmissionLimits& now();

private:
    const Broker& broker_;
    std::shared_ptr<const metadata::Configs> cluster_wide_;
    std::shared_ptr<const metadata::Configs> of_broker_;
    AdmissionLimits limits_;
};

}  // namespace milena::server
