// SPDX-License-Identifier: Apache-2.0
// Configuration as clients see it: every value in force with the layer it comes from and the layers
// below it (KIP-226), and what may be changed while a broker runs.
//
//   topic, group or client metrics   what it sets itself
//   dynamic broker                   this broker's, in the metadata
//   dynamic default                  the cluster's, in the metadata
//   static                           the file
//   default                          the row of the key
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "milena/config/keys.h"
#include "milena/config/settings.h"
#include "milena/config/topic_config.h"

namespace milena::config {

/// Where a value comes from; the numbers are the protocol's.
enum class ConfigSource : std::int8_t {
    topic = 1,
    dynamic_broker = 2,
    dynamic_default_broker = 3,
    static_broker = 4,
    fallback = 5,  ///< nobody set it: the key's own default
    broker_logger = 6,
    client_metrics = 7,
    group = 8,
};

/// The layers below a topic's or a group's own values. All of it outlives this.
struct Layers {
    const Settings& file;
    const ConfigMap& cluster_wide;
    const ConfigMap& broker;

    Settings settings() const { return file.with(cluster_wide, broker); }
};

/// A value in one layer, under the name that the key has there.
struct LayerValue {
    std::string name;
    std::optional<std::string> value{};
    ConfigSource source = ConfigSource::fallback;

    bool operator==(const LayerValue&) const = default;
};

struct DescribedConfig {
    std::string name;
    std::optional<std::string> value{};
    ConfigSource source = ConfigSource::fallback;
    bool is_read_only = false;
    /// Its value is told to nobody.
    bool is_sensitive = false;
    /// Nothing: a key that is not known.
    std::optional<ValueType> type{};
    std::string_view doc{};
    /// All layers that have a value, the one in force first.
    std::vector<LayerValue> synonyms{};
};

/// All in the order of their names.
std::vector<DescribedConfig> describe_broker(const Layers& layers);
/// Only what is set for the whole cluster.
std::vector<DescribedConfig> describe_cluster_wide(const Layers& layers);
std::vector<DescribedConfig> describe_topic(const ConfigMap& own, const Layers& layers);
std::vector<DescribedConfig> describe_group(const ConfigMap& own, const Layers& layers);
std::vector<DescribedConfig> describe_client_metrics(const ConfigMap& own);

/// Whether a broker could live with `changed` in the place of its own dynamic values, or (if not
/// `is_of_broker`) of the cluster's. Fails with INVALID_REQUEST, in the words of Kafka's brokers.
Result<void> check_dynamic_config(const ConfigMap& changed, bool is_of_broker,
                                  const Layers& layers);

/// What max.connections.per.ip.overrides says: addresses, each with a colon and its number behind
/// it. INVALID_REQUEST that names the entry which is none.
Result<std::map<std::string, std::int32_t, std::less<>>> connection_overrides(
    std::string_view text);

/// A broker key that only the metadata may hold, no file: the rates of throttled replication.
const Key* find_dynamic_only_key(std::string_view name);
/// The key that `name` is about: itself, or the part after listener.name.NAME. (KIP-103).
std::string_view base_name(std::string_view name);

}  // namespace milena::config
