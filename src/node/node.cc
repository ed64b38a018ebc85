// SPDX-License-Identifier: Apache-2.0
// A node, broker or controller or both, from its directories up. Each start_ step needs the ones
// before it; stop() undoes them from the end.
#include "milena/node/node.h"

#include <algorithm>

#include <fmt/format.h>

#include "admin_pages.h"
#include "directories.h"
#include "metrics.h"
#include "milena/base/invariant.h"
#include "milena/drivers/active_controller.h"
#include "milena/drivers/broker_lifecycle.h"
#include "milena/drivers/checkpoints.h"
#include "milena/drivers/controller.h"
#include "milena/drivers/controller_registration.h"
#include "milena/drivers/directory_failures.h"
#include "milena/drivers/directory_moves.h"
#include "milena/drivers/directory_reports.h"
#include "milena/drivers/fetchers.h"
#include "milena/drivers/forwarding.h"
#include "milena/drivers/group_coordinator.h"
#include "milena/drivers/group_lag.h"
#include "milena/drivers/isr_changes.h"
#include "milena/drivers/listener_check.h"
#include "milena/drivers/log_cleaner.h"
#include "milena/drivers/materialiser.h"
#include "milena/drivers/metadata_publisher.h"
#include "milena/drivers/producer_expiration.h"
#include "milena/drivers/quorum.h"
#include "milena/drivers/registration_times.h"
#include "milena/drivers/replica_driver.h"
#include "milena/drivers/retention.h"
#include "milena/drivers/snapshots.h"
#include "milena/drivers/syncs.h"
#include "milena/metadata/features.h"
#include "settings.h"
#include "throttles.h"

namespace milena::node {
namespace {

class WholeNode final : public Node {
public:
    WholeNode(env::Env& env, NodeOptions options)
        : env_(env),
          log_(options.log),
          config_(std::move(options.config)),
          memory_limit_(options.memory_limit),
          throttles_(config_),
          pages_(env, health_, metrics_),
          served_(env),
          lost_leaders_(env.clock()),
          producer_ids_(env,
                        [this](env::Instant deadline) {
                            return active_->allocate_producer_ids(
                                {config_.node_id, lifecycle_->epoch()}, deadline);
                        }),
          publisher_(env, log_, [this](const Error& why) { give_up(why); }),
          registration_times_(config_.node_id),
          make_state_store_(std::move(options.make_state_store)),
          on_failure_(std::move(options.on_failure)) {
        metrics_.add([this](telemetry::Page& page) { write_health(page, health_); });
        if (config_.is_broker) {
            metrics_.add([this](telemetry::Page& page) {
                throttles_.write_metrics(page, env_.clock().now());
            });
        }
        if (options.process_metrics) metrics_.add(std::move(options.process_metrics));
    }

    env::Task<Result<void>> start() override {
        CO_TRY_VOID(start_admin());
        CO_TRY_VOID(co_await start_storage());
        CO_TRY_VOID(co_await start_quorum());
        CO_TRY_VOID(start_controller());
        if (config_.is_broker) CO_TRY_VOID(co_await start_broker());
        health_.become(LifeStage::ready);
        co_return ok();
    }

    env::Task<void> stop() override {
        health_.become(LifeStage::stopping);
        if (lifecycle_ != nullptr && lifecycle_->epoch() != BrokerEpoch(-1))
            co_await lifecycle_->shut_down();
        if (listener_check_ != nullptr) co_await listener_check_->stop();
        // Requests that wait for the controller or for an image must not hold up the stop for as
        // long as their clients would wait.
        if (controller_ != nullptr) controller_->stop();
        if (active_ != nullptr) active_->stop();
        if (forwarding_ != nullptr) forwarding_->stop();
        served_.end();
        if (group_coordinator_ != nullptr) group_coordinator_->resign();
        // With its connections go the batches that wait for a slow disk; the write that is under
        // way in a directory is waited for, however long it takes.
        if (server_ != nullptr) co_await server_->stop();
        if (syncs_ != nullptr) co_await syncs_->stop();
        if (retention_ != nullptr) co_await retention_->stop();
        if (log_cleaner_ != nullptr) co_await log_cleaner_->stop();
        if (checkpoints_ != nullptr) co_await checkpoints_->stop();
        if (producer_expiration_ != nullptr) co_await producer_expiration_->stop();
        if (directory_moves_ != nullptr) co_await directory_moves_->stop();
        if (group_lag_ != nullptr) co_await group_lag_->stop();
        if (group_coordinator_ != nullptr) co_await group_coordinator_->stop();
        if (materialiser_ != nullptr) co_await materialiser_->stop();
        if (replica_driver_ != nullptr) co_await replica_driver_->stop();
        if (directory_reports_ != nullptr) co_await directory_reports_->stop();
        if (directory_failures_ != nullptr) co_await directory_failures_->stop();
        if (fetchers_ != nullptr) co_await fetchers_->stop();
        if (isr_changes_ != nullptr) co_await isr_changes_->stop();
        if (controller_registration_ != nullptr) co_await controller_registration_->stop();
        if (quorum_ != nullptr) co_await quorum_->stop();
        if (snapshots_ != nullptr) co_await snapshots_->stop();
        // A log that was not opened whole must not be marked as one that needs no recovery.
        if (is_storage_open_) {
            Result<void> closed;
            co_await env_.offload(env::Pool::disk, [&] { closed = close_storage(); });
            if (!closed) LOG_ERROR(log_, "the stop is not clean", kv("why", closed.error().why));
        }
        if (admin_ != nullptr) co_await admin_->stop();
    }

    const std::vector<server::OpenListener>& listeners() const override { return listeners_; }

    std::shared_ptr<const metadata::Image> image() const override { return publisher_.image(); }
    std::shared_ptr<const metadata::Image> served_image() const override { return served_.load(); }

private:
    /// The metadata can't be followed any further: whoever waits for it, a start too, gives up.
    void give_up(const Error& why) {
        served_.end();
        if (lifecycle_ != nullptr) lifecycle_->abandon();
        // It would not hear that another broker leads now, and tell offsets that are no more true.
        if (group_coordinator_ != nullptr) group_coordinator_->resign();
        on_failure_(why);
    }

    /// First of all, so that it shows the recovery.
    Result<void> start_admin() {
        if (!config_.admin_listener) return ok();
        TRY(admin_, server::AdminServer::open(env_, log_, *config_.admin_listener, pages_));
        admin_->serve();
        LOG_INFO(log_, "admin pages are served", kv("address", admin_->local().text()));
        return ok();
    }

    env::Task<Result<void>> start_storage() {
        Result<void> done;
        co_await env_.offload(env::Pool::disk, [&] { done = open_storage(); });
        if (!done) co_return done;
        co_await open_logs();
        health_.become(LifeStage::starting);
        is_storage_open_ = true;
        co_return ok();
    }

    /// Several threads of the disk pool take one log after the other. Not all: who recovers a log
    /// keeps its thread for long.
    env::Task<void> open_logs() {
        constexpr int kThreads = 4;
        int running = kThreads;
        env::Wakeup ended(env_, env_.control());
        const auto open = [&]() -> env::Task<void> {
            co_await env_.offload(env::Pool::disk, [this] { replicas_->open_logs(); });
            --running;
            ended.notify();
        };
        for (int i = 0; i < kThreads; ++i) env::spawn(env_.control(), open());
        while (running > 0) co_await ended.wait_until(env::kNever);
    }

    Result<void> open_storage() {
        TRY(directories_, open_directories(env_, log_, config_));
        replicas_ = replication::Replicas::make(env_, log_, config_.node_id,
                                                directories_.log_dirs(), settings_of(config_));
        std::vector<bool> clean;
        for (std::size_t i = 0; i < directories_.log_dir_count; ++i)
            clean.push_back(directories_.all[i].was_clean);
        replicas_->lacks(directories_.failed);
        health_.watch_recovery([this] { return replicas_->open_progress(); });
        health_.become(LifeStage::recovering);
        return replicas_->find_logs(clean);
    }

    env::Task<Result<void>> start_quorum() {
        CO_TRY(quorum_, co_await open_quorum());
        controller_ = drivers::ControllerHost::make(
            env_, log_, controller_options(config_, directories_.cluster_id()), *quorum_,
            publisher_);
        active_ = std::make_unique<drivers::ActiveController>(env_, config_.node_id, *controller_,
                                                              *quorum_);
        forwarding_ = std::make_unique<drivers::Forwarding>(
            env_, log_,
            drivers::ForwardingParts{config_.node_id, *controller_, *quorum_, publisher_});
        replica_driver_ =
            std::make_unique<drivers::ReplicaDriver>(env_, config_.node_id, *replicas_, served_);
        directory_reports_ =
            std::make_unique<drivers::DirectoryReports>(env_, log_, config_.node_id, *active_);
        if (config_.is_broker) {
            follow_leaders();
            make_materialiser();
            make_group_coordinator();
            make_group_lag();
            make_log_cleaner();
        }
        replica_driver_->when_applied([this](const drivers::ReplicaDriver::Applied& applied) {
            throttles_.follow(applied.image);
            directory_reports_->note(applied.topics, applied.misplaced);
            if (log_cleaner_ != nullptr)
                log_cleaner_->configure(log_cleaner_settings_(applied.image));
            if (fetchers_ != nullptr) fetchers_->follow(applied.image, applied.topics);
            if (materialiser_ != nullptr) materialiser_->follow(applied.image, applied.topics);
            if (group_coordinator_ != nullptr)
                group_coordinator_->follow(applied.image, applied.topics);
            if (group_lag_ != nullptr) group_lag_->follow(applied.image);
        });
        replica_driver_->start(publisher_);
        // The publisher first: the image must hold what a new leader is told is committed.
        snapshots_ = std::make_unique<drivers::Snapshots>(env_, log_, snapshot_policy(config_),
                                                          *quorum_, publisher_);
        quorum_->start({&publisher_, controller_.get(), snapshots_.get(), forwarding_.get(),
                        active_.get(), &registration_times_});
        metrics_.add_on_control(
            [this](telemetry::Page& page) { write_snapshots(page, snapshots_->figures()); });
        metrics_.add_on_control([this](telemetry::Page& page) {
            write_quorum(page, quorum_->status(), controller_->is_active());
            write_brokers(page, controller_->broker_figures());
        });
        metrics_.add_on_control(
            [this](telemetry::Page& page) { forwarding_->write_metrics(page); });
        metrics_.add([this](telemetry::Page& page) { write_image(page, *publisher_.image()); });
        co_return ok();
    }

    /// From the first image on: a follower need not wait until its broker is unfenced, nor may it.
    void follow_leaders() {
        const auto epoch = [this] {
            return lifecycle_ == nullptr ? BrokerEpoch(-1) : lifecycle_->epoch();
        };
        auto options = fetcher_options(config_);
        options.epoch = epoch;
        options.noticed = [this](BrokerId leader, bool is_lost) {
            is_lost ? lost_leaders_.lost(leader) : lost_leaders_.found(leader);
        };
        options.quota = &throttles_.quotas().follower;
        fetchers_ = std::make_unique<drivers::Fetchers>(env_, log_, *replicas_, std::move(options));
        isr_changes_ = std::make_unique<drivers::IsrChanges>(
            env_, log_, *replicas_, *active_,
            drivers::IsrChangesOptions{.self = config_.node_id,
                                       .epoch = epoch,
                                       .check_interval = wait_of(std::max<std::int64_t>(
                                           config_.replica_lag_time_max_ms / 2, 1)),
                                       .answer_time = std::chrono::seconds(10)});
        isr_changes_->start();
        metrics_.add_on_control([this](telemetry::Page& page) { fetchers_->write_metrics(page); });
        metrics_.add([this](telemetry::Page& page) { isr_changes_->write_metrics(page); });
    }

    void make_materialiser() {
        INVARIANT(make_state_store_ != nullptr, "a broker without a state store");
        state_store_ = drivers::observed(
            make_state_store_(log_, config_.state_dir + "/coordinators"),
            {.written = [this](const auto& space,
                               auto changes) { group_lag_->written(space, changes); },
             .dropped = [this](const auto& space) { group_lag_->dropped(space); }});
        drivers::MaterialiserOptions options;
        options.replica = [this](Uuid topic, PartitionIndex partition) {
            return replicas_->find(topic, partition);
        };
        options.delete_retention_ms = delete_retention_of(config_);
        materialiser_ =
            std::make_unique<drivers::Materialiser>(env_, log_, *state_store_, std::move(options));
        metrics_.add([this](telemetry::Page& page) { materialiser_->write_metrics(page); });
    }

    void make_group_coordinator() {
        auto options = group_coordinator_options(config_, env_);
        options.replica = [this](Uuid topic, PartitionIndex partition) {
            return replicas_->find(topic, partition);
        };
        options.applied = [this](const storage::StateSpace& space) {
            return materialiser_->applied(space);
        };
        group_coordinator_ = std::make_unique<drivers::GroupCoordinator>(env_, log_, *state_store_,
                                                                         std::move(options));
        materialiser_->when_moved(
            [this](const storage::StateSpace& space) { group_coordinator_->store_moved(space); });
        metrics_.add([this](telemetry::Page& page) { group_coordinator_->write_metrics(page); });
    }

    void make_group_lag() {
        drivers::GroupLagOptions options;
        options.self = config_.node_id;
        options.listener = fetcher_options(config_).listener;
        options.replica = [this](Uuid topic, PartitionIndex partition) {
            return replicas_->find(topic, partition);
        };
        options.coordinated = [this] { return group_coordinator_->coordinated(); };
        options.groups = [this](const auto& visit) { group_coordinator_->each_group(visit); };
        group_lag_ =
            std::make_unique<drivers::GroupLag>(env_, log_, *state_store_, std::move(options));
        metrics_.add([this](telemetry::Page& page) { group_lag_->write_metrics(page); });
    }

    void make_log_cleaner() {
        log_cleaner_settings_ = log_cleaner_settings_of(config_);
        // What a coordinator's log says is in the store before it is compacted away.
        log_cleaner_ = std::make_unique<drivers::LogCleaner>(
            env_, log_, *replicas_, [this](Uuid topic, PartitionIndex partition) {
                return materialiser_->cleaner_limit({topic, partition});
            });
        metrics_.add([this](telemetry::Page& page) {
            log_cleaner_->write_metrics(page, env_.clock().now());
        });
    }

    env::Task<Result<std::unique_ptr<drivers::Quorum>>> open_quorum() {
        Result<std::unique_ptr<drivers::Quorum>> quorum;
        const auto options = quorum_options(config_, directories_.metadata_log_path(),
                                            directories_.all[directories_.metadata].meta);
        co_await env_.offload(env::Pool::disk,
                              [&] { quorum = drivers::Quorum::open(env_, log_, options); });
        co_return quorum;
    }

    /// The controllers' listeners are served before this node's broker asks them for anything: the
    /// quorum may need this node's vote first.
    Result<void> start_controller() {
        make_server();
        TRY_VOID(bind(Role::controller));
        metrics_.add([this](telemetry::Page& page) { server_->write_metrics(page); });
        server_->serve();
        if (config_.is_controller) register_controller();
        return ok();
    }

    /// Opens the listeners of that role.
    Result<void> bind(Role role) {
        std::vector<config::Listener> wanted;
        for (const auto& listener : config_.listeners) {
            if (config_.is_controller_listener(listener.name) == (role == Role::controller))
                wanted.push_back(listener);
        }
        TRY(const auto bound, server_->bind(wanted));
        listeners_.insert(listeners_.end(), bound.begin(), bound.end());
        return ok();
    }

    void make_server() {
        const std::int64_t queued = config_.network.queued_request_bytes_max;
        server_ = server::Server::make(
            {.env = env_,
             .log = log_,
             .config = config_,
             .cluster_id = directories_.cluster_id(),
             .image = served_,
             .replicas = *replicas_,
             .leader_quota = &throttles_.quotas().leader,
             .controller = *active_,
             .controllers = forwarding_.get(),
             .heartbeats = controller_.get(),
             .own_controller = controller_.get(),
             .producer_ids = producer_ids_,
             .authorizer = authorizer_,
             .groups = group_coordinator_.get(),
             .quorum = quorum_.get(),
             .lost_leaders = &lost_leaders_,
             .request_bytes_max =
                 queued > 0 ? static_cast<std::uint64_t>(queued) : memory_limit_ / 4});
    }

    env::Task<Result<void>> start_broker() {
        CO_TRY_VOID(bind(Role::broker));
        lifecycle_ = std::make_unique<drivers::BrokerLifecycle>(env_, log_, lifecycle_options(),
                                                                *active_, served_);
        active_->when_leader_changes([this] { lifecycle_->greet_controller(); });
        CO_TRY_VOID(co_await lifecycle_->start());
        directory_reports_->start(lifecycle_->epoch());
        materialiser_->start();
        group_coordinator_->start();
        group_lag_->start();
        start_directory_moves();
        watch_directories();
        server_->serve();
        checkpoints_ = std::make_unique<drivers::Checkpoints>(
            env_, log_, *replicas_,
            std::chrono::milliseconds(config_.high_watermark_checkpoint_interval_ms));
        checkpoints_->start();
        retention_ = std::make_unique<drivers::Retention>(
            env_, *replicas_, wait_of(config_.retention_check_interval_ms));
        retention_->start();
        log_cleaner_->start();
        listener_check_ = std::make_unique<drivers::ListenerCheck>(
            env_, log_, directories_.cluster_id(), client_listeners(config_, listeners_));
        listener_check_->start();
        producer_expiration_ = std::make_unique<drivers::ProducerExpiration>(
            env_, [this] { return replicas_->all(); },
            std::chrono::milliseconds(config_.producer_id_expiration_check_interval_ms));
        producer_expiration_->start();
        const std::int64_t watch_ms = config_.flush_scheduler_interval_ms;
        syncs_ = std::make_unique<drivers::Syncs>(env_, *replicas_,
                                                  wait_of(watch_ms > 0 ? watch_ms : INT64_MAX));
        syncs_->start();
        co_return ok();
    }

    void start_directory_moves() {
        directory_moves_ = std::make_unique<drivers::DirectoryMoves>(
            env_, drivers::DirectoryMoves::Parts{*replicas_, throttles_.quotas().directories,
                                                 [this](Uuid topic) { tell_directories(topic); }});
        directory_moves_->start();
    }

    void tell_directories(Uuid topic) {
        const auto image = served_.load();
        const std::span<const Uuid> one(&topic, 1);
        directory_reports_->note(one, replicas_->misplaced(*image, one));
    }

    void watch_directories() {
        directory_failures_ = std::make_unique<drivers::DirectoryFailures>(
            env_, *replicas_,
            drivers::DirectoryFailuresOptions{.directories = config_.log_dirs.size(),
                                              .metadata_directory = config_.metadata_log_dir,
                                              .report =
                                                  [this](std::vector<Uuid> ids) {
                                                      lifecycle_->directories_failed(
                                                          std::move(ids));
                                                  },
                                              .end = [this](const Error& why) { end(why); }});
        directory_failures_->start();
    }

    /// The broker can't do its work any more.
    void end(const Error& why) {
        LOG_ERROR(log_, "stopping", kv("why", why.why));
        on_failure_(why);
    }

    static std::map<std::string, metadata::VersionRange> supported_features() {
        std::map<std::string, metadata::VersionRange> features;
        for (const auto& feature : metadata::supported_features())
            features.emplace(feature.name, feature.range);
        return features;
    }

    void register_controller() {
        controller_registration_ = std::make_unique<drivers::ControllerRegistration>(
            env_, log_,
            controller::RegisterControllerRequest{
                .id = config_.node_id,
                .incarnation_id = env::random_uuid(env_.random()),
                .endpoints = advertised_endpoints(config_, listeners_, Role::controller),
                .features = supported_features()},
            *active_);
        controller_registration_->start();
    }

    drivers::BrokerLifecycleOptions lifecycle_options() {
        drivers::BrokerLifecycleOptions options;
        auto& registration = options.registration;
        registration.id = config_.node_id;
        registration.cluster_id = directories_.cluster_id();
        registration.incarnation_id = env::random_uuid(env_.random());
        registration.features = supported_features();
        registration.endpoints = advertised_endpoints(config_, listeners_, Role::broker);
        if (!config_.rack.empty()) registration.rack = config_.rack;
        registration.log_directories = directories_.log_dir_ids();
        registration.previous_epoch = directories_.previous_epoch();
        // A disk may have failed since the directories were opened, while their logs were.
        for (const auto& failed : replicas_->failed_directories()) {
            std::erase(registration.log_directories, failed.id);
            registration.previous_epoch = BrokerEpoch(-1);
        }
        options.session_timeout = std::chrono::milliseconds(config_.broker_session_timeout_ms);
        options.registered_at = [this](BrokerEpoch epoch) { return registration_times_.of(epoch); };
        options.directory_failure_timeout = wait_of(config_.log_dir_failure_timeout_ms);
        options.when_unreported = [this] {
            end({ErrorCode::kafka_storage_error,
                 "no controller could be told of a failed log directory"});
        };
        options.heartbeat_interval =
            std::chrono::milliseconds(config_.broker_heartbeat_interval_ms);
        options.registration_timeout =
            std::chrono::milliseconds(config_.initial_registration_timeout_ms);
        return options;
    }

    Result<void> close_storage() {
        TRY_VOID(replicas_->close());
        const BrokerEpoch epoch = lifecycle_ == nullptr ? BrokerEpoch(-1) : lifecycle_->epoch();
        const auto states = replicas_->directories();
        for (std::size_t i = 0; i < directories_.log_dir_count; ++i) {
            if (!states[i].is_usable) continue;
            TRY_VOID(directories_.all[i].storage->mark_clean_shutdown(epoch));
        }
        return ok();
    }

    env::Env& env_;
    Logger log_;
    const config::BrokerConfig config_;
    const std::uint64_t memory_limit_;
    const security::AllowAll authorizer_;
    Health health_;
    telemetry::Registry metrics_;
    Throttles throttles_;
    NodeAdminPages pages_;
    std::unique_ptr<server::AdminServer> admin_;
    Directories directories_;
    bool is_storage_open_ = false;
    server::ServedImage served_;
    server::LostLeaders lost_leaders_;
    server::ProducerIds producer_ids_;
    drivers::MetadataPublisher publisher_;
    drivers::RegistrationTimes registration_times_;
    std::function<std::unique_ptr<storage::StateStore>(Logger, std::string)> make_state_store_;
    std::function<void(const Error&)> on_failure_;
    std::unique_ptr<replication::Replicas> replicas_;
    std::unique_ptr<storage::StateStore> state_store_;
    std::unique_ptr<drivers::Quorum> quorum_;
    std::unique_ptr<drivers::Snapshots> snapshots_;
    std::shared_ptr<drivers::ControllerHost> controller_;
    std::unique_ptr<drivers::ActiveController> active_;
    std::unique_ptr<drivers::Forwarding> forwarding_;
    std::unique_ptr<drivers::ControllerRegistration> controller_registration_;
    std::unique_ptr<drivers::DirectoryReports> directory_reports_;
    std::unique_ptr<drivers::DirectoryMoves> directory_moves_;
    std::unique_ptr<drivers::DirectoryFailures> directory_failures_;
    std::unique_ptr<drivers::ReplicaDriver> replica_driver_;
    std::unique_ptr<drivers::Fetchers> fetchers_;
    std::unique_ptr<drivers::IsrChanges> isr_changes_;
    std::unique_ptr<drivers::Materialiser> materialiser_;
    std::unique_ptr<drivers::GroupCoordinator> group_coordinator_;
    std::unique_ptr<drivers::GroupLag> group_lag_;
    std::unique_ptr<server::Server> server_;
    std::unique_ptr<drivers::BrokerLifecycle> lifecycle_;
    std::unique_ptr<drivers::Checkpoints> checkpoints_;
    std::unique_ptr<drivers::Retention> retention_;
    std::function<drivers::LogCleanerSettings(const metadata::Image&)> log_cleaner_settings_;
    std::unique_ptr<drivers::LogCleaner> log_cleaner_;
    std::unique_ptr<drivers::ListenerCheck> listener_check_;
    std::unique_ptr<drivers::ProducerExpiration> producer_expiration_;
    std::unique_ptr<drivers::Syncs> syncs_;
    std::vector<server::OpenListener> listeners_;
};

}  // namespace

std::unique_ptr<Node> Node::make(env::Env& env, NodeOptions options) {
    return std::make_unique<WholeNode>(env, std::move(options));
}

}  // namespace milena::node
