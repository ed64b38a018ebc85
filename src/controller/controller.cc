// SPDX-License-Identifier: Apache-2.0
// The door: which concern answers which request, and the one place where state changes.
#include "milena/controller/controller.h"

#include <algorithm>

#include "activation.h"
#include "broker_contacts.h"
#include "broker_suspicions.h"
#include "brokers.h"
#include "configs/config_changes.h"
#include "elections.h"
#include "features.h"
#include "milena/metadata/loader.h"
#include "milena/protocol/records/metadata.h"
#include "partition/alter_partition.h"
#include "partition/leader_balance.h"
#include "partition/reassignments.h"
#include "partition/replica_directories.h"
#include "producer_ids.h"
#include "topics/partition_growth.h"
#include "topics/topics.h"
#include "view.h"

namespace milena::controller {

static env::Duration milliseconds(std::int64_t count) {
    return std::chrono::milliseconds(count);
}

/// Once every `period_ms`, or at once again as long as there is more to do than fits one round.
class Periodic {
public:
    Periodic(std::int64_t period_ms, env::Instant now)
        : period_(milliseconds(period_ms)), next_(period_ms > 0 ? now + period_ : env::kNever) {}

    env::Instant next() const { return next_; }
    /// A round that made so many records.
    void ran(std::size_t records, env::Instant now) {
        next_ = records < kElectionsMax ? now + period_ : now;
    }
    void hurry(env::Instant now) { next_ = std::min(next_, now); }
    /// There is something to do, after a time without.
    void begin(env::Instant now) {
        if (next_ <= now) next_ = now + period_;
    }

private:
    env::Duration period_;
    env::Instant next_;
};

struct Controller::State {
    State(const Options& options, const Activation& activation)
        : loader(activation.committed, activation.in_transaction),
          partitions(*activation.committed->topics),
          contacts(milliseconds(options.session_timeout_ms)),
          balance(options.balance_interval_ms, activation.now),
          unclean(options.unclean_interval_ms, activation.now),
          last_record(activation.now) {
        contacts.begin(*activation.committed, activation.now);
        note_sessions();
        suspicions.begin(*activation.committed->cluster, options.node, activation.now);
    }

    /// Costs a look at every broker: only when one has changed its state, and at every tick. What
    /// is heard of brokers in between makes their sessions end later.
    void note_sessions() { first_session_end = contacts.next_expiry(*loader.image()->cluster); }

    View view(const Options& options) const { return {options, *loader.image(), partitions}; }

    metadata::Loader loader;
    PartitionIndexes partitions;
    BrokerContacts contacts;
    /// No session ends before it.
    env::Instant first_session_end{};
    Periodic balance;
    Periodic unclean;
    BrokerSuspicions suspicions;
    env::Instant last_record;
    std::uint64_t sessions_timed_out = 0;
};

Controller::Controller(Options options, env::Random& random)
    : options_(std::move(options)), random_(random) {}
Controller::~Controller() = default;

Records Controller::activate(const Activation& activation) {
    INVARIANT(activation.committed != nullptr, "a controller begins with an image");
    state_ = std::make_unique<State>(options_, activation);
    return activation_records(state_->view(options_), activation);
}

void Controller::resign() {
    state_.reset();
}

const std::shared_ptr<const metadata::Image>& Controller::image() const {
    INVARIANT(is_active(), "only the active controller has a state");
    return state_->loader.image();
}

Result<void> Controller::apply(std::span<const RecordValue> records, Offset first,
                               LeaderEpoch epoch, env::Instant now) {
    INVARIANT(is_active(), "records of a controller that has resigned");
    if (records.empty()) return ok();
    const metadata::Provenance end{first + (static_cast<std::int64_t>(records.size()) - 1), epoch,
                                   -1};
    const std::vector<BytesView> values(records.begin(), records.end());
    TRY_VOID(state_->loader.apply(values, end));
    state_->last_record = now;
    const auto update = state_->loader.take();
    if (!update) return ok();  // inside a transaction
    const bool was_balanced = state_->partitions.imbalanced().empty();
    const bool was_led = state_->partitions.without_leader().empty();
    state_->partitions.update(*update);
    if (was_balanced) state_->balance.begin(now);
    if (was_led) state_->unclean.begin(now);
    note_brokers(*update);
    note_configs(*update);
    return ok();
}

void Controller::note_brokers(const metadata::Update& update) {
    for (const BrokerId id : update.changes.brokers) {
        const auto* const before = update.before->cluster->find_broker(id);
        const auto* const after = update.after->cluster->find_broker(id);
        if (!after) {
            state_->contacts.forget(id);
            state_->suspicions.clear(id);
        } else if (!before || before->epoch != after->epoch) {
            state_->contacts.registered(id, after->epoch, state_->last_record);
            state_->suspicions.clear(id);
        } else if (after->in_controlled_shutdown && !before->in_controlled_shutdown) {
            state_->contacts.shutting_down(id, update.after->provenance.last_offset);
        }
    }
    if (!update.changes.brokers.empty()) state_->note_sessions();
}

/// A topic may allow from now on what it did not before.
void Controller::note_configs(const metadata::Update& update) {
    using metadata::ResourceType;
    const bool is_one = std::ranges::any_of(update.changes.configs, [](const auto& resource) {
        return resource.type == ResourceType::topic || resource.type == ResourceType::broker;
    });
    if (is_one && !state_->partitions.without_leader().empty())
        state_->unclean.hurry(state_->last_record);
}

Decision<CreateTopicsReply> Controller::create_topics(const CreateTopicsRequest& request) const {
    return controller::create_topics(state_->view(options_), request, random_);
}

Decision<std::vector<DeletedTopic>> Controller::delete_topics(
    std::span<const TopicToDelete> topics) const {
    return controller::delete_topics(state_->view(options_), topics);
}

Decision<std::vector<GrownTopic>> Controller::create_partitions(
    const CreatePartitionsRequest& request) const {
    return controller::create_partitions(state_->view(options_), request, random_);
}

Decision<Result<void>> Controller::update_features(const UpdateFeaturesRequest& request,
                                                   std::int16_t kraft_version) const {
    return controller::update_features(state_->view(options_), request, kraft_version);
}

Decision<std::vector<ElectedTopic>> Controller::elect_leaders(
    const ElectLeadersRequest& request) const {
    return controller::elect_leaders(state_->view(options_), request);
}

Decision<std::vector<AlteredResource>> Controller::alter_configs(
    const AlterConfigsRequest& request) const {
    return controller::alter_configs(state_->view(options_), request);
}

Decision<Result<RegisterBrokerReply>> Controller::register_broker(
    const RegisterBrokerRequest& request, Offset next, env::Instant now) const {
    const BrokerKnowledge known{state_->contacts, state_->suspicions, now};
    return controller::register_broker(state_->view(options_), known, request, next);
}

Decision<Result<BrokerHeartbeatReply>> Controller::heartbeat(const BrokerHeartbeatRequest& request,
                                                             env::Instant now) {
    const View view = state_->view(options_);
    if (const auto broker = find_broker(view, request.id, request.epoch); !broker) {
        return {{}, std::unexpected(broker.error())};
    }
    state_->contacts.heartbeat(request.id, request.epoch, request.metadata_offset, now);
    state_->suspicions.clear(request.id);
    auto decision = controller::heartbeat(view, state_->contacts, request);
    // It is told to go: its next incarnation need not wait for its session to end.
    if (decision.reply && decision.reply->should_shut_down) state_->contacts.forget(request.id);
    return decision;
}

Decision<Result<std::vector<AlteredTopic>>> Controller::alter_partition(
    const AlterPartitionRequest& request) const {
    return controller::alter_partition(state_->view(options_), request);
}

Decision<Result<std::vector<AssignedReplica>>> Controller::assign_replicas(
    const AssignReplicasRequest& request) const {
    return controller::assign_replicas(state_->view(options_), request);
}

Decision<Result<std::vector<ReassignedTopic>>> Controller::alter_reassignments(
    const ReassignmentsRequest& request) const {
    return controller::alter_reassignments(state_->view(options_), request);
}

Decision<Result<void>> Controller::unregister_broker(BrokerId broker) const {
    return controller::unregister_broker(state_->view(options_), broker);
}

Decision<Result<void>> Controller::register_controller(
    const RegisterControllerRequest& request) const {
    return controller::register_controller(state_->view(options_), request);
}

Decision<Result<ProducerIdBlock>> Controller::allocate_producer_ids(
    const AllocateProducerIdsRequest& request) const {
    return controller::allocate_producer_ids(state_->view(options_), request);
}

void Controller::heartbeat_connection_lost(BrokerId broker, BrokerEpoch epoch, env::Instant now) {
    // The broker of this node needs no connection, and dies with it.
    if (broker != options_.node) state_->suspicions.connection_lost(broker, epoch, now);
}

std::vector<BrokerProbe> Controller::take_probes(env::Instant now) {
    if (!options_.fast_fencing) return {};
    return state_->suspicions.take_probes(*image()->cluster, now);
}

void Controller::probed(const BrokerProbe& probe, bool is_refused, env::Instant now) {
    state_->suspicions.probed(probe, is_refused, now);
}

std::uint64_t Controller::sessions_timed_out() const {
    return state_->sessions_timed_out;
}

std::map<BrokerId, env::Instant> Controller::last_heard() const {
    std::map<BrokerId, env::Instant> times;
    for (const auto& [id, broker] : image()->cluster->brokers) {
        const Contact* const contact = state_->contacts.find(id, broker.epoch);
        if (!broker.fenced && contact != nullptr) times.emplace(id, contact->last_heard);
    }
    return times;
}

Records Controller::tick(env::Instant now) {
    const View view = state_->view(options_);
    state_->note_sessions();
    if (const auto dead = state_->suspicions.dead(*view.image.cluster)) {
        // Its next incarnation need not wait for a session to end.
        state_->contacts.forget(*dead);
        return fence(view, *view.image.cluster->find_broker(*dead));
    }
    if (const auto silent = state_->contacts.expired(*view.image.cluster, now)) {
        ++state_->sessions_timed_out;
        return fence(view, *view.image.cluster->find_broker(*silent));
    }
    if (Records elected = elections(now); !elected.empty()) return elected;
    if (options_.idle_interval_ms > 0 &&
        now >= state_->last_record + milliseconds(options_.idle_interval_ms)) {
        return {metadata::encode_record(protocol::NoOpRecord{})};
    }
    return {};
}

Records Controller::elections(env::Instant now) {
    const View view = state_->view(options_);
    if (state_->unclean.next() <= now) {
        Records records = elect_uncleanly(view);
        state_->unclean.ran(records.size(), now);
        if (!records.empty()) return records;
    }
    if (state_->balance.next() > now) return {};
    Records records = balance_leaders(view);
    state_->balance.ran(records.size(), now);
    return records;
}

env::Instant Controller::deadline() const {
    const PartitionIndexes& partitions = state_->partitions;
    env::Instant next = state_->first_session_end;
    if (options_.fast_fencing)
        next = std::min(next, state_->suspicions.deadline(*image()->cluster));
    if (!partitions.imbalanced().empty()) next = std::min(next, state_->balance.next());
    if (!partitions.without_leader().empty()) next = std::min(next, state_->unclean.next());
    if (options_.idle_interval_ms > 0)
        next = std::min(next, state_->last_record + milliseconds(options_.idle_interval_ms));
    return next;
}

}  // namespace milena::controller
