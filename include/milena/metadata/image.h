// SPDX-License-Identifier: Apache-2.0
// The cluster as it is at one offset of the metadata log: immutable, shared by everybody who reads.
// An image is made from the one before and a delta; what did not change is the same memory in both.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/shared_list.h"
#include "milena/base/uuid.h"
#include "milena/metadata/access_image.h"
#include "milena/metadata/sharded_map.h"

namespace milena::metadata {

/// There are hundreds of thousands in a large cluster, and each change of one copies its neighbours
/// in the map: so its lists are shared.
struct PartitionRegistration {
    SharedList<BrokerId> replicas;
    SharedList<Uuid> directories;  ///< one a replica; KIP-858
    SharedList<BrokerId> in_sync_replicas;
    SharedList<BrokerId> removing_replicas;
    SharedList<BrokerId> adding_replicas;
    SharedList<BrokerId> eligible_leader_replicas;  ///< KIP-966
    SharedList<BrokerId> last_known_eligible_leader_replicas;
    BrokerId leader = kNoBroker;
    LeaderEpoch leader_epoch = kNoLeaderEpoch;
    PartitionEpoch partition_epoch;
    bool is_recovering = false;  ///< elected uncleanly and not yet caught up with itself

    bool operator==(const PartitionRegistration&) const = default;
};

struct TopicImage {
    std::string name;
    Uuid id;
    ShardedMap<PartitionIndex, PartitionRegistration> partitions;

    bool operator==(const TopicImage&) const = default;
};

struct TopicsImage {
    ShardedMap<Uuid, std::shared_ptr<const TopicImage>> by_id;
    /// In the order of the names, for those who page through all topics.
    ShardedMap<std::string, Uuid> by_name;

    bool operator==(const TopicsImage& other) const;

    /// Nothing if there is no such topic.
    std::shared_ptr<const TopicImage> find(Uuid id) const;
    std::shared_ptr<const TopicImage> find(std::string_view name) const;
};

struct BrokerEndpoint {
    std::string listener;
    std::string host;
    std::uint16_t port = 0;
    std::int16_t security_protocol = 0;  ///< 0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL

    bool operator==(const BrokerEndpoint&) const = default;
};

struct VersionRange {
    std::int16_t min = 0;
    std::int16_t max = 0;

    bool operator==(const VersionRange&) const = default;
};

struct BrokerRegistration {
    BrokerId id;
    BrokerEpoch epoch;
    Uuid incarnation_id;
    std::vector<BrokerEndpoint> endpoints;
    std::map<std::string, VersionRange> features;
    std::optional<std::string> rack;
    bool fenced = true;
    bool in_controlled_shutdown = false;
    std::vector<Uuid> log_directories;
    std::optional<std::vector<Uuid>> cordoned_log_directories;

    bool operator==(const BrokerRegistration&) const = default;
};

struct ControllerRegistration {
    BrokerId id;
    Uuid incarnation_id;
    std::vector<BrokerEndpoint> endpoints;
    std::map<std::string, VersionRange> features;

    bool operator==(const ControllerRegistration&) const = default;
};

struct ClusterImage {
    /// In small shards: a change of one copies its neighbours, and there is much in each.
    ShardedMap<BrokerId, BrokerRegistration, 16> brokers;
    std::map<BrokerId, ControllerRegistration> controllers;

    bool operator==(const ClusterImage&) const = default;

    /// Null if there is no such broker.
    const BrokerRegistration* find_broker(BrokerId id) const;
    /// True for a registered broker that is neither fenced nor on its way out: it may lead and be
    /// in sync.
    bool is_active(BrokerId id) const;
};

/// Overrides of one config resource: a topic, a broker ("" is the cluster-wide default), a group,
/// client metrics.
using Configs = std::map<std::string, std::string, std::less<>>;

enum class ResourceType : std::int8_t {
    topic = 2,
    broker = 4,
    broker_logger = 8,
    client_metrics = 16,
    group = 32
};

struct ConfigResource {
    ResourceType type = ResourceType::topic;
    std::string name;

    auto operator<=>(const ConfigResource&) const = default;
};

struct ConfigsImage {
    ShardedMap<ConfigResource, std::shared_ptr<const Configs>> by_resource;

    bool operator==(const ConfigsImage& other) const;

    /// Empty if nothing is set.
    std::shared_ptr<const Configs> find(ResourceType type, std::string_view name) const;
};

struct FeaturesImage {
    std::map<std::string, std::int16_t, std::less<>>
        levels;  ///< finalized, metadata.version among them

    bool operator==(const FeaturesImage&) const = default;

    /// 0 if the feature is not finalized.
    std::int16_t level(std::string_view feature) const;
};

/// Where the metadata log stood: the offset of the last record in the image, its epoch and its
/// time.
struct Provenance {
    Offset last_offset{-1};
    LeaderEpoch last_epoch = kNoLeaderEpoch;
    std::int64_t timestamp_ms = -1;

    bool operator==(const Provenance&) const = default;
};

/// Each aspect is its own immutable part, shared with the image before if it did not change.
struct Image {
    Provenance provenance;
    std::shared_ptr<const FeaturesImage> features;
    std::shared_ptr<const ClusterImage> cluster;
    std::shared_ptr<const TopicsImage> topics;
    std::shared_ptr<const ConfigsImage> configs;
    std::shared_ptr<const ClientQuotasImage> client_quotas;
    std::shared_ptr<const AclsImage> acls;
    std::shared_ptr<const ScramImage> scram;
    std::shared_ptr<const DelegationTokensImage> delegation_tokens;
    /// First producer id that has not been given to anybody.
    std::int64_t next_producer_id = 0;

    /// Nothing anywhere.
    static std::shared_ptr<const Image> empty();

    /// The same content, whoever made it and wherever in the log it stands.
    bool same_content(const Image& other) const;
};

}  // namespace milena::metadata
