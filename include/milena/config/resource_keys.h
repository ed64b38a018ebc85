// SPDX-License-Identifier: Apache-2.0
// The keys of the other things that are configured dynamically: consumer, share and streams groups
// (KIP-848, KIP-932, KIP-1071) and subscriptions to client metrics (KIP-714). Kafka's names, types
// and limits; what a value means is for those who read it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "milena/config/keys.h"
#include "milena/config/settings.h"
#include "milena/config/topic_config.h"

namespace milena::config {

struct ResourceKey {
    std::string_view name;
    ValueType type;
    std::optional<std::string_view> default_text;
    Allowed allowed{};
    /// Gives the default, and its dynamic values too; its own name if there is none.
    std::string_view broker_key{};
    /// Broker keys whose values bound a group's.
    std::string_view min_key{};
    std::string_view max_key{};
    /// Described only where it is set.
    bool is_internal = false;
    std::string_view doc{};
};

/// Both in the order of their names.
std::span<const ResourceKey> group_keys();
std::span<const ResourceKey> client_metrics_keys();
const ResourceKey* find_group_key(std::string_view name);

/// All values of one group, or of one subscription, as they would be. Fails with the code and the
/// words that Kafka's controller tells.
Result<void> check_group_config(const ConfigMap& all, const Settings& broker);
Result<void> check_client_metrics_config(const ConfigMap& all);

}  // namespace milena::config
