// SPDX-License-Identifier: Apache-2.0
// Partitions placed anew.
#include "moves/generate.h"

#include <algorithm>

#include <fmt/format.h>

#include "command.h"
#include "console.h"
#include "milena/controller/placement.h"
#include "moves/current.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

/// Those of the list that are up.
Result<std::vector<controller::UsableBroker>> usable_brokers(const wire::Client& client,
                                                             const GenerateWish& wish) {
    std::vector<controller::UsableBroker> brokers;
    std::size_t with_rack = 0;
    for (const auto& [id, node] : client.nodes()) {
        if (std::ranges::find(wish.brokers, id.value) == wish.brokers.end()) continue;
        const bool has_rack = wish.rack_aware && node.rack.has_value();
        if (has_rack) ++with_rack;
        brokers.push_back({id, has_rack ? *node.rack : "", false});
    }
    if (with_rack != 0 && with_rack != brokers.size()) {
        return refuse_operation(
            "Not all brokers have rack information. Add --disable-rack-aware in command line to "
            "make replica assignment without rack information.");
    }
    return brokers;
}

/// Each topic by itself, with the replication factor of its first partition.
Result<PartitionReplicas> place_topics(const std::map<std::string, TopicState>& topics,
                                       const std::vector<controller::UsableBroker>& brokers,
                                       env::Random& random) {
    PartitionReplicas proposed;
    for (const auto& [name, topic] : topics) {
        if (topic.partitions.empty()) continue;
        TRY(const auto placed,
            controller::place(brokers, static_cast<std::int32_t>(topic.partitions.size()),
                              static_cast<std::int16_t>(topic.partitions.front().replicas.size()),
                              random));
        for (std::size_t i = 0; i < placed.size(); ++i) {
            BrokerIds& replicas = proposed[{name, static_cast<std::int32_t>(i)}];
            for (const BrokerId id : placed[i]) replicas.push_back(id.value);
        }
    }
    return proposed;
}

}  // namespace

env::Task<Result<int>> generate_plan(Session& session, const GenerateWish& wish) {
    CO_TRY(const auto topics, co_await topics_that_must_be(session, wish.topics));
    PartitionReplicas current;
    for (const auto& [name, topic] : topics) {
        for (const PartitionState& partition : topic.partitions)
            current[{name, partition.index}] = partition.replicas;
    }
    CO_TRY(const auto directories, co_await directories_of(session, current));
    CO_TRY(const auto brokers, usable_brokers(session.client(), wish));
    const auto proposed = place_topics(topics, brokers, session.env().random());
    if (!proposed) {
        // Thrown where it is found, out of no future.
        print(fmt::format("Error: {}\n{}\n\n", proposed.error().why,
                          exception_text(proposed.error())));
        co_return kExitFailed;
    }
    print(fmt::format("Current partition replica assignment\n{}\n\n",
                      plan_json(current, directories)));
    print(fmt::format("Proposed partition reassignment configuration\n{}\n",
                      plan_json(*proposed, {})));
    co_return kExitOk;
}

}  // namespace milena::cli
