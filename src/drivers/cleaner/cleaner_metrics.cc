// SPDX-License-Identifier: Apache-2.0
// What the cleaner shows under Kafka's names.
#include "milena/drivers/log_cleaner.h"

namespace milena::drivers {
namespace {

using telemetry::Kind;
using telemetry::Metric;

constexpr Metric kDead{"kafka_log_logcleaner_deadthreadcount", Kind::gauge,
                       "Cleaner threads that have died; here none does."};
constexpr Metric kRecopy{"kafka_log_logcleaner_cleaner_recopy_percent", Kind::gauge,
                         "What the last cleaning wrote, of what was there before."};
constexpr Metric kBuffer{"kafka_log_logcleaner_max_buffer_utilization_percent", Kind::gauge,
                         "How full the table of keys was in the last cleaning."};
constexpr Metric kTime{"kafka_log_logcleaner_max_clean_time_secs", Kind::gauge,
                       "Seconds that the last cleaning took."};
constexpr Metric kDelay{"kafka_log_logcleaner_max_compaction_delay_secs", Kind::gauge,
                        "How long a log was uncompacted beyond its max.compaction.lag.ms when the "
                        "cleaner last looked, at most."};
constexpr Metric kDirty{"kafka_log_logcleanermanager_max_dirty_percent", Kind::gauge,
                        "Share of the dirtiest log that was uncompacted when the cleaner last "
                        "looked."};
constexpr Metric kLastRun{"kafka_log_logcleanermanager_time_since_last_run_ms", Kind::gauge,
                          "Milliseconds since the cleaner last looked for something to do."};
constexpr Metric kBytes{"kafka_log_logcleanermanager_uncleanable_bytes", Kind::gauge,
                        "Bytes of the logs whose last cleaning has failed."};
constexpr Metric kLogs{"kafka_log_logcleanermanager_uncleanable_partitions_count", Kind::gauge,
                       "Logs whose last cleaning has failed."};
constexpr Metric kThrottled{"kafka_utils_throttler_cleaner_io_count", Kind::counter,
                            "Bytes that the cleaner has read and written."};
constexpr Metric kCleanings{"milena_log_cleaner_cleanings_total", Kind::counter,
                            "Cleanings that were finished."};
constexpr Metric kFailures{"milena_log_cleaner_failures_total", Kind::counter,
                           "Cleanings that have failed."};

}  // namespace

void LogCleaner::write_metrics(telemetry::Page& page, env::Instant now) const {
    const Figures shown = figures_.with([](const Figures& figures) { return figures; });
    page.add(kDead, 0);
    page.add(kRecopy, shown.recopy_percent);
    page.add(kBuffer, shown.buffer_percent);
    page.add(kTime, shown.clean_seconds);
    page.add(kDelay, shown.delay_seconds);
    page.add(kDirty, shown.dirty_percent);
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now - shown.last_run);
    page.add(kLastRun, static_cast<double>(since.count()));
    page.add(kThrottled, static_cast<double>(shown.bytes_read + shown.bytes_written));
    page.add(kCleanings, static_cast<double>(shown.cleanings));
    page.add(kFailures, static_cast<double>(shown.failures));
    for (const replication::WriteLaneState& directory : replicas_.write_lanes()) {
        const auto at = shown.uncleanable.find(directory.path);
        const auto [logs, bytes] =
            at == shown.uncleanable.end() ? std::pair<std::uint64_t, std::uint64_t>() : at->second;
        page.add(kLogs, {{"logDirectory", directory.path}}, static_cast<double>(logs));
        page.add(kBytes, {{"logDirectory", directory.path}}, static_cast<double>(bytes));
    }
}

}  // namespace milena::drivers
