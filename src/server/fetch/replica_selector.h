// SPDX-License-Identifier: Apache-2.0
// Where a consumer that names its rack is sent to read (KIP-392), as Kafka's
// RackAwareReplicaSelector has it: to the leader if it stands in that rack or nobody does, else to
// the replica of the rack that is furthest. Pure.
#pragma once

#include <span>
#include <string_view>

#include "milena/metadata/image.h"
#include "milena/replication/partition.h"

namespace milena::server {

class ReplicaSelector {
public:
    /// For consumers in `rack` that came over the listener of that name. All outlive this.
    ReplicaSelector(const metadata::Image& image, std::string_view listener, std::string_view rack)
        : image_(image), listener_(listener), rack_(rack) {}

    /// A broker stands there, unfenced and with an endpoint that the consumer can use.
    bool is_in_rack(BrokerId broker) const;
    /// Nobody if the consumer is to stay with `leader`.
    BrokerId select(BrokerId leader,
                    std::span<const replication::ReadableFollower> followers) const;

private:
    const metadata::Image& image_;
    std::string_view listener_;
    std::string_view rack_;
};

}  // namespace milena::server
