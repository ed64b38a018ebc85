// SPDX-License-Identifier: Apache-2.0
// The cluster as coordinators of groups look at it: topics, and what groups have set for
// themselves. Immutable, and read from any thread; each metadata image makes another one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/uuid.h"

namespace milena::coordinator {

/// What a consumer group may set itself; the broker's keys are group.consumer.*.
struct ConsumerSettings {
    std::int32_t session_timeout_ms = 45'000;
    std::int32_t heartbeat_interval_ms = 5'000;
    /// Shortest time between two assignments.
    std::int32_t assignment_interval_ms = 1'000;
};

class TopicsView {
public:
    virtual ~TopicsView() = default;

    struct Topic {
        std::string_view name;  ///< as long as the view lives
        Uuid id;
        std::int32_t partitions = 0;
    };
    /// Nothing if there is no such topic.
    virtual std::optional<Topic> find(std::string_view name) const = 0;
    virtual std::optional<Topic> find(Uuid id) const = 0;
    /// Of the brokers that have a replica, in order and each once; none if they have said none.
    virtual std::vector<std::string> racks(Uuid topic, PartitionIndex partition) const = 0;
    /// All names, in no promised order.
    virtual void each(const std::function<void(std::string_view name)>& visit) const = 0;
    /// The group's own settings, else the broker's, which are given.
    virtual ConsumerSettings settings(std::string_view group,
                                      const ConsumerSettings& of_broker) const = 0;
};

}  // namespace milena::coordinator
