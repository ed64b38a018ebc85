// SPDX-License-Identifier: Apache-2.0
// A loop for each thread that is configured: look, clean the dirtiest, look again, rest when there
// is nothing.
#include "milena/drivers/log_cleaner.h"

#include <algorithm>

namespace milena::drivers {
namespace {

using replication::LogCleaning;

/// A log that has failed is tried again; the pause doubles each time.
constexpr env::Duration kFirstPause = std::chrono::minutes(1);
constexpr std::uint32_t kDoublingsMax = 6;
/// Longest wait of one piece for the limit of bytes per second, then it is looked at again.
constexpr env::Duration kThrottleWaitMax = std::chrono::seconds(1);

}  // namespace

LogCleaner::LogCleaner(env::Env& env, Logger log, replication::Replicas& replicas,
                       replication::CleanableLogs::Limit limit)
    : env_(env),
      log_(std::move(log)),
      replicas_(replicas),
      limit_(std::move(limit)),
      ended_(env, env.control()) {}

LogCleaner::~LogCleaner() = default;

void LogCleaner::configure(const LogCleanerSettings& settings) {
    if (settings == settings_) return;
    settings_ = settings;
    budget_at_ = env_.clock().now();
    if (started_ && !stopping_) start_workers();
    for (const auto& rest : rests_) rest->notify();
}

void LogCleaner::start() {
    started_ = true;
    budget_at_ = env_.clock().now();
    figures_.with([&](Figures& figures) { figures.last_run = env_.clock().now(); });
    start_workers();
}

void LogCleaner::start_workers() {
    for (std::size_t number = 0; number < settings_.threads; ++number) {
        if (number == rests_.size()) {
            rests_.push_back(std::make_unique<env::Wakeup>(env_, env_.control()));
            is_working_.push_back(false);
        }
        if (is_working_[number]) continue;
        is_working_[number] = true;
        ++running_;
        env::spawn(env_.control(), work(number));
    }
}

env::Task<void> LogCleaner::work(std::size_t number) {
    while (!is_over(number)) {
        const std::optional<Log> log = co_await choose();
        const bool has_worked = log && !stopping_ && co_await clean(*log);
        if (log) std::erase(in_hand_, Key{log->topic, log->partition});
        if (has_worked) continue;
        if (is_over(number)) break;
        co_await rests_[number]->wait_until(env_.clock().now() + settings_.backoff);
    }
    is_working_[number] = false;
    --running_;
    ended_.notify();
}

env::Task<void> LogCleaner::stop() {
    stopping_ = true;
    for (const auto& rest : rests_) rest->notify();
    while (running_ > 0) co_await ended_.wait_until(env::kNever);
}

std::optional<std::size_t> LogCleaner::pick(std::span<const Log> logs) const {
    const env::Instant now = env_.clock().now();
    std::vector<storage::DirtyLog> dirty;
    std::vector<std::size_t> index;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        const Key key{logs[i].topic, logs[i].partition};
        const auto failed = failed_.find(key);
        if (failed != failed_.end() && now < failed->second.not_before) continue;
        if (std::ranges::find(in_hand_, key) != in_hand_.end()) continue;
        dirty.push_back(logs[i].dirty);
        index.push_back(i);
    }
    const auto best = storage::dirtiest(dirty);
    return best ? std::optional(index[*best]) : std::nullopt;
}

env::Task<std::optional<LogCleaner::Log>> LogCleaner::choose() {
    std::vector<Log> logs;
    co_await env_.offload(env::Pool::disk, [&] { logs = replicas_.cleanable_logs().list(limit_); });
    std::erase_if(failed_, [&](const auto& one) {
        return replicas_.find(one.first.first, one.first.second) == nullptr;
    });
    double dirtiest = 0;
    std::int64_t overdue_ms = 0;
    for (const Log& log : logs) {
        dirtiest = std::max(dirtiest, log.dirty.ratio());
        overdue_ms = std::max(overdue_ms, log.dirty.overdue_ms);
        const auto failed = failed_.find({log.topic, log.partition});
        if (failed != failed_.end())
            failed->second.bytes = log.dirty.clean_bytes + log.dirty.dirty_bytes;
    }
    show_failed();
    figures_.with([&](Figures& figures) {
        figures.dirty_percent = dirtiest * 100;
        figures.delay_seconds = static_cast<double>(overdue_ms) / 1000;
        figures.last_run = env_.clock().now();
    });
    const auto best = pick(logs);
    if (!best) co_return std::nullopt;
    in_hand_.emplace_back(logs[*best].topic, logs[*best].partition);
    co_return logs[*best];
}

storage::CleaningLimits LogCleaner::limits() {
    storage::CleaningLimits out;
    const std::uint64_t threads = std::max<std::size_t>(settings_.threads, 1);
    out.map_bytes = settings_.dedupe_bytes / threads;
    out.load_factor = settings_.load_factor;
    // Some bytes at least: a piece must come to an end, and to the next.
    constexpr std::uint64_t kIoBytesMin = 4096;
    out.read_bytes = std::max(settings_.io_bytes / threads, kIoBytesMin);
    out.hash_key = {env_.random().next(), env_.random().next()};
    out.now = env_.clock().wall();
    return out;
}

env::Task<bool> LogCleaner::clean(const Log& log) {
    const env::Instant begin = env_.clock().now();
    std::unique_ptr<LogCleaning> cleaning;
    co_await env_.offload(env::Pool::disk, [&, wanted = limits()] {
        cleaning = replicas_.cleanable_logs().begin(log, wanted);
    });
    if (cleaning == nullptr) co_return false;
    const Result<bool> done = co_await run(cleaning);
    if (!done) {
        failed(log, done.error());
    } else if (*done) {
        succeeded(log, cleaning->figures(), begin);
    } else {
        LOG_INFO(log_, "a cleaning was called off", kv("partition", log.name.text()));
    }
    // The map may take long to be given back.
    co_await env_.offload(env::Pool::disk, [&] { cleaning.reset(); });
    co_return true;
}

env::Task<Result<bool>> LogCleaner::run(std::unique_ptr<LogCleaning>& cleaning) {
    std::uint64_t counted = 0;
    for (;;) {
        Result<LogCleaning::Outcome> step;
        co_await env_.offload(env::Pool::disk, [&] { step = cleaning->step(); });
        const storage::CleaningFigures& figures = cleaning->figures();
        const std::uint64_t bytes = figures.bytes_read + figures.bytes_written;
        const std::uint64_t more = bytes - std::exchange(counted, bytes);
        if (!step) co_return std::unexpected(std::move(step).error());
        if (*step != LogCleaning::Outcome::goes_on) co_return *step == LogCleaning::Outcome::done;
        if (!stopping_) co_await throttle(more);
        if (!stopping_) continue;
        co_await env_.offload(env::Pool::disk, [&] { cleaning->give_up(); });
        co_return false;
    }
}

/// All that all threads read and write counts together.
env::Task<void> LogCleaner::throttle(std::uint64_t bytes) {
    const double per_second = settings_.bytes_per_second;
    const double seconds = per_second > 0 ? static_cast<double>(bytes) / per_second
                                          : std::chrono::duration<double>(kThrottleWaitMax).count();
    constexpr double kSecondsMax = 3600;
    budget_at_ = std::max(budget_at_, env_.clock().now()) +
                 std::chrono::duration_cast<env::Duration>(
                     std::chrono::duration<double>(std::min(seconds, kSecondsMax)));
    // A change of the limit begins a new budget.
    while (!stopping_ && budget_at_ > env_.clock().now()) {
        const env::Duration left = budget_at_ - env_.clock().now();
        co_await env_.sleep(env_.control(), std::min(left, kThrottleWaitMax));
    }
}

void LogCleaner::succeeded(const Log& log, const storage::CleaningFigures& done,
                           env::Instant begin) {
    const double seconds = std::chrono::duration<double>(env_.clock().now() - begin).count();
    failed_.erase({log.topic, log.partition});
    show_failed();
    figures_.with([&](Figures& figures) {
        const std::uint64_t bytes_before = done.bytes_read - done.map_bytes_read;
        figures.bytes_read += done.bytes_read;
        figures.bytes_written += done.bytes_written;
        figures.recopy_percent = bytes_before == 0 ? 0
                                                   : 100 * static_cast<double>(done.bytes_written) /
                                                         static_cast<double>(bytes_before);
        figures.buffer_percent = 100 * done.map_utilisation;
        figures.clean_seconds = seconds;
        ++figures.cleanings;
    });
    LOG_INFO(log_, "cleaned a log", kv("partition", log.name.text()),
             kv("first_dirty", log.dirty.first_dirty), kv("records_before", done.records_read),
             kv("records_after", done.records_kept), kv("segments_before", done.segments_before),
             kv("segments_after", done.segments_after), kv("bytes_read", done.bytes_read),
             kv("bytes_written", done.bytes_written), kv("seconds", seconds));
    if (done.keyless_records == 0) return;
    LOG_WARN(log_, "records without a key went from a compacted log",
             kv("partition", log.name.text()), kv("records", done.keyless_records));
}

void LogCleaner::failed(const Log& log, const Error& error) {
    Failed& known = failed_[{log.topic, log.partition}];
    const env::Duration pause = kFirstPause * (1U << std::min(known.failures, kDoublingsMax));
    ++known.failures;
    known.directory = log.directory;
    known.bytes = log.dirty.clean_bytes + log.dirty.dirty_bytes;
    known.not_before = env_.clock().now() + pause;
    show_failed();
    figures_.with([](Figures& figures) { ++figures.failures; });
    LOG_ERROR(log_, "a log can't be cleaned and grows", kv("topic", log.name.topic),
              kv("partition", log.name.text()), kv("failures", known.failures),
              kv("tried_again_after_seconds",
                 std::chrono::duration_cast<std::chrono::seconds>(pause).count()),
              kv("why", error.why));
}

void LogCleaner::show_failed() {
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> by_directory;
    for (const auto& [key, failed] : failed_) {
        auto& [logs, bytes] = by_directory[failed.directory];
        ++logs;
        bytes += failed.bytes;
    }
    figures_.with([&](Figures& figures) { figures.uncleanable = std::move(by_directory); });
}

}  // namespace milena::drivers
