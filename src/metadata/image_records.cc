// SPDX-License-Identifier: Apache-2.0
// An image as records: the inverse of the deltas, for snapshots. Fields that the finalized
// metadata.version does not know yet are left out, as they would be in the log.
#include "milena/metadata/delta.h"
#include "milena/metadata/features.h"
#include "milena/protocol/records/metadata.h"

namespace milena::metadata {
namespace {

using Sink = std::function<void(RecordValue)>;

template <class Endpoint>
std::vector<Endpoint> endpoint_views(const std::vector<BrokerEndpoint>& endpoints) {
    std::vector<Endpoint> views;
    for (const BrokerEndpoint& e : endpoints)
        views.push_back({e.listener, e.host, e.port, e.security_protocol});
    return views;
}

template <class Feature>
std::vector<Feature> feature_views(const std::map<std::string, VersionRange>& features) {
    std::vector<Feature> views;
    for (const auto& [name, range] : features) views.push_back({name, range.min, range.max});
    return views;
}

void add_features(const FeaturesImage& features, const Sink& sink) {
    const auto add = [&](std::string_view name, std::int16_t level) {
        sink(encode_record(protocol::FeatureLevelRecord{name, level}));
    };
    // metadata.version first: it says how to read what follows.
    for (const auto& [name, level] : features.levels) {
        if (name == kMetadataVersion) add(name, level);
    }
    for (const auto& [name, level] : features.levels) {
        if (name != kMetadataVersion) add(name, level);
    }
}

}  // namespace

RecordValue record_of(const BrokerRegistration& broker, const RecordVersions& versions) {
    const auto endpoints =
        endpoint_views<protocol::RegisterBrokerRecord::BrokerEndpoint>(broker.endpoints);
    const auto features =
        feature_views<protocol::RegisterBrokerRecord::BrokerFeature>(broker.features);
    protocol::RegisterBrokerRecord record;
    record.broker_id = broker.id.value;
    record.incarnation_id = broker.incarnation_id;
    record.broker_epoch = broker.epoch.value;
    record.end_points = endpoints;
    record.features = features;
    record.rack = broker.rack ? protocol::NullableString(*broker.rack) : protocol::NullableString();
    record.fenced = broker.fenced;
    record.in_controlled_shutdown = broker.in_controlled_shutdown;
    if (versions.log_directories) record.log_dirs = broker.log_directories;
    if (versions.cordoned_log_directories && broker.cordoned_log_directories) {
        record.cordoned_log_dirs = *broker.cordoned_log_directories;
    }
    return encode_record(record, versions.register_broker);
}

RecordValue record_of(const ControllerRegistration& controller) {
    const auto endpoints = endpoint_views<protocol::RegisterControllerRecord::ControllerEndpoint>(
        controller.endpoints);
    const auto features =
        feature_views<protocol::RegisterControllerRecord::ControllerFeature>(controller.features);
    protocol::RegisterControllerRecord record;
    record.controller_id = controller.id.value;
    record.incarnation_id = controller.incarnation_id;
    record.end_points = endpoints;
    record.features = features;
    return encode_record(record);
}

RecordValue record_of(Uuid topic, PartitionIndex index, const PartitionRegistration& partition,
                      const RecordVersions& versions) {
    const auto eligible = number_view(partition.eligible_leader_replicas);
    const auto last_known = number_view(partition.last_known_eligible_leader_replicas);
    protocol::PartitionRecord record;
    record.partition_id = index.value;
    record.topic_id = topic;
    record.replicas = number_view(partition.replicas);
    record.isr = number_view(partition.in_sync_replicas);
    record.removing_replicas = number_view(partition.removing_replicas);
    record.adding_replicas = number_view(partition.adding_replicas);
    record.leader = partition.leader.value;
    record.leader_recovery_state = partition.is_recovering ? 1 : 0;
    record.leader_epoch = partition.leader_epoch.value;
    record.partition_epoch = partition.partition_epoch.value;
    if (versions.log_directories) record.directories = partition.directories;
    if (versions.eligible_leader_replicas && !eligible.empty())
        record.eligible_leader_replicas = eligible;
    if (versions.eligible_leader_replicas && !last_known.empty())
        record.last_known_elr = last_known;
    return encode_record(record, versions.partition);
}

static void add_topics(const TopicsImage& topics, const RecordVersions& versions,
                       const Sink& sink) {
    for (const auto& [id, topic] : topics.by_id) {
        sink(encode_record(protocol::TopicRecord{topic->name, id}));
        for (const auto& [index, partition] : topic->partitions) {
            sink(record_of(id, index, partition, versions));
        }
    }
}

static void add_configs(const ConfigsImage& configs, const Sink& sink) {
    for (const auto& [resource, entries] : configs.by_resource) {
        for (const auto& [name, value] : *entries) {
            sink(encode_record(protocol::ConfigRecord{static_cast<std::int8_t>(resource.type),
                                                      resource.name, name, value}));
        }
    }
}

static void add_quotas(const ClientQuotasImage& quotas, const Sink& sink) {
    for (const auto& [entity, limits] : quotas.by_entity) {
        std::vector<protocol::ClientQuotaRecord::EntityData> parts;
        for (const auto& [type, name] : entity) {
            parts.push_back(
                {type, name ? protocol::NullableString(*name) : protocol::NullableString()});
        }
        for (const auto& [key, limit] : limits) {
            sink(encode_record(protocol::ClientQuotaRecord{parts, key, limit, false}));
        }
    }
}

static void add_access(const Image& image, const Sink& sink) {
    for (const auto& [id, acl] : image.acls->by_id) {
        sink(encode_record(protocol::AccessControlEntryRecord{
            id, acl.resource_type, acl.resource_name, acl.pattern_type, acl.principal, acl.host,
            acl.operation, acl.permission_type}));
    }
    for (const auto& [user, credential] : image.scram->by_user) {
        sink(encode_record(protocol::UserScramCredentialRecord{
            user.second, user.first, BytesView(credential.salt), BytesView(credential.stored_key),
            BytesView(credential.server_key), credential.iterations}));
    }
    for (const auto& [id, token] : image.delegation_tokens->by_id) {
        const std::vector<std::string_view> renewers(token.renewers.begin(), token.renewers.end());
        sink(encode_record(protocol::DelegationTokenRecord{
            token.owner, token.requester, renewers, token.issue_timestamp_ms,
            token.max_timestamp_ms, token.expiration_timestamp_ms, id}));
    }
}

void emit_records(const Image& image, const std::function<void(RecordValue)>& sink) {
    const RecordVersions versions(image.features->level(kMetadataVersion));
    add_features(*image.features, sink);
    for (const auto& [id, broker] : image.cluster->brokers) sink(record_of(broker, versions));
    if (versions.controller_registration) {
        for (const auto& [id, controller] : image.cluster->controllers) sink(record_of(controller));
    }
    add_topics(*image.topics, versions, sink);
    add_configs(*image.configs, sink);
    add_quotas(*image.client_quotas, sink);
    if (image.next_producer_id > 0)
        sink(encode_record(protocol::ProducerIdsRecord{-1, -1, image.next_producer_id}));
    add_access(image, sink);
}

std::vector<RecordValue> records_of(const Image& image) {
    std::vector<RecordValue> values;
    emit_records(image, [&](RecordValue value) { values.push_back(std::move(value)); });
    return values;
}

}  // namespace milena::metadata
