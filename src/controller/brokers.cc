// SPDX-License-Identifier: Apache-2.0
// Decides about registrations and heartbeats: which state a broker is to have, and the records that
// bring it there. What becomes of its partitions is decided in partitions.cc.
#include "brokers.h"

#include <set>

#include <fmt/format.h>

#include "milena/protocol/records/metadata.h"
#include "partitions.h"

namespace milena::controller {

using metadata::BrokerRegistration;
using protocol::BrokerRegistrationChangeRecord;

/// The first hundred ids mean something else than a directory (KIP-858).
static constexpr std::uint64_t kReservedDirectories = 100;

/// UNSUPPORTED_VERSION if a finalized feature has a level that the node can't do.
static Result<void> check_features(const View& view,
                                   const std::map<std::string, metadata::VersionRange>& features) {
    for (const auto& [name, level] : view.image.features->levels) {
        const auto at = features.find(name);
        const metadata::VersionRange range =
            at != features.end() ? at->second : metadata::VersionRange{};
        if (level < range.min || level > range.max) {
            return fail(
                ErrorCode::unsupported_version,
                fmt::format("feature {} has level {} in this cluster, the node supports {} to {}",
                            name, level, range.min, range.max));
        }
    }
    return ok();
}

/// INVALID_REGISTRATION if there are none, one is named twice or has a reserved id, or another
/// broker has it (KIP-858).
static Result<void> check_log_directories(const View& view, BrokerId broker,
                                          const std::vector<Uuid>& directories) {
    const auto invalid = [](std::string why) {
        return fail(ErrorCode::invalid_registration, std::move(why));
    };
    if (!view.versions().log_directories) return ok();
    if (directories.empty()) return invalid("the broker names no log directories");
    std::set<Uuid> own;
    for (const Uuid directory : directories) {
        if (directory.high == 0 && directory.low < kReservedDirectories)
            return invalid(fmt::format("log directory id {} is reserved", directory));
        if (!own.insert(directory).second)
            return invalid(fmt::format("log directory {} is named twice", directory));
    }
    for (const auto& [id, other] : view.image.cluster->brokers) {
        if (id == broker) continue;
        for (const Uuid directory : other.log_directories) {
            if (own.contains(directory)) {
                return invalid(
                    fmt::format("log directory {} is registered by broker {}", directory, id));
            }
        }
    }
    return ok();
}

/// Whether the incarnation that is registered may still be alive.
static Result<void> check_not_alive(const View& view, const BrokerKnowledge& known,
                                    const RegisterBrokerRequest& request,
                                    const BrokerRegistration& old) {
    const Contact* const contact = known.contacts.find(old.id, old.epoch);
    if (!contact || old.in_controlled_shutdown ||
        !known.contacts.has_session(old.id, old.epoch, known.now))
        return ok();
    // Nothing connects it any more, and where it listened another process does.
    const bool is_replaced = known.suspicions.is_cut_off(old.id, old.epoch, known.now) &&
                             request.endpoints == old.endpoints;
    if (view.options.fast_fencing && is_replaced) return ok();
    // Without a heartbeat yet there are two that we know to be gone: one that never got as far as
    // being of use, and the last process of this very node, whose place we are in.
    if (!contact->sent_heartbeat && (old.fenced || old.id == view.options.node)) return ok();
    return fail(
        ErrorCode::duplicate_broker_registration,
        fmt::format("broker {} is registered by another incarnation, whose session has not ended",
                    old.id));
}

static Result<void> check_registration(const View& view, const BrokerKnowledge& known,
                                       const RegisterBrokerRequest& request) {
    if (request.cluster_id != view.options.cluster_id) {
        return fail(ErrorCode::inconsistent_cluster_id,
                    fmt::format("broker {} belongs to cluster {}, this is {}", request.id,
                                request.cluster_id, view.options.cluster_id));
    }
    if (request.is_migrating_zk_broker) {
        return fail(ErrorCode::unsupported_version,
                    "brokers of a ZooKeeper cluster can't be registered");
    }
    const BrokerRegistration* const old = view.image.cluster->find_broker(request.id);
    if (old && old->incarnation_id != request.incarnation_id)
        TRY_VOID(check_not_alive(view, known, request, *old));
    TRY_VOID(check_log_directories(view, request.id, request.log_directories));
    return check_features(view, request.features);
}

Decision<Result<RegisterBrokerReply>> register_broker(const View& view,
                                                      const BrokerKnowledge& known,
                                                      const RegisterBrokerRequest& request,
                                                      Offset next) {
    if (const Result<void> checked = check_registration(view, known, request); !checked) {
        return {{}, std::unexpected(checked.error())};
    }
    BrokerRegistration broker;
    broker.id = request.id;
    broker.epoch = BrokerEpoch(next.value);
    broker.incarnation_id = request.incarnation_id;
    broker.endpoints = request.endpoints;
    broker.features = request.features;
    broker.rack = request.rack;
    broker.log_directories = request.log_directories;
    const BrokerRegistration* const old = view.image.cluster->find_broker(request.id);
    const bool is_repeated = old && old->incarnation_id == request.incarnation_id;
    if (is_repeated) {
        broker.epoch = old->epoch;
        broker.fenced = old->fenced;
        broker.in_controlled_shutdown = old->in_controlled_shutdown;
        broker.cordoned_log_directories = old->cordoned_log_directories;
    }
    Records records{metadata::record_of(broker, view.versions())};
    if (old && !is_repeated) {
        const bool stopped_cleanly = request.previous_epoch == old->epoch;
        append(records, partition_changes(
                            view, request.id,
                            stopped_cleanly ? BrokerEvent::leaves : BrokerEvent::leaves_uncleanly));
    }
    return {std::move(records), RegisterBrokerReply{broker.epoch}};
}

Result<const BrokerRegistration*> find_broker(const View& view, BrokerId id, BrokerEpoch epoch) {
    const BrokerRegistration* const broker = view.image.cluster->find_broker(id);
    if (!broker)
        return fail(ErrorCode::broker_id_not_registered,
                    fmt::format("broker {} is not registered", id));
    if (broker->epoch != epoch) {
        return fail(ErrorCode::stale_broker_epoch,
                    fmt::format("broker {} is of epoch {}, the request is of {}", id, broker->epoch,
                                epoch));
    }
    return broker;
}

static BrokerRegistrationChangeRecord change_of(const BrokerRegistration& broker) {
    BrokerRegistrationChangeRecord record;
    record.broker_id = broker.id.value;
    record.broker_epoch = broker.epoch.value;
    return record;
}

Records fence(const View& view, const BrokerRegistration& broker) {
    Records records = partition_changes(view, broker.id, BrokerEvent::leaves);
    auto change = change_of(broker);
    change.fenced = 1;
    records.push_back(metadata::encode_record(change, 0));
    return records;
}

static Records unfence(const View& view, const BrokerRegistration& broker) {
    auto change = change_of(broker);
    change.fenced = -1;
    Records records{metadata::encode_record(change, 0)};
    append(records, partition_changes(view, broker.id, BrokerEvent::joins));
    return records;
}

static Records begin_shutdown(const View& view, const BrokerRegistration& broker) {
    auto change = change_of(broker);
    change.in_controlled_shutdown = 1;
    Records records{metadata::encode_record(change, 1)};
    append(records, partition_changes(view, broker.id, BrokerEvent::leaves));
    return records;
}

/// Directories that failed: what was in them is led elsewhere.
static Records directory_failure(const View& view, const BrokerRegistration& broker,
                                 const std::vector<Uuid>& offline) {
    std::vector<Uuid> online;
    for (const Uuid directory : broker.log_directories) {
        if (!contains(offline, directory)) online.push_back(directory);
    }
    // A broker without any directory stops by itself, and an empty list would say that nothing
    // changed.
    if (online.size() == broker.log_directories.size() || online.empty()) return {};
    auto change = change_of(broker);
    change.log_dirs = online;
    Records records{metadata::encode_record(change, 2)};
    append(records, directory_failure_changes(view, broker.id, offline));
    return records;
}

/// Directories that take no new replicas (KIP-1066).
static Records cordon(const View& view, const BrokerRegistration& broker,
                      const std::optional<std::vector<Uuid>>& cordoned) {
    if (!view.versions().cordoned_log_directories || !cordoned ||
        cordoned == broker.cordoned_log_directories)
        return {};
    auto change = change_of(broker);
    change.cordoned_log_dirs = *cordoned;
    return {metadata::encode_record(change, 3)};
}

enum class BrokerState { fenced, unfenced, controlled_shutdown, shutdown_now };

/// Whether a broker that is shutting down has nothing left to hand over: it leads nothing, and all
/// that serve know that.
static bool may_stop(const View& view, const BrokerContacts& contacts,
                     const BrokerRegistration& broker) {
    if (view.partitions.leads_any(broker.id)) return false;
    const Contact* const contact = contacts.find(broker.id, broker.epoch);
    INVARIANT(contact != nullptr, "a heartbeat that was not noted");
    return !contact->shutdown_offset ||
           *contact->shutdown_offset <= contacts.lowest_active_offset(*view.image.cluster);
}

static BrokerState next_state(const View& view, const BrokerContacts& contacts,
                              const BrokerRegistration& broker,
                              const BrokerHeartbeatRequest& request) {
    if (broker.fenced) {
        if (request.want_shutdown) return BrokerState::shutdown_now;
        const bool is_caught_up = request.metadata_offset.value >= broker.epoch.value;
        // An incarnation that was on its way out does not come back.
        const bool may_serve =
            !request.want_fence && is_caught_up && !broker.in_controlled_shutdown;
        return may_serve ? BrokerState::unfenced : BrokerState::fenced;
    }
    if (request.want_fence)
        return request.want_shutdown ? BrokerState::shutdown_now : BrokerState::fenced;
    if (!request.want_shutdown && !broker.in_controlled_shutdown) return BrokerState::unfenced;
    if (!may_stop(view, contacts, broker)) return BrokerState::controlled_shutdown;
    return BrokerState::shutdown_now;
}

Decision<Result<BrokerHeartbeatReply>> heartbeat(const View& view, const BrokerContacts& contacts,
                                                 const BrokerHeartbeatRequest& request) {
    const auto found = find_broker(view, request.id, request.epoch);
    if (!found) return {{}, std::unexpected(found.error())};
    const BrokerRegistration& broker = **found;
    const BrokerState state = next_state(view, contacts, broker, request);

    const bool is_fenced = state == BrokerState::fenced || state == BrokerState::shutdown_now;
    Records records = cordon(view, broker, request.cordoned_log_directories);
    if (is_fenced && !broker.fenced) {
        append(records, fence(view, broker));
    } else if (state == BrokerState::unfenced && broker.fenced) {
        append(records, unfence(view, broker));
    } else if (state == BrokerState::controlled_shutdown && !broker.in_controlled_shutdown) {
        append(records, begin_shutdown(view, broker));
    } else {
        // One cause of changes of partitions at a time, as each looks at the same image; the next
        // heartbeat says it again.
        append(records, directory_failure(view, broker, request.offline_log_directories));
    }
    return {
        std::move(records),
        BrokerHeartbeatReply{.is_caught_up = request.metadata_offset.value >= broker.epoch.value,
                             .is_fenced = is_fenced,
                             .should_shut_down = state == BrokerState::shutdown_now}};
}

Decision<Result<void>> unregister_broker(const View& view, BrokerId id) {
    const BrokerRegistration* const broker = view.image.cluster->find_broker(id);
    if (!broker) {
        return {{},
                fail(ErrorCode::broker_id_not_registered,
                     fmt::format("Broker ID {} is not currently registered", id))};
    }
    Records records = partition_changes(view, id, BrokerEvent::leaves);
    records.push_back(
        metadata::encode_record(protocol::UnregisterBrokerRecord{id.value, broker->epoch.value}));
    return {std::move(records), ok()};
}

Decision<Result<void>> register_controller(const View& view,
                                           const RegisterControllerRequest& request) {
    if (!view.versions().controller_registration) {
        return {{},
                fail(ErrorCode::unsupported_version,
                     "the metadata.version has no registrations of controllers")};
    }
    if (Result<void> checked = check_features(view, request.features); !checked)
        return {{}, std::move(checked)};
    const metadata::ControllerRegistration controller{request.id, request.incarnation_id,
                                                      request.endpoints, request.features};
    const auto old = view.image.cluster->controllers.find(request.id);
    if (old != view.image.cluster->controllers.end() && old->second == controller)
        return {{}, ok()};
    return {{metadata::record_of(controller)}, ok()};
}

}  // namespace milena::controller
