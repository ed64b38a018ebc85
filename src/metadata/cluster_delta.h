// SPDX-License-Identifier: Apache-2.0
// Registrations of brokers and controllers.
#pragma once

#include <optional>

#include "milena/protocol/records/metadata.h"
#include "part.h"

namespace milena::metadata {

class ClusterDelta {
public:
    ClusterDelta(std::shared_ptr<const ClusterImage> base, Changes& changes)
        : part_(std::move(base)), changes_(changes) {}

    Result<void> apply(const protocol::RegisterBrokerRecord& record);
    Result<void> apply(const protocol::UnregisterBrokerRecord& record);
    Result<void> apply(const protocol::FenceBrokerRecord& record);
    Result<void> apply(const protocol::UnfenceBrokerRecord& record);
    Result<void> apply(const protocol::BrokerRegistrationChangeRecord& record);
    Result<void> apply(const protocol::RegisterControllerRecord& record);
    Result<void> apply(const protocol::UnregisterControllerRecord& record);

    std::shared_ptr<const ClusterImage> finish() &&;

private:
    using Brokers = decltype(ClusterImage::brokers);

    Brokers::Editor& brokers();
    /// Null if there is no such broker.
    const BrokerRegistration* find_broker(BrokerId id) const;
    /// The registration of that broker and that epoch, to be changed.
    Result<BrokerRegistration*> edit_broker(std::int32_t id, std::int64_t epoch);

    CopiedPart<ClusterImage> part_;
    std::optional<Brokers::Editor> brokers_;
    Changes& changes_;
};

}  // namespace milena::metadata
