// SPDX-License-Identifier: Apache-2.0
// Deals what this broker follows to the fetchers, as the metadata says.
#include "milena/drivers/fetchers.h"

#include <algorithm>

#include "fetcher.h"

namespace milena::drivers {

namespace {

/// Where brokers talk to it; nothing if it has no such listener.
std::optional<env::Endpoint> endpoint_of(const metadata::BrokerRegistration& broker,
                                         const std::string& listener) {
    const auto found =
        std::ranges::find(broker.endpoints, listener, &metadata::BrokerEndpoint::listener);
    if (found == broker.endpoints.end()) return std::nullopt;
    return env::Endpoint{found->host, found->port};
}

}  // namespace

Fetchers::Fetchers(env::Env& env, Logger log, replication::Replicas& replicas,
                   FetcherOptions options)
    : env_(env),
      log_(std::move(log)),
      replicas_(replicas),
      options_(std::move(options)),
      ended_(env, env.control()) {}

Fetchers::~Fetchers() = default;

void Fetchers::follow(const metadata::Image& image, std::span<const Uuid> changed) {
    if (stopping_) return;
    const metadata::BrokerRegistration* const own = image.cluster->find_broker(options_.self);
    // What this process says of itself: an epoch that is another process's would let a leader take
    // this log for that one's (KIP-903). 0 is nobody's.
    const Standing standing{std::max(options_.epoch(), BrokerEpoch(0)),
                            own == nullptr || own->fenced};
    if (standing != standing_) {
        standing_ = standing;
        for (const auto& [place, fetcher] : fetchers_) fetcher->speak_as(standing_.epoch);
    }
    for (const auto& [id, broker] : image.cluster->brokers) {
        if (const auto endpoint = endpoint_of(broker, options_.listener)) reach(id, *endpoint);
    }
    for (const Uuid id : changed) follow_topic(image, id);
}

void Fetchers::reach(BrokerId broker, const env::Endpoint& endpoint) {
    const auto [known, is_new] = endpoints_.try_emplace(broker, endpoint);
    if (!is_new && known->second == endpoint) return;
    known->second = endpoint;
    for (auto at = fetchers_.lower_bound({broker, 0});
         at != fetchers_.end() && at->first.first == broker; ++at)
        at->second->reach_at(endpoint);
}

void Fetchers::follow_topic(const metadata::Image& image, Uuid id) {
    const auto topic = image.topics->find(id);
    if (topic == nullptr) {
        const auto from = followed_.lower_bound({id, PartitionIndex(0)});
        std::vector<Key> gone;
        for (auto at = from; at != followed_.end() && at->first.first == id; ++at)
            gone.push_back(at->first);
        for (const Key& key : gone) follow_partition(key, kNoBroker);
        return;
    }
    for (const auto& [index, partition] : topic->partitions) {
        const bool is_here =
            std::ranges::find(partition.replicas, options_.self) != partition.replicas.end();
        const bool is_led = partition.leader != kNoBroker && partition.leader != options_.self;
        follow_partition({id, index}, is_here && is_led ? partition.leader : kNoBroker);
    }
}

void Fetchers::follow_partition(const Key& key, BrokerId leader) {
    const auto before = followed_.find(key);
    const PartitionKey partition{key.first, key.second};
    if (before != followed_.end() && before->second.leader != leader) {
        fetcher_of(before->second)->unfollow(partition);
        followed_.erase(before);
    }
    if (leader == kNoBroker) return;
    const auto number = static_cast<std::size_t>(key.second.value) %
                        static_cast<std::size_t>(std::max(options_.fetchers, 1));
    const Place place{leader, number};
    followed_.insert_or_assign(key, place);
    fetcher_of(place)->follow(partition);
}

std::shared_ptr<Fetcher> Fetchers::fetcher_of(const Place& place) {
    auto& fetcher = fetchers_[{place.leader, place.number}];
    if (fetcher != nullptr) return fetcher;
    const Fetcher::Place on{env_, made_++, replicas_, options_};
    fetcher = std::make_shared<Fetcher>(on, log_, place.leader);
    fetcher->speak_as(standing_.epoch);
    if (const auto at = endpoints_.find(place.leader); at != endpoints_.end())
        fetcher->reach_at(at->second);
    ++running_;
    env::spawn(env_.control(), run(*this, fetcher));
    return fetcher;
}

env::Task<void> Fetchers::run(Fetchers& all, std::shared_ptr<Fetcher> one) {
    while (co_await env::run_on(one->owner(), Fetcher::run(one)) == Fetcher::End::moves &&
           !all.stopping_)
        one->settle();
    --all.running_;
    all.ended_.notify();
}

env::Task<void> Fetchers::stop() {
    stopping_ = true;
    for (const auto& [place, fetcher] : fetchers_) fetcher->stop();
    while (running_ > 0) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers
