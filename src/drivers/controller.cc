// SPDX-License-Identifier: Apache-2.0
// Requests hop to the control thread, are decided there in one go, and park until the published
// image holds all that their answer rests on. Lost leadership answers everything that is parked.
#include "milena/drivers/controller.h"

#include <algorithm>
#include <map>

#include <fmt/ranges.h>

#include "brokers/broker_probe.h"
#include "milena/drivers/metadata_publisher.h"
#include "quorum_description.h"

namespace milena::drivers {
namespace {

using controller::Decision;
using controller::RecordValue;
using Records = std::vector<RecordValue>;

template <class T>
Result<T> as_result(T reply) {
    return reply;
}
template <class T>
Result<T> as_result(Result<T> reply) {
    return reply;
}

class Host final : public ControllerHost, public std::enable_shared_from_this<Host> {
public:
    Host(env::Env& env, Logger logger, controller::Options options, Quorum& quorum,
         MetadataPublisher& publisher)
        : env_(env),
          log_(std::move(logger)),
          quorum_(quorum),
          publisher_(publisher),
          core_(std::move(options), env.random()),
          pause_(env, env.control()) {}

    void start() {
        publisher_.follow([weak = weak_from_this()](const metadata::Update& update) {
            if (const auto host = weak.lock()) host->on_image(update);
        });
        env::spawn(env_.control(), keep_time(shared_from_this()));
    }

    void stop() override {
        stopping_ = true;
        resign();
        pause_.notify();
    }
    bool is_active() const override { return core_.is_active(); }
    BrokerFigures broker_figures() const override;
    void connection_lost(BrokerId broker, BrokerEpoch epoch) override;

    env::Task<Result<controller::CreateTopicsReply>> create_topics(
        controller::CreateTopicsRequest request, env::Instant deadline) override {
        return ask<controller::CreateTopicsReply>(
            deadline,
            [this, request = std::move(request)](Offset) { return core_.create_topics(request); });
    }
    env::Task<Result<std::vector<controller::DeletedTopic>>> delete_topics(
        std::vector<controller::TopicToDelete> topics, env::Instant deadline) override {
        return ask<std::vector<controller::DeletedTopic>>(
            deadline,
            [this, topics = std::move(topics)](Offset) { return core_.delete_topics(topics); });
    }
    env::Task<Result<std::vector<controller::GrownTopic>>> create_partitions(
        controller::CreatePartitionsRequest request, env::Instant deadline) override {
        return ask<std::vector<controller::GrownTopic>>(
            deadline, [this, request = std::move(request)](Offset) {
                return core_.create_partitions(request);
            });
    }
    env::Task<Result<void>> update_features(controller::UpdateFeaturesRequest request,
                                            env::Instant deadline) override {
        return ask<void>(deadline, [this, request = std::move(request)](Offset) {
            return core_.update_features(request, quorum_.status().kraft_version);
        });
    }
    env::Task<Result<std::vector<controller::ElectedTopic>>> elect_leaders(
        controller::ElectLeadersRequest request, env::Instant deadline) override {
        return ask<std::vector<controller::ElectedTopic>>(
            deadline,
            [this, request = std::move(request)](Offset) { return core_.elect_leaders(request); });
    }
    env::Task<Result<controller::QuorumDescription>> describe_quorum(
        env::Instant deadline) override {
        return ask<controller::QuorumDescription>(deadline, [this](Offset) {
            return Decision<controller::QuorumDescription>{
                {},
                quorum_description(quorum_.status(), quorum_.progress(),
                                   {env_.clock().now(), env_.clock().wall()})};
        });
    }
    env::Task<Result<std::vector<controller::AlteredResource>>> alter_configs(
        controller::AlterConfigsRequest request, env::Instant deadline) override {
        return ask<std::vector<controller::AlteredResource>>(
            deadline,
            [this, request = std::move(request)](Offset) { return core_.alter_configs(request); });
    }
    env::Task<Result<controller::RegisterBrokerReply>> register_broker(
        controller::RegisterBrokerRequest request, env::Instant deadline) override {
        return ask<controller::RegisterBrokerReply>(
            deadline, [this, request = std::move(request)](Offset next) {
                return core_.register_broker(request, next, env_.clock().now());
            });
    }
    env::Task<Result<controller::BrokerHeartbeatReply>> heartbeat(
        controller::BrokerHeartbeatRequest request, env::Instant deadline) override {
        return ask<controller::BrokerHeartbeatReply>(
            deadline, [this, request = std::move(request)](Offset) {
                return core_.heartbeat(request, env_.clock().now());
            });
    }
    env::Task<Result<std::vector<controller::AlteredTopic>>> alter_partition(
        controller::AlterPartitionRequest request, env::Instant deadline) override {
        return ask<std::vector<controller::AlteredTopic>>(
            deadline, [this, request = std::move(request)](Offset) {
                return core_.alter_partition(request);
            });
    }
    env::Task<Result<std::vector<controller::AssignedReplica>>> assign_replicas(
        controller::AssignReplicasRequest request, env::Instant deadline) override {
        return ask<std::vector<controller::AssignedReplica>>(
            deadline, [this, request = std::move(request)](Offset) {
                return core_.assign_replicas(request);
            });
    }
    env::Task<Result<std::vector<controller::ReassignedTopic>>> alter_reassignments(
        controller::ReassignmentsRequest request, env::Instant deadline) override {
        return ask<std::vector<controller::ReassignedTopic>>(
            deadline, [this, request = std::move(request)](Offset) {
                return core_.alter_reassignments(request);
            });
    }
    env::Task<Result<void>> unregister_broker(BrokerId broker, env::Instant deadline) override {
        return ask<void>(deadline,
                         [this, broker](Offset) { return core_.unregister_broker(broker); });
    }
    env::Task<Result<void>> register_controller(controller::RegisterControllerRequest request,
                                                env::Instant deadline) override {
        return ask<void>(deadline, [this, request = std::move(request)](Offset) {
            return core_.register_controller(request);
        });
    }
    env::Task<Result<controller::ProducerIdBlock>> allocate_producer_ids(
        controller::AllocateProducerIdsRequest request, env::Instant deadline) override {
        return ask<controller::ProducerIdBlock>(
            deadline, [this, request](Offset) { return core_.allocate_producer_ids(request); });
    }

    void on_snapshot(const MetadataSnapshot& snapshot) override;
    void on_committed(std::span<const MetadataBatch>) override {}  // heard of as images
    void on_leader_change(LeaderEpoch epoch, BrokerId leader, bool is_self) override;
    void on_failed(const Error&) override { resign(); }

private:
    /// A request whose answer is known and waits until all that it rests on is committed.
    struct Parked {
        Parked(env::Env& env) : wakeup(env, env.control()) {}
        env::Wakeup wakeup;
        bool is_lost = false;
    };

    template <class Reply, class Decide>
    env::Task<Result<Reply>> ask(env::Instant deadline, Decide decide) {
        return env::run_on(env_.control(),
                           answer<Reply>(shared_from_this(), deadline, std::move(decide)));
    }
    template <class Reply, class Decide>
    static env::Task<Result<Reply>> answer(std::shared_ptr<Host> self, env::Instant deadline,
                                           Decide decide);

    Result<Offset> commit(Records records);
    env::Task<Result<void>> wait_until_committed(Offset offset, env::Instant deadline);
    void on_image(const metadata::Update& update);
    void log_brokers(const metadata::Update& update) const;
    void log_losses(const metadata::Update& update) const;
    void activate(LeaderEpoch epoch);
    void resign();
    static env::Task<void> keep_time(std::shared_ptr<Host> self);
    void tick();
    static env::Task<void> probe(std::shared_ptr<Host> self, controller::BrokerProbe probe);

    env::Env& env_;
    Logger log_;
    Quorum& quorum_;
    MetadataPublisher& publisher_;
    controller::Controller core_;
    Records bootstrap_;
    LeaderEpoch epoch_ = kNoLeaderEpoch;
    std::uint64_t activations_ = 0;  ///< how often this node has become controller
    std::multimap<Offset, Parked*> parked_;
    env::Wakeup pause_;  ///< of keep_time
    env::Instant next_tick_ = env::kNever;
    bool stopping_ = false;
};

bool contains(const auto& brokers, BrokerId broker) {
    return std::ranges::find(brokers, broker) != brokers.end();
}

/// Who leads or led last, as far as it is known.
BrokerId last_leader(const metadata::PartitionRegistration& partition) {
    if (partition.leader != kNoBroker) return partition.leader;
    const auto& last_known = partition.last_known_eligible_leader_replicas;
    return last_known.empty() ? kNoBroker : last_known.front();
}

/// Those that are known to have all records.
std::vector<BrokerId> holders(const metadata::PartitionRegistration& partition) {
    std::vector<BrokerId> all = partition.in_sync_replicas.to_vector();
    all.insert(all.end(), partition.eligible_leader_replicas.begin(),
               partition.eligible_leader_replicas.end());
    return all;
}

constexpr env::Duration kRetryTick = std::chrono::milliseconds(50);

std::unexpected<Error> not_controller() {
    return fail(ErrorCode::not_controller, "this node is not the active controller");
}

template <class Reply, class Decide>
env::Task<Result<Reply>> Host::answer(std::shared_ptr<Host> self, env::Instant deadline,
                                      Decide decide) {
    if (!self->core_.is_active()) co_return not_controller();
    if (self->parked_.size() >= kParkedMax) {
        co_return fail(ErrorCode::throttling_quota_exceeded,
                       "too many requests wait for the controller");
    }
    auto decision = decide(self->quorum_.status().log_end_offset);
    // Whoever gave no time at all, or too little, hears that nothing was done.
    if (!decision.records.empty() && self->env_.clock().now() >= deadline)
        co_return fail(ErrorCode::request_timed_out, {});
    // Without records of its own an answer still rests on what others decided just before.
    Offset rests_on = self->core_.image()->provenance.last_offset;
    if (!decision.records.empty()) {
        CO_TRY(rests_on, self->commit(std::move(decision.records)));
    }
    CO_TRY_VOID(co_await self->wait_until_committed(rests_on, deadline));
    co_return as_result(std::move(decision.reply));
}

Result<Offset> Host::commit(Records records) {
    const Offset next = quorum_.status().log_end_offset;
    TRY(const AppendedRange range, quorum_.schedule(epoch_, records));
    INVARIANT(range.base_offset == next, "somebody wrote between a decision and its records");
    const Result<void> applied =
        core_.apply(records, range.base_offset, epoch_, env_.clock().now());
    INVARIANT(applied.has_value(), "the controller can't apply its own records");
    if (core_.deadline() < next_tick_) pause_.notify();
    return range.last_offset;
}

env::Task<Result<void>> Host::wait_until_committed(Offset offset, env::Instant deadline) {
    if (publisher_.image()->provenance.last_offset >= offset) co_return ok();
    Parked parked(env_);
    const auto place = parked_.emplace(offset, &parked);
    while (!parked.is_lost && publisher_.image()->provenance.last_offset < offset) {
        const bool was_woken = co_await parked.wakeup.wait_until(deadline);
        if (!was_woken) break;
    }
    parked_.erase(place);
    if (parked.is_lost) co_return not_controller();
    if (publisher_.image()->provenance.last_offset >= offset) co_return ok();
    co_return fail(ErrorCode::request_timed_out,
                   fmt::format("offset {} was not committed in time", offset));
}

void Host::on_image(const metadata::Update& update) {
    const auto committed = parked_.upper_bound(update.after->provenance.last_offset);
    for (auto at = parked_.begin(); at != committed; ++at) at->second->wakeup.notify();
    if (!core_.is_active()) return;
    log_brokers(update);
    log_losses(update);
}

void Host::log_brokers(const metadata::Update& update) const {
    for (const BrokerId id : update.changes.brokers) {
        const auto* const before = update.before->cluster->find_broker(id);
        const auto* const after = update.after->cluster->find_broker(id);
        if (!after) {
            LOG_INFO(log_, "broker unregistered", kv("broker", id));
        } else if (!before || before->epoch != after->epoch) {
            LOG_INFO(log_, "broker registered", kv("broker", id), kv("broker_epoch", after->epoch));
        } else if (before->fenced != after->fenced) {
            LOG_INFO(log_, after->fenced ? "broker fenced" : "broker unfenced", kv("broker", id),
                     kv("broker_epoch", after->epoch));
        }
    }
}

/// Every election that may have lost records, with who had them.
void Host::log_losses(const metadata::Update& update) const {
    using Partitions = decltype(metadata::TopicImage::partitions);
    for (const Uuid& id : update.changes.topics) {
        const auto before = update.before->topics->find(id);
        const auto after = update.after->topics->find(id);
        if (!before || !after) continue;
        const Partitions& old = before->partitions;
        old.for_each_difference(after->partitions, [&](PartitionIndex index, const auto* was,
                                                       const auto* now) {
            const bool is_loss = was && now && now->is_recovering && now->leader != kNoBroker &&
                                 now->leader != was->leader &&
                                 !contains(was->in_sync_replicas, now->leader) &&
                                 !contains(was->eligible_leader_replicas, now->leader);
            if (!is_loss) return;
            LOG_WARN(log_, "unclean leader election: records that the new leader lacks are lost",
                     kv("topic", after->name), kv("partition", index), kv("leader", now->leader),
                     kv("leader_epoch", now->leader_epoch), kv("old_leader", last_leader(*was)),
                     kv("had_all", fmt::format("{}", fmt::join(holders(*was), ","))));
        });
    }
}

void Host::on_snapshot(const MetadataSnapshot& snapshot) {
    if (snapshot.end_offset.value != 0) return;
    bootstrap_.clear();
    for (const MetadataBatch& batch : snapshot.batches) {
        for (const BytesView value : batch.values)
            bootstrap_.emplace_back(value.begin(), value.end());
    }
}

void Host::on_leader_change(LeaderEpoch epoch, BrokerId, bool is_self) {
    if (core_.is_active() && is_self && epoch == epoch_) return;
    resign();
    if (is_self && !stopping_) activate(epoch);
}

void Host::activate(LeaderEpoch epoch) {
    epoch_ = epoch;
    ++activations_;
    Records records = core_.activate({.committed = publisher_.image(),
                                      .in_transaction = publisher_.in_transaction(),
                                      .bootstrap = bootstrap_,
                                      .now = env_.clock().now()});
    if (!records.empty()) {
        if (const auto written = commit(std::move(records)); !written) {
            LOG_WARN(log_, "could not begin as controller", kv("leader_epoch", epoch),
                     kv("why", written.error().why));
            core_.resign();
            return;
        }
    }
    LOG_INFO(log_, "became controller", kv("leader_epoch", epoch),
             kv("offset", publisher_.image()->provenance.last_offset));
    pause_.notify();
}

void Host::resign() {
    if (!core_.is_active()) return;
    core_.resign();
    for (const auto& [offset, parked] : parked_) {
        parked->is_lost = true;
        parked->wakeup.notify();
    }
    LOG_INFO(log_, "is no longer controller", kv("leader_epoch", epoch_));
}

env::Task<void> Host::keep_time(std::shared_ptr<Host> self) {
    while (!self->stopping_) {
        self->tick();
        co_await self->pause_.wait_until(self->next_tick_);
    }
}

void Host::tick() {
    next_tick_ = env::kNever;
    if (!core_.is_active()) return;
    const env::Instant now = env_.clock().now();
    for (auto& probed : core_.take_probes(now))
        env::spawn(env_.control(), probe(shared_from_this(), std::move(probed)));
    Records due = core_.deadline() <= now ? core_.tick(now) : Records();
    const bool is_refused = !due.empty() && !commit(std::move(due));
    next_tick_ = is_refused ? now + kRetryTick : core_.deadline();
}

env::Task<void> Host::probe(std::shared_ptr<Host> self, controller::BrokerProbe probe) {
    const std::uint64_t activation = self->activations_;
    const bool is_refused = co_await refuses_everywhere(self->env_, probe.endpoints);
    if (!self->core_.is_active() || activation != self->activations_) co_return;
    LOG_DEBUG(self->log_, "probed a broker that has no connection", kv("broker", probe.broker),
              kv("is_refused", is_refused));
    self->core_.probed(probe, is_refused, self->env_.clock().now());
    self->pause_.notify();
}

void Host::connection_lost(BrokerId broker, BrokerEpoch epoch) {
    env::post(env_.control(), [weak = weak_from_this(), broker, epoch] {
        const auto host = weak.lock();
        if (host == nullptr || !host->core_.is_active()) return;
        host->core_.heartbeat_connection_lost(broker, epoch, host->env_.clock().now());
        host->pause_.notify();
    });
}

BrokerFigures Host::broker_figures() const {
    BrokerFigures figures;
    if (!core_.is_active()) return figures;
    figures.sessions_timed_out = core_.sessions_timed_out();
    const env::Instant now = env_.clock().now();
    for (const auto& [id, heard] : core_.last_heard()) figures.silence.emplace(id, now - heard);
    return figures;
}

}  // namespace

std::shared_ptr<ControllerHost> ControllerHost::make(env::Env& env, Logger logger,
                                                     controller::Options options, Quorum& quorum,
                                                     MetadataPublisher& publisher) {
    auto host =
        std::make_shared<Host>(env, std::move(logger), std::move(options), quorum, publisher);
    host->start();
    return host;
}

}  // namespace milena::drivers
