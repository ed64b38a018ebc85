// SPDX-License-Identifier: Apache-2.0
// What a node's group coordinators show, together, under Kafka's names; what Kafka does not have,
// the lengths of our own queues, under Milena's.
#include "hosted_groups.h"

namespace milena::drivers {
namespace {

using telemetry::Kind;
using telemetry::Metric;

constexpr Metric kGroups{"kafka_coordinator_group_groupmetadatamanager_numgroups", Kind::gauge,
                         "Classic groups that this broker coordinates."};
constexpr Metric kPreparing{
    "kafka_coordinator_group_groupmetadatamanager_numgroupspreparingrebalance", Kind::gauge,
    "Classic groups that wait for their members to join."};
constexpr Metric kCompleting{
    "kafka_coordinator_group_groupmetadatamanager_numgroupscompletingrebalance", Kind::gauge,
    "Classic groups that wait for their leader's assignment."};
constexpr Metric kStable{"kafka_coordinator_group_groupmetadatamanager_numgroupsstable",
                         Kind::gauge, "Classic groups whose members all have their assignment."};
constexpr Metric kDead{"kafka_coordinator_group_groupmetadatamanager_numgroupsdead", Kind::gauge,
                       "Classic groups that are on their way out."};
constexpr Metric kEmpty{"kafka_coordinator_group_groupmetadatamanager_numgroupsempty", Kind::gauge,
                        "Classic groups without members."};
constexpr Metric kConsumerGroups{
    "kafka_server_group_coordinator_metrics_consumer_group_count", Kind::gauge,
    "Groups of the consumer protocol that this broker coordinates, by state."};
constexpr Metric kPartitions{"kafka_server_group_coordinator_metrics_num_partitions", Kind::gauge,
                             "Partitions of __consumer_offsets that this broker leads, by state."};
constexpr Metric kLoadMax{"kafka_server_group_coordinator_metrics_partition_load_time_max",
                          Kind::gauge, "Longest time to take a partition over, of late."};
constexpr Metric kLoadAvg{"kafka_server_group_coordinator_metrics_partition_load_time_avg",
                          Kind::gauge, "Average time to take a partition over, of late."};
constexpr Metric kQueue{"kafka_server_group_coordinator_metrics_event_queue_size", Kind::gauge,
                        "Requests that wait for their turn to be decided."};
constexpr Metric kCommits{"kafka_server_group_coordinator_metrics_offset_commit_count",
                          Kind::counter, "Offsets that were committed."};
constexpr Metric kDeletions{"kafka_server_group_coordinator_metrics_offset_deletion_count",
                            Kind::counter, "Offsets that were deleted, but for those expired."};
constexpr Metric kExpirations{"kafka_server_group_coordinator_metrics_offset_expiration_count",
                              Kind::counter, "Offsets that have expired."};
constexpr Metric kRebalances{
    "kafka_server_group_coordinator_metrics_group_completed_rebalance_count", Kind::counter,
    "Rebalances of classic groups that have ended."};
constexpr Metric kByCause{"milena_group_rebalances_total", Kind::counter,
                          "Rebalances of groups of both protocols that have begun, by cause."};
constexpr Metric kRemoved{"milena_group_removed_members_total", Kind::counter,
                          "Members that were removed because they were silent, or did not do in "
                          "time what a rebalance asked of them."};
constexpr Metric kExpiredGroups{"milena_group_expired_groups_total", Kind::counter,
                                "Groups that were removed when their last offsets had expired."};
constexpr Metric kAskers{"milena_group_coordinator_waiting_requests", Kind::gauge,
                         "Requests that have no answer yet."};
constexpr Metric kParked{"milena_group_coordinator_parked_answers", Kind::gauge,
                         "Answers that wait until what they say is committed."};
constexpr Metric kUnstored{"milena_group_coordinator_unstored_records", Kind::gauge,
                           "Records that the state store does not have yet."};
constexpr Metric kPending{"milena_group_coordinator_pending_offsets", Kind::gauge,
                          "Commits that are kept in memory until the state store has them."};
constexpr Metric kForgotten{"milena_group_coordinator_deleted_topics", Kind::gauge,
                            "Deleted topics whose offsets are still to be deleted."};
constexpr Metric kRefused{"milena_group_coordinator_refused_requests_total", Kind::counter,
                          "Requests that were refused because too many wait."};
constexpr Metric kAppends{"milena_group_coordinator_appends_total", Kind::counter,
                          "Batches written to __consumer_offsets."};
constexpr Metric kFailedAppends{"milena_group_coordinator_failed_appends_total", Kind::counter,
                                "Batches that could not be written to __consumer_offsets."};
constexpr Metric kFailedLoads{"milena_group_coordinator_failed_loads_total", Kind::counter,
                              "Partitions that could not be taken over at the first try."};

/// All partitions together.
struct Sum {
    coordinator::GroupFigures groups;
    std::uint64_t turns = 0;
    std::uint64_t askers = 0;
    std::uint64_t parked = 0;
    std::uint64_t unstored = 0;
    std::uint64_t forgotten = 0;
    std::uint64_t loading = 0;
    std::uint64_t active = 0;

    void add(const HostedGroups::Figures& one) {
        groups.groups += one.groups.groups;
        groups.preparing_rebalance += one.groups.preparing_rebalance;
        groups.completing_rebalance += one.groups.completing_rebalance;
        groups.stable += one.groups.stable;
        groups.dead += one.groups.dead;
        groups.empty += one.groups.empty;
        groups.consumer.empty += one.groups.consumer.empty;
        groups.consumer.assigning += one.groups.consumer.assigning;
        groups.consumer.reconciling += one.groups.consumer.reconciling;
        groups.consumer.stable += one.groups.consumer.stable;
        groups.rebalances += one.groups.rebalances;
        groups.pending_offsets += one.groups.pending_offsets;
        turns += one.turns;
        askers += one.askers;
        parked += one.parked;
        forgotten += one.forgotten;
        unstored += static_cast<std::uint64_t>(one.unstored);
        loading += one.phase == HostedGroups::Phase::loading ? 1 : 0;
        active += one.phase == HostedGroups::Phase::active ? 1 : 0;
    }
};

void write(telemetry::Page& page, const Metric& metric, std::uint64_t value) {
    page.add(metric, static_cast<double>(value));
}

void write_groups(telemetry::Page& page, const coordinator::GroupFigures& groups) {
    write(page, kGroups, groups.groups);
    write(page, kPreparing, groups.preparing_rebalance);
    write(page, kCompleting, groups.completing_rebalance);
    write(page, kStable, groups.stable);
    write(page, kDead, groups.dead);
    write(page, kEmpty, groups.empty);
    const auto consumers = [&](std::string_view state, std::uint64_t count) {
        page.add(kConsumerGroups, {{"state", state}}, static_cast<double>(count));
    };
    consumers("empty", groups.consumer.empty);
    consumers("assigning", groups.consumer.assigning);
    consumers("reconciling", groups.consumer.reconciling);
    consumers("stable", groups.consumer.stable);
    consumers("dead", 0);
    write(page, kPending, groups.pending_offsets);
}

void write_causes(telemetry::Page& page, const HostCounters& counters) {
    for (std::size_t i = 0; i < counters.rebalances.size(); ++i) {
        page.add(kByCause, {{"cause", name_of(coordinator::kRebalanceCauses[i])}},
                 static_cast<double>(counters.rebalances[i].value()));
    }
    const auto removed = [&](std::string_view cause, const telemetry::Counter& count) {
        page.add(kRemoved, {{"cause", cause}}, static_cast<double>(count.value()));
    };
    removed("session_timeout", counters.silent_members);
    removed("rebalance_timeout", counters.slow_members);
    write(page, kExpiredGroups, counters.expired_groups.value());
}

void write_counters(telemetry::Page& page, const HostCounters& counters, env::Instant now) {
    write(page, kCommits, counters.committed_offsets.value());
    write(page, kDeletions, counters.deleted_offsets.value());
    write(page, kExpirations, counters.expired_offsets.value());
    write_causes(page, counters);
    write(page, kRefused, counters.refused.value());
    write(page, kAppends, counters.appends.value());
    write(page, kFailedAppends, counters.failed_appends.value());
    write(page, kFailedLoads, counters.failed_loads.value());
    const auto [longest, average] = counters.load_ms.with(
        [&](const auto& values) { return std::pair(values.greatest(now), values.average(now)); });
    page.add(kLoadMax, longest.value_or(0));
    page.add(kLoadAvg, average.value_or(0));
}

}  // namespace

void GroupCoordinator::write_metrics(telemetry::Page& page) const {
    Sum sum;
    const auto table = table_.load();
    for (const auto& [index, hosted] : table->led) sum.add(hosted->figures());
    write_groups(page, sum.groups);
    // Those of leaderships that have ended are not forgotten: it is a counter.
    write(page, kRebalances, sum.groups.rebalances + host_->counters.past_rebalances.value());
    page.add(kPartitions, {{"state", "loading"}}, static_cast<double>(sum.loading));
    page.add(kPartitions, {{"state", "active"}}, static_cast<double>(sum.active));
    page.add(kPartitions, {{"state", "failed"}}, 0);
    write(page, kQueue, sum.turns);
    write(page, kAskers, sum.askers);
    write(page, kParked, sum.parked);
    write(page, kUnstored, sum.unstored);
    write(page, kForgotten, sum.forgotten);
    write_counters(page, host_->counters, host_->env.clock().now());
}

}  // namespace milena::drivers
