// SPDX-License-Identifier: Apache-2.0
// Log lines: a fixed phrase, which grep finds in the source, then fields. A logger is handed in,
// never global: several nodes share a process in a simulation. Values that come from outside are
// escaped, so a peer can't forge a line.
//
//   LOG_INFO(log, "became leader", kv("partition", "t-0"), kv("leader_epoch", epoch));
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

namespace milena {

enum class LogLevel { trace, debug, info, warn, error };

/// One field of a line; its value is as it came, not escaped.
struct LogField {
    std::string name;
    std::string value;
    bool is_number = false;
};

template <class T>
LogField kv(std::string_view name, const T& value) {
    return {std::string(name), fmt::format("{}", value),
            std::is_arithmetic_v<T> && !std::is_same_v<T, bool>};
}

struct LogLine {
    LogLevel level = LogLevel::info;
    std::string_view phrase;
    std::span<const LogField> fields;

    /// "phrase name=value …", values quoted and escaped where they need to be.
    std::string text() const;
    /// "\"level\":\"INFO\",\"message\":phrase,name:value…": the members of a JSON object.
    std::string json_members() const;
};

/// Takes finished lines. Thread-safe.
class LogSink {
public:
    virtual ~LogSink() = default;
    virtual void write(const LogLine& line) = 0;
};

enum class LogFormat {
    text,  ///< 2026-11-29 17:40:39.123 INFO  phrase name=value …
    json,  ///< one object a line: {"time":"2026-11-29T17:40:39.123Z","level":"INFO",…}
};

/// Lines on standard output.
std::shared_ptr<LogSink> make_console_sink(LogFormat format = LogFormat::text);

/// A cheap handle: where lines go, from which level on, and the fields every line of it carries.
/// Copies share the sink; use from any thread.
class Logger {
public:
    /// Says nothing.
    Logger() = default;
    explicit Logger(std::shared_ptr<LogSink> sink, LogLevel from = LogLevel::info);

    /// The same, with one more field on every line.
    template <class T>
    Logger with(std::string_view name, const T& value) const {
        return with_field(kv(name, value));
    }

    bool enabled(LogLevel level) const { return sink_ != nullptr && level >= from_; }

    template <class... Field>
    void write(LogLevel level, std::string_view phrase, Field&&... fields) const {
        std::vector<LogField> all;
        all.reserve(sizeof...(fields));
        (all.push_back(std::forward<Field>(fields)), ...);
        emit(level, phrase, std::move(all));
    }

private:
    using Fields = std::vector<LogField>;
    Logger with_field(LogField field) const;
    void emit(LogLevel level, std::string_view phrase, std::vector<LogField> fields) const;

    std::shared_ptr<LogSink> sink_;
    LogLevel from_ = LogLevel::info;
    /// Those of every line, shared: thousands of partitions have a logger each, and copies of it.
    std::shared_ptr<const Fields> fields_;
};

/// Lets through `burst` lines at once and then one per `interval`, and says how many it kept back.
/// One per thing that a peer can trigger; not thread-safe: keep it under the guard of its owner.
class LogLimit {
public:
    explicit LogLimit(std::chrono::nanoseconds interval, std::int64_t burst = 1)
        : interval_(interval), burst_(burst) {}
    /// True if a line may be written now; `suppressed` is then how many were not since the last.
    bool admit(std::chrono::nanoseconds now, std::uint64_t& suppressed);

private:
    std::chrono::nanoseconds interval_;
    std::int64_t burst_;
    std::chrono::nanoseconds spent_until_{
        0};  ///< each line costs one interval; at most `burst` may be owed
    std::uint64_t kept_back_ = 0;
};

}  // namespace milena

#define MILENA_LOG(log, level, ...)                              \
    do {                                                         \
        if (const auto& log_to_ = (log); log_to_.enabled(level)) \
            log_to_.write(level, __VA_ARGS__);                   \
    } while (false)
#define LOG_TRACE(log, ...) MILENA_LOG(log, ::milena::LogLevel::trace, __VA_ARGS__)
#define LOG_DEBUG(log, ...) MILENA_LOG(log, ::milena::LogLevel::debug, __VA_ARGS__)
#define LOG_INFO(log, ...) MILENA_LOG(log, ::milena::LogLevel::info, __VA_ARGS__)
#define LOG_WARN(log, ...) MILENA_LOG(log, ::milena::LogLevel::warn, __VA_ARGS__)
#define LOG_ERROR(log, ...) MILENA_LOG(log, ::milena::LogLevel::error, __VA_ARGS__)
