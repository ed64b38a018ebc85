// SPDX-License-Identifier: Apache-2.0
// One loop: waits until a leader asks or it is time to look, gathers, asks the controller, tells
// the leaders.
#include "milena/drivers/isr_changes.h"

#include <algorithm>
#include <map>

namespace milena::drivers {

namespace {

/// Changes in one request.
constexpr std::size_t kAtOnce = 1000;
constexpr telemetry::Metric kShrinks{"kafka_server_replicamanager_isrshrinks_total",
                                     telemetry::Kind::counter,
                                     "In-sync sets of partitions led here that became smaller."};
constexpr telemetry::Metric kExpands{"kafka_server_replicamanager_isrexpands_total",
                                     telemetry::Kind::counter, "Those that became larger."};
constexpr telemetry::Metric kFailures{"kafka_server_replicamanager_failedisrupdates_total",
                                      telemetry::Kind::counter,
                                      "Changes of in-sync sets that the controller refused."};
constexpr env::Duration kPauseMin = std::chrono::milliseconds(50);
constexpr env::Duration kPauseMax = std::chrono::seconds(1);
/// In a row, about half a minute; then only the looks at all leaders ask again.
constexpr int kRefusedTimesMax = 30;

controller::ProposedPartition proposed(const replication::IsrProposal& proposal,
                                       PartitionIndex partition) {
    controller::ProposedPartition out{.partition = partition,
                                      .leader_epoch = proposal.leader_epoch,
                                      .in_sync_replicas = {},
                                      .leader_recovery_state = 0,
                                      .partition_epoch = proposal.partition_epoch};
    for (const auto& [broker, epoch] : proposal.in_sync_replicas)
        out.in_sync_replicas.push_back({broker, epoch});
    return out;
}

replication::IsrRefusal refusal_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::ineligible_replica: return replication::IsrRefusal::ineligible;
        case ErrorCode::not_controller:
        case ErrorCode::request_timed_out:
        case ErrorCode::network_exception:
        case ErrorCode::stale_broker_epoch:
        case ErrorCode::unknown_server_error: return replication::IsrRefusal::unknown;
        default: return replication::IsrRefusal::superseded;
    }
}

}  // namespace

IsrChanges::IsrChanges(env::Env& env, Logger log, replication::Replicas& replicas,
                       controller::Gateway& controller, IsrChangesOptions options)
    : env_(env),
      log_(std::move(log)),
      replicas_(replicas),
      controller_(controller),
      options_(std::move(options)),
      work_(env, env.control()),
      rest_(env, env.control()),
      ended_(env, env.control()) {}

void IsrChanges::start() {
    running_ = true;
    replicas_.when_isr_change_due(work_.handle());
    env::spawn(env_.control(), run());
}

env::Task<void> IsrChanges::run() {
    env::Instant next_look = env_.clock().now() + options_.check_interval;
    while (!stopping_) {
        const bool looks_at_all = env_.clock().now() >= next_look;
        if (looks_at_all) next_look = env_.clock().now() + options_.check_interval;
        auto asked = co_await gather(looks_at_all);
        if (stopping_) break;
        if (asked.empty()) {
            co_await work_.wait_until(next_look);
            continue;
        }
        co_await ask(std::move(asked));
        if (pause_ > env::Duration::zero() && !stopping_)
            co_await rest_.wait_until(env_.clock().now() + pause_);
    }
    running_ = false;
    ended_.notify();
}

env::Task<std::vector<IsrChanges::Asked>> IsrChanges::gather(bool looks_at_all) {
    std::vector<Asked> asked;
    const auto add = [&](std::shared_ptr<replication::Partition> partition) {
        const std::size_t before = partition->figures().in_sync_replicas;
        if (auto proposal = partition->propose_isr())
            asked.push_back({std::move(partition), *std::move(proposal), before});
    };
    while (asked.empty()) {
        auto queued = replicas_.take_isr_changes(kAtOnce);
        if (queued.empty()) break;
        for (auto& partition : queued) add(std::move(partition));
    }
    std::erase_if(refused_, [&](const auto& one) {
        const std::size_t before = asked.size();
        if (before >= kAtOnce) return false;
        if (auto partition = one.second.partition.lock()) add(std::move(partition));
        return asked.size() == before;
    });
    if (looks_at_all) {
        co_await env_.offload(env::Pool::disk, [&] {
            for (auto& partition : replicas_.all()) add(std::move(partition));
        });
    }
    std::ranges::sort(asked, {}, [](const Asked& one) {
        return std::pair(one.partition->topic_id(), one.partition->name().partition);
    });
    co_return asked;
}

env::Task<void> IsrChanges::ask(std::vector<Asked> asked) {
    controller::AlterPartitionRequest request{
        .broker = options_.self, .epoch = options_.epoch(), .topics = {}};
    for (const Asked& one : asked) {
        const Uuid topic = one.partition->topic_id();
        if (request.topics.empty() || request.topics.back().topic != topic)
            request.topics.push_back({topic, {}});
        request.topics.back().partitions.push_back(
            proposed(one.proposal, one.partition->name().partition));
    }
    const auto answer = co_await controller_.alter_partition(
        std::move(request), env_.clock().now() + options_.answer_time);
    if (answer && take(asked, *answer)) {
        pause_ = {};
        co_return;
    }
    pause_ = std::clamp(pause_ * 2, kPauseMin, kPauseMax);
    if (answer) co_return;
    LOG_DEBUG(log_, "the controller has not taken in-sync sets", kv("why", answer.error().why));
    for (const Asked& one : asked) one.partition->isr_refused(replication::IsrRefusal::unknown);
}

void IsrChanges::note_refused(const std::shared_ptr<replication::Partition>& partition) {
    const std::pair key(partition->topic_id(), partition->name().partition);
    Refused& refused = refused_[key];
    refused.partition = partition;
    if (++refused.times > kRefusedTimesMax) refused_.erase(key);
}

bool IsrChanges::take(const std::vector<Asked>& asked,
                      const std::vector<controller::AlteredTopic>& answer) {
    std::map<std::pair<Uuid, PartitionIndex>, const controller::AlteredPartition*> told;
    for (const auto& topic : answer) {
        for (const auto& partition : topic.partitions)
            told[{topic.topic, partition.partition}] = &partition;
    }
    bool is_settled = true;
    for (const Asked& one : asked) {
        const auto found = told.find({one.partition->topic_id(), one.partition->name().partition});
        if (found == told.end()) {
            one.partition->isr_refused(replication::IsrRefusal::unknown);
            is_settled = false;
        } else {
            is_settled &= take(one, *found->second);
        }
    }
    return is_settled;
}

bool IsrChanges::take(const Asked& asked, const controller::AlteredPartition& answer) {
    if (answer.code == ErrorCode::none) {
        // Another leader epoch means other replicas too: the metadata brings both.
        if (answer.leader_epoch == asked.proposal.leader_epoch)
            asked.partition->isr_accepted(answer.in_sync_replicas, answer.partition_epoch);
        const std::size_t members = answer.in_sync_replicas.size();
        if (members < asked.members_before) shrinks_.add();
        if (members > asked.members_before) expands_.add();
        return true;
    }
    failures_.add();
    LOG_DEBUG(log_, "the controller refuses an in-sync set",
              kv("partition", asked.partition->name().text()), kv("code", error_name(answer.code)));
    const replication::IsrRefusal why = refusal_of(answer.code);
    asked.partition->isr_refused(why);
    if (why == replication::IsrRefusal::ineligible) note_refused(asked.partition);
    return why == replication::IsrRefusal::superseded;
}

void IsrChanges::write_metrics(telemetry::Page& page) const {
    page.add(kShrinks, static_cast<double>(shrinks_.value()));
    page.add(kExpands, static_cast<double>(expands_.value()));
    page.add(kFailures, static_cast<double>(failures_.value()));
}

env::Task<void> IsrChanges::stop() {
    stopping_ = true;
    work_.notify();
    rest_.notify();
    while (running_) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers
