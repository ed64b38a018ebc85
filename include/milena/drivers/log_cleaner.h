// SPDX-License-Identifier: Apache-2.0
// Cleans the logs of compacted topics, the dirtiest first: some at a time (log.cleaner.threads),
// each in pieces in the disk pool, no faster than log.cleaner.io.max.bytes.per.second allows. A log
// whose cleaning fails is left alone for a while, longer each time, and told in the log and the
// metrics meanwhile; the others are cleaned on. On the control thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "milena/base/logger.h"
#include "milena/env/env.h"
#include "milena/env/guarded.h"
#include "milena/replication/replicas.h"
#include "milena/telemetry/page.h"

namespace milena::drivers {

/// log.cleaner.*; may change at any time.
struct LogCleanerSettings {
    std::size_t threads = 1;
    env::Duration backoff = std::chrono::seconds(15);
    /// Shared by all threads.
    std::uint64_t dedupe_bytes = 128ULL << 20;
    double load_factor = 0.9;
    std::uint64_t io_bytes = 512ULL << 10;
    double bytes_per_second = 1.7976931348623157E308;

    bool operator==(const LogCleanerSettings&) const = default;
};

class LogCleaner {
public:
    /// What is referred to outlives stop(). `limit`, on the disk pool's threads: how far a log may
    /// be cleaned for others' sake.
    LogCleaner(env::Env& env, Logger log, replication::Replicas& replicas,
               replication::CleanableLogs::Limit limit);
    ~LogCleaner();

    /// Counts from the next piece on.
    void configure(const LogCleanerSettings& settings);
    void start();
    /// Gives up what is under way after the piece that it is at.
    env::Task<void> stop();

    /// From any thread.
    void write_metrics(telemetry::Page& page, env::Instant now) const;

private:
    using Key = std::pair<Uuid, PartitionIndex>;
    using Log = replication::CleanableLog;

    /// A log whose last cleaning has failed.
    struct Failed {
        std::string directory{};
        std::uint64_t bytes = 0;
        std::uint32_t failures = 0;
        env::Instant not_before{};
    };
    /// What is shown.
    struct Figures {
        std::uint64_t bytes_read = 0;
        std::uint64_t bytes_written = 0;
        double recopy_percent = 0;
        double buffer_percent = 0;
        double clean_seconds = 0;
        double delay_seconds = 0;
        double dirty_percent = 0;
        std::uint64_t cleanings = 0;
        std::uint64_t failures = 0;
        env::Instant last_run{};
        /// By directory: how many logs, how many bytes.
        std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> uncleanable{};
    };

    env::Task<void> work(std::size_t number);
    void start_workers();
    /// The next to be cleaned, which is in hand then; nothing if none is due.
    env::Task<std::optional<Log>> choose();
    std::optional<std::size_t> pick(std::span<const Log> logs) const;
    /// False if there was nothing to clean any more.
    env::Task<bool> clean(const Log& log);
    /// All pieces of it. True: done, false: called off or given up.
    env::Task<Result<bool>> run(std::unique_ptr<replication::LogCleaning>& cleaning);
    env::Task<void> throttle(std::uint64_t bytes);
    storage::CleaningLimits limits();
    void succeeded(const Log& log, const storage::CleaningFigures& figures, env::Instant begin);
    void failed(const Log& log, const Error& error);
    void show_failed();
    bool is_over(std::size_t number) const { return stopping_ || number >= settings_.threads; }

    env::Env& env_;
    const Logger log_;
    replication::Replicas& replicas_;
    const replication::CleanableLogs::Limit limit_;

    // Of the control thread.
    LogCleanerSettings settings_;
    std::vector<std::unique_ptr<env::Wakeup>> rests_;  ///< one a worker there ever was
    std::vector<bool> is_working_;
    std::map<Key, Failed> failed_;
    std::vector<Key> in_hand_;
    /// When what was read and written so far is allowed to have been.
    env::Instant budget_at_{};
    std::size_t running_ = 0;
    env::Wakeup ended_;
    bool started_ = false;
    bool stopping_ = false;

    env::Guarded<Figures> figures_;
};

}  // namespace milena::drivers
