// SPDX-License-Identifier: Apache-2.0
// Registers, beats, and takes leave of the controller.
#include "milena/drivers/broker_lifecycle.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace milena::drivers {
namespace {

/// Between attempts while there is no controller, or while it has not caught up.
constexpr env::Duration kRetryPause = std::chrono::milliseconds(10);
/// While another process holds this broker's id: as a rule the one before, which is found dead.
constexpr env::Duration kHeldPause = std::chrono::milliseconds(50);
/// The session that must end may have begun a heartbeat later than we asked first.
constexpr env::Duration kHoldMargin = std::chrono::seconds(1);
/// Until a heartbeat that was not answered is sent again.
constexpr env::Duration kMissedPause = std::chrono::milliseconds(100);

}  // namespace

BrokerLifecycle::BrokerLifecycle(env::Env& env, Logger log, BrokerLifecycleOptions options,
                                 controller::Gateway& controller, server::ServedImage& served)
    : env_(env),
      log_(std::move(log)),
      options_(std::move(options)),
      controller_(controller),
      served_(served),
      pause_(env, env.control()),
      ended_(env, env.control()) {}

env::Task<Result<BrokerEpoch>> BrokerLifecycle::start() {
    const env::Instant deadline = env_.clock().now() + options_.registration_timeout;
    CO_TRY_VOID(co_await register_with_controller(deadline));
    CO_TRY_VOID(co_await wait_until_unfenced(deadline));
    beating_ = true;
    env::spawn(env_.control(), keep_beating());
    co_return epoch_;
}

env::Task<Result<void>> BrokerLifecycle::register_with_controller(env::Instant deadline) {
    env::Instant held_since = env::kNever;
    std::uint64_t held_by_controller = 0;
    bool is_told = false;
    for (;;) {
        auto reply = co_await controller_.register_broker(options_.registration, deadline);
        if (reply) {
            epoch_ = reply->epoch;
            LOG_INFO(log_, "broker registered", kv("broker_epoch", epoch_),
                     kv("incarnation_id", options_.registration.incarnation_id));
            co_return ok();
        }
        const ErrorCode code = reply.error().code;
        const env::Instant now = env_.clock().now();
        if (code == ErrorCode::duplicate_broker_registration) {
            // It may be our own incarnation before a crash, whose session must end first. One that
            // is held for longer has somebody who keeps it.
            // A new controller gives everybody a whole session.
            const bool is_new = std::exchange(held_by_controller, controllers_) != controllers_;
            if (held_since == env::kNever || is_new) held_since = now;
            if (now - held_since >= kHoldMargin && !std::exchange(is_told, true)) {
                LOG_WARN(log_, "another process is registered under this node.id",
                         kv("node_id", options_.registration.id), kv("held_by", holder()));
            }
            if (abandoned_ || now - held_since > options_.session_timeout + kHoldMargin ||
                now >= deadline)
                co_return fail(code, holder());
            co_await env_.sleep(env_.control(), kHeldPause);
            continue;
        }
        const bool again = is_retriable(code) || code == ErrorCode::not_controller;
        if (!again || abandoned_ || now >= deadline)
            co_return fail_at("broker registration", reply.error());
        co_await env_.sleep(env_.control(), kRetryPause);
    }
}

std::string BrokerLifecycle::holder() const {
    const BrokerId id = options_.registration.id;
    const auto* const registered = served_.load()->cluster->find_broker(id);
    std::string text = fmt::format("node.id {} is held by another process", id);
    if (registered == nullptr) return text;
    for (const auto& endpoint : registered->endpoints) {
        text +=
            fmt::format("{}{}://{}", &endpoint == &registered->endpoints.front() ? " at " : ", ",
                        endpoint.listener, env::Endpoint{endpoint.host, endpoint.port}.text());
    }
    const auto at = options_.registered_at ? options_.registered_at(registered->epoch)
                                           : std::optional<env::Timestamp>();
    if (at) {
        constexpr std::int64_t kMillisecondsPerSecond = 1000;
        const auto seconds = static_cast<std::time_t>(at->value / kMillisecondsPerSecond);
        text += fmt::format(", since {:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
    }
    return text + fmt::format(" (broker epoch {}): stop that one, or give this one another node.id",
                              registered->epoch);
}

env::Task<Result<void>> BrokerLifecycle::wait_until_unfenced(env::Instant deadline) {
    while (!abandoned_ && env_.clock().now() < deadline) {
        co_await served_.catch_up(env_.control(), deadline);
        auto reply = co_await beat(false);
        if (reply && !reply->is_fenced) {
            // The image that clients are told must have it too.
            if (co_await served_.catch_up(env_.control(), deadline)) co_return ok();
        }
        co_await env_.sleep(env_.control(), kRetryPause);
    }
    if (abandoned_) co_return fail(ErrorCode::kafka_storage_error, "the metadata log has failed");
    co_return fail(ErrorCode::request_timed_out,
                   "the controller did not unfence this broker in time");
}

env::Task<Result<controller::BrokerHeartbeatReply>> BrokerLifecycle::beat(bool want_shutdown) {
    controller::BrokerHeartbeatRequest request;
    request.id = options_.registration.id;
    request.epoch = epoch_;
    request.metadata_offset = served_.load()->provenance.last_offset;
    request.want_shutdown = want_shutdown;
    request.offline_log_directories = failed_directories_;
    co_return co_await controller_.heartbeat(std::move(request),
                                             env_.clock().now() + options_.heartbeat_interval);
}

env::Task<void> BrokerLifecycle::keep_beating() {
    bool failing = false;
    while (!stopping_) {
        const env::Duration pause = failing ? std::min(kMissedPause, options_.heartbeat_interval)
                                            : options_.heartbeat_interval;
        co_await pause_.wait_until(env_.clock().now() + pause);
        if (stopping_) break;
        const std::size_t directories = failed_directories_.size();
        const auto reply = co_await beat(false);
        note_reported(reply.has_value(), directories);
        if (!reply && !failing) LOG_WARN(log_, "heartbeat failed", kv("why", reply.error().why));
        if (reply && failing) LOG_INFO(log_, "heartbeats are answered again");
        failing = !reply;
    }
    beating_ = false;
    ended_.notify();
}

void BrokerLifecycle::directories_failed(std::vector<Uuid> ids) {
    failed_directories_ = std::move(ids);
    if (unreported_since_ == env::kNever) unreported_since_ = env_.clock().now();
    pause_.notify();
}

void BrokerLifecycle::note_reported(bool is_answered, std::size_t directories) {
    if (unreported_since_ == env::kNever) return;
    if (is_answered && directories == failed_directories_.size()) {
        LOG_INFO(log_, "the controller knows of the failed log directories",
                 kv("directories", directories));
        unreported_since_ = env::kNever;
    } else if (env_.clock().now() - unreported_since_ >= options_.directory_failure_timeout) {
        unreported_since_ = env::kNever;
        if (options_.when_unreported) options_.when_unreported();
    }
}

env::Task<void> BrokerLifecycle::shut_down() {
    stopping_ = true;
    pause_.notify();
    while (beating_) co_await ended_.wait_until(env::kNever);
    const env::Instant deadline = env_.clock().now() + options_.shutdown_timeout;
    while (env_.clock().now() < deadline) {
        const auto reply = co_await beat(true);
        if (reply && reply->should_shut_down) co_return;
        // Controllers change, often because they stop together with this broker.
        const bool again = reply || is_retriable(reply.error().code) ||
                           reply.error().code == ErrorCode::not_controller;
        if (!again) {
            LOG_WARN(log_, "controlled shutdown was refused", kv("why", reply.error().why));
            co_return;
        }
        co_await env_.sleep(env_.control(), kRetryPause);
    }
    LOG_WARN(log_, "controlled shutdown took too long: stopping without it");
}

}  // namespace milena::drivers
