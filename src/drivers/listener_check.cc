// SPDX-License-Identifier: Apache-2.0
// Asks each advertised address for its cluster.
#include "milena/drivers/listener_check.h"

#include "milena/wire/client.h"

namespace milena::drivers {
namespace {

constexpr env::Duration kAnswerTime = std::chrono::seconds(5);

}  // namespace

ListenerCheck::ListenerCheck(env::Env& env, Logger log, std::string cluster_id,
                             std::vector<AdvertisedListener> listeners)
    : env_(env),
      log_(std::move(log)),
      cluster_id_(std::move(cluster_id)),
      listeners_(std::move(listeners)),
      ended_(env, env.control()) {}

ListenerCheck::~ListenerCheck() = default;

void ListenerCheck::start() {
    running_ = true;
    env::spawn(env_.control(), run());
}

env::Task<void> ListenerCheck::run() {
    for (const AdvertisedListener& listener : listeners_) {
        if (stopping_) break;
        co_await check(listener);
    }
    running_ = false;
    ended_.notify();
}

env::Task<void> ListenerCheck::check(const AdvertisedListener& listener) {
    wire::ClientOptions options;
    options.bootstrap = {listener.advertised};
    options.client_id = "listener-check";
    options.request_timeout = options.call_timeout = kAnswerTime;
    client_ = std::make_unique<wire::Client>(env_, env_.control(), std::move(options), Logger());
    const std::vector<std::string> no_topics;
    const auto answer = co_await client_->refresh(&no_topics);
    if (stopping_) co_return;
    client_.reset();  // its connection counts like anybody's
    const Logger log = log_.with("listener", listener.name)
                           .with("bound", listener.bound.text())
                           .with("advertised", listener.advertised.text());
    if (!answer) {
        LOG_WARN(log,
                 "clients are told an address that does not answer from here; if they can't reach "
                 "it either, set advertised.listeners",
                 kv("why", answer.error().why));
    } else if (const auto& cluster = (*answer)->cluster_id; cluster && *cluster != cluster_id_) {
        LOG_WARN(log, "clients are told the address of another cluster; set advertised.listeners",
                 kv("its_cluster_id", *cluster), kv("cluster_id", cluster_id_));
    } else {
        LOG_INFO(log, "clients are told an address that leads here");
    }
}

env::Task<void> ListenerCheck::stop() {
    stopping_ = true;
    if (client_ != nullptr) client_->close();
    while (running_) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers
