// SPDX-License-Identifier: Apache-2.0
// What the controller can be asked, and its answers, as plain structs: no version of the protocol
// shows here. An error of one item of a request stands in that item's answer; an error of the whole
// request is the Error of a Result.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/result.h"
#include "milena/base/uuid.h"
#include "milena/config/layers.h"
#include "milena/controller/partition_requests.h"
#include "milena/metadata/image.h"

namespace milena::controller {

using config::ConfigSource;

struct ManualAssignment {
    PartitionIndex partition;
    std::vector<BrokerId> brokers;  ///< the first is the preferred leader
};

struct NewTopic {
    std::string name;
    std::int32_t partition_count = -1;     ///< −1: num.partitions
    std::int16_t replication_factor = -1;  ///< −1: default.replication.factor
    std::vector<ManualAssignment> assignments{};
    /// A null value is an error that the answer tells.
    std::vector<std::pair<std::string, std::optional<std::string>>> configs{};
};

struct CreateTopicsRequest {
    std::vector<NewTopic> topics;
    /// Everything but the creation.
    bool validate_only = false;
};

struct TopicConfigEntry {
    std::string name;
    std::optional<std::string> value{};
    ConfigSource source = ConfigSource::fallback;
    bool is_sensitive = false;
    bool is_read_only = false;

    bool operator==(const TopicConfigEntry&) const = default;
};

/// What became of one topic. Where code is none, id (zero if only validated), counts and configs
/// are set.
struct CreatedTopic {
    std::string name{};
    ErrorCode code = ErrorCode::none;
    std::string why{};
    Uuid id{};
    std::int32_t partition_count = -1;
    std::int16_t replication_factor = -1;
    std::vector<TopicConfigEntry> configs{};  ///< all keys, by name
};

struct CreateTopicsReply {
    std::vector<CreatedTopic> topics;  ///< in the request's order, those named twice once
};

/// One by id, or by name if the id is zero. What is named twice is not deleted.
struct TopicToDelete {
    std::string name;
    Uuid id;
};

struct DeletedTopic {
    /// Empty if it was not deleted and asked for by id.
    std::string name{};
    Uuid id{};
    ErrorCode code = ErrorCode::none;
    std::string why{};
};

struct NewPartitions {
    std::string topic;
    std::int32_t count = 0;  ///< of all, with those that are there
    /// Replicas of each new one; without it they are placed.
    std::optional<std::vector<std::vector<BrokerId>>> assignments{};
};

struct CreatePartitionsRequest {
    std::vector<NewPartitions> topics;
    bool validate_only = false;
};

struct GrownTopic {
    std::string name;
    ErrorCode code = ErrorCode::none;
    std::string why{};
};

/// The numbers are the protocol's.
enum class FeatureUpgrade : std::int8_t { upgrade = 1, safe_downgrade = 2, unsafe_downgrade = 3 };

struct FeatureUpdate {
    std::string feature;
    std::int16_t level = 0;
    /// May be none of those with a name, which the controller refuses.
    FeatureUpgrade type = FeatureUpgrade::upgrade;
};

struct UpdateFeaturesRequest {
    std::vector<FeatureUpdate> updates;
    bool validate_only = false;
};

/// The numbers are the protocol's (KIP-460).
enum class ElectionType : std::int8_t { preferred = 0, unclean = 1 };

struct PartitionsToElect {
    std::string topic;
    std::vector<PartitionIndex> partitions;
};

struct ElectLeadersRequest {
    ElectionType type = ElectionType::preferred;
    /// Nothing: all partitions of all topics.
    std::optional<std::vector<PartitionsToElect>> topics{};
};

struct ElectedPartition {
    PartitionIndex partition;
    ErrorCode code = ErrorCode::none;
    std::string why{};
};

struct ElectedTopic {
    std::string topic;
    std::vector<ElectedPartition> partitions{};
};

/// One replica of the metadata log as its leader sees it.
struct QuorumReplica {
    BrokerId id;
    Uuid directory{};
    Offset log_end_offset{-1};
    std::int64_t last_fetch_ms = -1;
    std::int64_t last_caught_up_ms = -1;
};

struct QuorumEndpoint {
    std::string listener;
    std::string host;
    std::uint16_t port = 0;
};

struct QuorumNodeEndpoints {
    BrokerId id;
    std::vector<QuorumEndpoint> endpoints;
};

struct QuorumDescription {
    BrokerId leader = kNoBroker;
    LeaderEpoch epoch;
    Offset high_watermark{-1};
    std::vector<QuorumReplica> voters{};
    std::vector<QuorumReplica> observers{};
    std::vector<QuorumNodeEndpoints> nodes{};
};

/// The numbers are the protocol's.
enum class ConfigOperation : std::int8_t { set = 0, remove = 1, append = 2, subtract = 3 };

struct ConfigChange {
    std::string key;
    ConfigOperation operation = ConfigOperation::set;
    /// Of a removal it means nothing.
    std::string value{};
};

/// Each key and each resource at most once.
struct ResourceAlteration {
    metadata::ConfigResource resource;
    std::vector<ConfigChange> changes;
    /// What is set and not named goes.
    bool replaces_all = false;
};

struct AlterConfigsRequest {
    std::vector<ResourceAlteration> resources;
    bool validate_only = false;
};

/// What became of one resource; the others do not depend on it.
struct AlteredResource {
    ErrorCode code = ErrorCode::none;
    std::string why{};

    bool operator==(const AlteredResource&) const = default;
};

struct RegisterBrokerRequest {
    BrokerId id;
    std::string cluster_id;
    Uuid incarnation_id;
    std::vector<metadata::BrokerEndpoint> endpoints;
    std::map<std::string, metadata::VersionRange> features;
    std::optional<std::string> rack;
    std::vector<Uuid> log_directories;
    /// That of its last incarnation, if it stopped cleanly; −1 otherwise (KIP-966).
    BrokerEpoch previous_epoch{-1};
    bool is_migrating_zk_broker = false;
};

struct RegisterBrokerReply {
    BrokerEpoch epoch;
};

struct BrokerHeartbeatRequest {
    BrokerId id;
    BrokerEpoch epoch;
    Offset metadata_offset{-1};  ///< the last that its image holds
    bool want_fence = false;
    bool want_shutdown = false;
    std::vector<Uuid> offline_log_directories;
    std::optional<std::vector<Uuid>> cordoned_log_directories;
};

struct BrokerHeartbeatReply {
    bool is_caught_up = false;
    bool is_fenced = true;
    bool should_shut_down = false;

    bool operator==(const BrokerHeartbeatReply&) const = default;
};

struct RegisterControllerRequest {
    BrokerId id;
    Uuid incarnation_id;
    std::vector<metadata::BrokerEndpoint> endpoints;
    std::map<std::string, metadata::VersionRange> features;
};

struct AllocateProducerIdsRequest {
    BrokerId broker;
    BrokerEpoch epoch;
};

/// A block of producer ids that are the broker's alone.
struct ProducerIdBlock {
    std::int64_t first = 0;
    std::int32_t count = 0;

    bool operator==(const ProducerIdBlock&) const = default;
};

}  // namespace milena::controller
