// SPDX-License-Identifier: Apache-2.0
// Sends what waits, a request at a time. What the controller has taken is done with: should the
// metadata still say otherwise, the next image that touches the partition brings it up again.
#include "milena/drivers/directory_reports.h"

#include <algorithm>

namespace milena::drivers {
namespace {

constexpr env::Duration kAnswerWait = std::chrono::seconds(2);
/// A start or a new topic brings many replicas at once: they go together.
constexpr env::Duration kGatherPause = std::chrono::milliseconds(50);
constexpr env::Duration kRetryPauseMin = std::chrono::milliseconds(100);
constexpr env::Duration kRetryPauseMax = std::chrono::seconds(10);

}  // namespace

DirectoryReports::DirectoryReports(env::Env& env, Logger log, BrokerId self,
                                   controller::Gateway& controller)
    : env_(env),
      log_(std::move(log)),
      self_(self),
      controller_(controller),
      work_(env, env.control()),
      pause_(env, env.control()),
      ended_(env, env.control()) {}

void DirectoryReports::note(std::span<const Uuid> topics,
                            std::span<const replication::PlacedReplica> misplaced) {
    for (const Uuid topic : topics) {
        const auto first = waiting_.lower_bound({topic, PartitionIndex(0)});
        auto end = first;
        while (end != waiting_.end() && end->first.topic == topic) ++end;
        waiting_.erase(first, end);
    }
    for (const auto& replica : misplaced)
        waiting_.insert_or_assign({replica.topic, replica.partition}, replica.directory);
    if (!waiting_.empty()) work_.notify();
}

void DirectoryReports::start(BrokerEpoch epoch) {
    epoch_ = epoch;
    running_ = true;
    env::spawn(env_.control(), run());
}

env::Task<void> DirectoryReports::run() {
    env::Duration pause = kGatherPause;
    while (!stopping_) {
        if (waiting_.empty()) co_await work_.wait_until(env::kNever);
        if (stopping_) break;
        if (waiting_.empty()) continue;
        co_await pause_.wait_until(env_.clock().now() + pause);
        if (stopping_ || waiting_.empty()) continue;
        const auto told =
            co_await controller_.assign_replicas(next_request(), env_.clock().now() + kAnswerWait);
        if (told) {
            settle(*told);
            pause = kGatherPause;
        } else {
            LOG_DEBUG(log_, "the directories of replicas could not be told",
                      kv("why", told.error().why));
            pause = std::clamp(2 * pause, kRetryPauseMin, kRetryPauseMax);
        }
    }
    running_ = false;
    ended_.notify();
}

controller::AssignReplicasRequest DirectoryReports::next_request() const {
    std::map<Uuid, std::map<Uuid, std::vector<PartitionIndex>>> by_directory;
    std::size_t count = 0;
    for (const auto& [key, directory] : waiting_) {
        if (++count > kReplicasMax) break;
        by_directory[directory][key.topic].push_back(key.partition);
    }
    controller::AssignReplicasRequest request{self_, epoch_};
    for (auto& [directory, topics] : by_directory) {
        auto& out = request.directories.emplace_back(directory);
        for (auto& [topic, partitions] : topics)
            out.topics.push_back({topic, std::move(partitions)});
    }
    return request;
}

void DirectoryReports::settle(const std::vector<controller::AssignedReplica>& told) {
    std::size_t taken = 0;
    for (const auto& one : told) {
        if (is_retriable(one.code) && one.code != ErrorCode::unknown_topic_or_partition &&
            one.code != ErrorCode::unknown_topic_id &&
            one.code != ErrorCode::not_leader_or_follower)
            continue;
        const auto at = waiting_.find({one.topic, one.partition});
        // Meanwhile it may lie elsewhere again.
        if (at != waiting_.end() && at->second == one.directory) waiting_.erase(at);
        taken += one.code == ErrorCode::none;
    }
    LOG_DEBUG(log_, "directories of replicas told", kv("replicas", taken));
}

env::Task<void> DirectoryReports::stop() {
    stopping_ = true;
    work_.notify();
    pause_.notify();
    while (running_) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers
