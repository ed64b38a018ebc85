// SPDX-License-Identifier: Apache-2.0
// Applies registrations: a record about a broker must name the epoch that is registered.
#include "cluster_delta.h"

namespace milena::metadata {

template <class Endpoints>
static std::vector<BrokerEndpoint> endpoints_of(const Endpoints& endpoints) {
    std::vector<BrokerEndpoint> result;
    for (const auto& endpoint : endpoints) {
        result.push_back({std::string(endpoint.name), std::string(endpoint.host), endpoint.port,
                          endpoint.security_protocol});
    }
    return result;
}

template <class Features>
static std::map<std::string, VersionRange> features_of(const Features& features) {
    std::map<std::string, VersionRange> result;
    for (const auto& feature : features) {
        result.insert_or_assign(
            std::string(feature.name),
            VersionRange{feature.min_supported_version, feature.max_supported_version});
    }
    return result;
}

static std::vector<Uuid> copy(protocol::Array<Uuid> ids) {
    return {ids.begin(), ids.end()};
}

Result<void> ClusterDelta::apply(const protocol::RegisterBrokerRecord& record) {
    BrokerRegistration broker;
    broker.id = BrokerId(record.broker_id);
    broker.epoch = BrokerEpoch(record.broker_epoch);
    broker.incarnation_id = record.incarnation_id;
    broker.endpoints = endpoints_of(record.end_points);
    broker.features = features_of(record.features);
    if (record.rack) broker.rack = std::string(*record.rack);
    broker.fenced = record.fenced;
    broker.in_controlled_shutdown = record.in_controlled_shutdown;
    broker.log_directories = copy(record.log_dirs);
    if (record.cordoned_log_dirs.has_value())
        broker.cordoned_log_directories = copy(record.cordoned_log_dirs);
    changes_.brokers.insert(broker.id);
    brokers().set(broker.id, std::move(broker));
    return ok();
}

ClusterDelta::Brokers::Editor& ClusterDelta::brokers() {
    if (!brokers_) brokers_.emplace(part_.now().brokers);
    return *brokers_;
}

const BrokerRegistration* ClusterDelta::find_broker(BrokerId id) const {
    return brokers_ ? brokers_->find(id) : part_.now().find_broker(id);
}

std::shared_ptr<const ClusterImage> ClusterDelta::finish() && {
    if (brokers_) part_.edit().brokers = std::move(*brokers_).finish();
    return std::move(part_).finish();
}

Result<BrokerRegistration*> ClusterDelta::edit_broker(std::int32_t id, std::int64_t epoch) {
    const BrokerRegistration* const broker = find_broker(BrokerId(id));
    if (!broker) return contradiction("a record about broker {}, which is not registered", id);
    if (broker->epoch.value != epoch) {
        return contradiction("a record about epoch {} of broker {}, whose epoch is {}", epoch, id,
                             broker->epoch);
    }
    changes_.brokers.insert(BrokerId(id));
    return brokers().edit(BrokerId(id));
}

Result<void> ClusterDelta::apply(const protocol::UnregisterBrokerRecord& record) {
    TRY_VOID(edit_broker(record.broker_id, record.broker_epoch));
    brokers().erase(BrokerId(record.broker_id));
    return ok();
}

Result<void> ClusterDelta::apply(const protocol::FenceBrokerRecord& record) {
    TRY(BrokerRegistration* const broker, edit_broker(record.id, record.epoch));
    broker->fenced = true;
    return ok();
}

Result<void> ClusterDelta::apply(const protocol::UnfenceBrokerRecord& record) {
    TRY(BrokerRegistration* const broker, edit_broker(record.id, record.epoch));
    broker->fenced = false;
    return ok();
}

Result<void> ClusterDelta::apply(const protocol::BrokerRegistrationChangeRecord& record) {
    TRY(BrokerRegistration* const broker, edit_broker(record.broker_id, record.broker_epoch));
    if (record.fenced != 0) broker->fenced = record.fenced > 0;
    if (record.in_controlled_shutdown != 0) broker->in_controlled_shutdown = true;
    if (!record.log_dirs.empty()) broker->log_directories = copy(record.log_dirs);
    if (record.cordoned_log_dirs.has_value())
        broker->cordoned_log_directories = copy(record.cordoned_log_dirs);
    return ok();
}

Result<void> ClusterDelta::apply(const protocol::RegisterControllerRecord& record) {
    ControllerRegistration controller;
    controller.id = BrokerId(record.controller_id);
    controller.incarnation_id = record.incarnation_id;
    controller.endpoints = endpoints_of(record.end_points);
    controller.features = features_of(record.features);
    changes_.controllers.insert(controller.id);
    part_.edit().controllers.insert_or_assign(controller.id, std::move(controller));
    return ok();
}

Result<void> ClusterDelta::apply(const protocol::UnregisterControllerRecord& record) {
    const BrokerId id(record.controller_id);
    if (!part_.now().controllers.contains(id)) {
        return contradiction("controller {} leaves, which is not registered", id);
    }
    part_.edit().controllers.erase(id);
    changes_.controllers.insert(id);
    return ok();
}

}  // namespace milena::metadata
