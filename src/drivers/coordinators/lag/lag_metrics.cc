// SPDX-License-Identifier: Apache-2.0
// What a scrape is told of groups: under the names, and with the labels, of those who measure lag
// from outside (danielqsj/kafka_exporter with the label `consumergroup`, seglo/kafka-lag-exporter
// with `group`), so that dashboards made for these go on; what they do not have, under Milena's.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "watch.h"

namespace milena::drivers {
namespace {

using telemetry::Kind;
using telemetry::Metric;
using telemetry::Page;

constexpr Metric kLag{"kafka_consumergroup_lag", Kind::gauge,
                      "Records that the group has not committed yet: the partition's high "
                      "watermark, as it was told last, less the committed offset."};
constexpr Metric kCurrentOffset{"kafka_consumergroup_current_offset", Kind::gauge,
                                "The offset that the group has committed."};
constexpr Metric kTopicSum{"kafka_consumergroup_lag_sum", Kind::gauge,
                           "Sum of kafka_consumergroup_lag over the topic's partitions."};
constexpr Metric kMembers{"kafka_consumergroup_members", Kind::gauge, "Members of the group."};
constexpr Metric kSeconds{
    "kafka_consumergroup_group_lag_seconds", Kind::gauge,
    "Seconds since the next record that the group has to read became readable, 0 if there is none; "
    "right to some seconds, or to a share of itself. Where that was before this broker began to "
    "watch, it counts from then: it is at least so long."};
constexpr Metric kSecondsMax{
    "kafka_consumergroup_group_max_lag_seconds", Kind::gauge,
    "The longest kafka_consumergroup_group_lag_seconds of the group's partitions, shown or not."};
constexpr Metric kMax{"kafka_consumergroup_group_max_lag", Kind::gauge,
                      "The greatest lag of the group's partitions in records, shown or not."};
constexpr Metric kSum{"kafka_consumergroup_group_sum_lag", Kind::gauge,
                      "Sum of the lag of the group's partitions in records, shown or not."};
constexpr Metric kState{"milena_group_state", Kind::gauge, "1 for the state that the group is in."};
constexpr Metric kHiddenGroups{"milena_group_lag_hidden_groups", Kind::gauge,
                               "Groups that are not shown, for there are too many."};
constexpr Metric kHiddenPartitions{
    "milena_group_lag_hidden_partitions", Kind::gauge,
    "Committed offsets of groups that are shown without series for their partitions, for there are "
    "too many; the group's sum and maxima count them."};
constexpr Metric kOffsets{"milena_group_lag_offsets", Kind::gauge,
                          "Committed offsets whose lag is watched."};
constexpr Metric kLeftOut{"milena_group_lag_left_out", Kind::gauge,
                          "Commits of partitions whose lag is not watched for want of memory; "
                          "counted anew every ten minutes."};
constexpr Metric kSilent{"milena_group_lag_silent_partitions", Kind::gauge,
                         "Partitions with committed offsets whose end was not told for a minute."};
constexpr Metric kRequests{"milena_group_lag_requests_total", Kind::counter,
                           "Requests for the ends of partitions that other brokers lead."};
constexpr Metric kFailures{"milena_group_lag_failed_requests_total", Kind::counter,
                           "Requests for the ends of partitions that were not answered."};

constexpr LagTick kSilence = 60 * static_cast<LagTick>(kLagTicksPerSecond);

/// Of what is known; nothing is known of partitions whose end is not.
struct Sum {
    std::int64_t records = 0;
    std::int64_t records_max = 0;
    double seconds_max = 0;
    bool is_known = false;

    void add(const PartitionLag& lag) {
        if (!lag.records) return;
        records += *lag.records;
        records_max = std::max(records_max, *lag.records);
        seconds_max = std::max(seconds_max, lag.seconds);
        is_known = true;
    }
};

/// Longer names of groups are not shown: a page would become as large as clients like.
constexpr std::size_t kNameBytesMax = 255;

/// Writes the lag of one group after the other, with partitions as long as there is room.
class LagRows {
public:
    LagRows(Page& page, const metadata::TopicsImage& topics) : page_(page), topics_(topics) {}

    void write(GroupLagRow row) {
        // What is known of a topic that is gone, or was made anew, is no longer true.
        std::erase_if(row.topics, [&](const TopicLag& topic) {
            const auto image = topics_.find(topic.topic);
            return image == nullptr || (topic.id != Uuid() && image->id != topic.id);
        });
        std::size_t partitions = 0;
        Sum all;
        for (const TopicLag& topic : row.topics) {
            partitions += topic.partitions.size();
            for (const PartitionLag& lag : topic.partitions) all.add(lag);
        }
        if (all.is_known) {
            page_.add(kSum, {{"group", row.group}}, static_cast<double>(all.records));
            page_.add(kMax, {{"group", row.group}}, static_cast<double>(all.records_max));
            page_.add(kSecondsMax, {{"group", row.group}}, all.seconds_max);
        }
        // A group has series for all its partitions or for none, so that sums over them are right.
        if (partitions > room_) {
            hidden_ += partitions;
            return;
        }
        room_ -= partitions;
        for (const TopicLag& topic : row.topics) write(row.group, topic);
    }
    std::size_t hidden() const { return hidden_; }

private:
    void write(std::string_view group, const TopicLag& topic) {
        Sum sum;
        for (const PartitionLag& lag : topic.partitions) {
            sum.add(lag);
            const std::string partition = fmt::to_string(lag.partition.value);
            const auto add = [&](const Metric& metric, std::string_view label, double value) {
                page_.add(metric,
                          {{label, group}, {"topic", topic.topic}, {"partition", partition}},
                          value);
            };
            add(kCurrentOffset, "consumergroup", static_cast<double>(lag.committed.value));
            if (!lag.records) continue;
            add(kLag, "consumergroup", static_cast<double>(*lag.records));
            add(kSeconds, "group", lag.seconds);
        }
        if (!sum.is_known) return;
        page_.add(kTopicSum, {{"consumergroup", group}, {"topic", topic.topic}},
                  static_cast<double>(sum.records));
    }

    Page& page_;
    const metadata::TopicsImage& topics_;
    std::size_t room_ = GroupLag::kPartitionsShownMax;
    std::size_t hidden_ = 0;
};

}  // namespace

void GroupLag::write_metrics(telemetry::Page& page) const {
    std::set<std::string, std::less<>> shown;
    std::size_t hidden = 0;
    options_.groups([&](const coordinator::GroupSummary& group) {
        if (shown.size() == kGroupsShownMax || group.group.size() > kNameBytesMax) {
            ++hidden;
            return;
        }
        // One may be on its way from one protocol, or partition, to another.
        if (!shown.insert(group.group).second) return;
        page.add(kState, {{"group", group.group}, {"state", group.state}}, 1);
        page.add(kMembers, {{"consumergroup", group.group}}, static_cast<double>(group.members));
    });
    const auto view = view_.load();
    LagRows rows(page, *view->topics);
    for (const storage::StateSpace& space : options_.coordinated()) {
        std::optional<std::string> behind;
        for (;;) {
            auto row = watch_->offsets.with([&](const WatchedOffsets& offsets) {
                return offsets.next_group(space, behind, tick());
            });
            if (!row) break;
            behind = row->group;
            if (shown.erase(row->group) != 0) rows.write(*std::move(row));
        }
    }
    const LagTick now = tick();
    const auto figures = watch_->offsets.with([&](const WatchedOffsets& offsets) {
        return offsets.figures(now - std::min(now, kSilence));
    });
    page.add(kHiddenGroups, static_cast<double>(hidden));
    page.add(kHiddenPartitions, static_cast<double>(rows.hidden()));
    page.add(kOffsets, static_cast<double>(figures.offsets));
    page.add(kLeftOut, static_cast<double>(figures.left_out));
    page.add(kSilent, static_cast<double>(figures.silent));
    page.add(kRequests, static_cast<double>(watch_->remote.requests.value()));
    page.add(kFailures, static_cast<double>(watch_->remote.failures.value()));
}

}  // namespace milena::drivers
