// SPDX-License-Identifier: Apache-2.0
// When a broker's id was last registered, by the metadata log: no image tells. A listener of the
// quorum, on the control thread.
#pragma once

#include <optional>

#include "milena/drivers/quorum.h"

namespace milena::drivers {

class RegistrationTimes final : public QuorumListener {
public:
    explicit RegistrationTimes(BrokerId broker) : broker_(broker) {}

    /// Nothing if it is another registration than the last, or one that only a snapshot tells of.
    std::optional<Timestamp> of(BrokerEpoch epoch) const {
        return epoch == epoch_ ? time_ : std::nullopt;
    }

    void on_snapshot(const MetadataSnapshot&) override {}
    void on_committed(std::span<const MetadataBatch> batches) override;
    void on_leader_change(LeaderEpoch, BrokerId, bool) override {}
    void on_failed(const Error&) override {}

private:
    const BrokerId broker_;
    BrokerEpoch epoch_{-1};
    std::optional<Timestamp> time_;
};

}  // namespace milena::drivers
