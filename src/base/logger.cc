// SPDX-License-Identifier: Apache-2.0
// Fields, escaping, the console sink on spdlog, and the limit on lines that peers trigger.
#include "milena/base/logger.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace milena {
namespace {

bool is_plain(std::string_view value) {
    if (value.empty()) return false;
    for (const char c : value) {
        if (c <= ' ' || c == '"' || c == '\\' || c == '=' || c == 0x7F) return false;
    }
    return true;
}

void append_escaped(std::string& out, std::string_view value) {
    out += '"';
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte >= 0x7F) {
            out += fmt::format("\\x{:02x}", byte);
        } else {
            out += c;
        }
    }
    out += '"';
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
    switch (level) {
        case LogLevel::trace: return spdlog::level::trace;
        case LogLevel::debug: return spdlog::level::debug;
        case LogLevel::info: return spdlog::level::info;
        case LogLevel::warn: return spdlog::level::warn;
        case LogLevel::error: return spdlog::level::err;
    }
    return spdlog::level::err;
}

/// Of one width, so that phrases stand below each other.
std::string_view level_name(LogLevel level) {
    switch (level) {
        case LogLevel::trace: return "TRACE";
        case LogLevel::debug: return "DEBUG";
        case LogLevel::info: return "INFO ";
        case LogLevel::warn: return "WARN ";
        case LogLevel::error: return "ERROR";
    }
    return "ERROR";
}

class ConsoleSink final : public LogSink {
public:
    ConsoleSink() : log_("milena", std::make_shared<spdlog::sinks::stdout_sink_mt>()) {
        log_.set_level(spdlog::level::trace);
        log_.set_pattern("%Y-%m-%d %H:%M:%S.%e %v");
        log_.flush_on(spdlog::level::trace);
    }
    void write(LogLevel level, std::string_view line) override {
        log_.log(spdlog_level(level), "{} {}", level_name(level), line);
    }

private:
    spdlog::logger log_;
};

}  // namespace

std::string log_field(std::string_view name, std::string_view value) {
    std::string out(name);
    out += '=';
    if (is_plain(value)) {
        out += value;
    } else {
        append_escaped(out, value);
    }
    return out;
}

std::shared_ptr<LogSink> make_console_sink() {
    return std::make_shared<ConsoleSink>();
}

Logger::Logger(std::shared_ptr<LogSink> sink, LogLevel from)
    : sink_(std::move(sink)), from_(from) {}

Logger Logger::with_field(std::string field) const {
    Logger copy = *this;
    copy.fields_ += ' ';
    copy.fields_ += field;
    return copy;
}

void Logger::emit(LogLevel level, std::string line) const {
    line += fields_;
    sink_->write(level, line);
}

bool LogLimit::admit(std::chrono::nanoseconds now, std::uint64_t& suppressed) {
    spent_until_ = std::max(spent_until_, now);
    if (spent_until_ - now > interval_ * (burst_ - 1)) {
        ++kept_back_;
        return false;
    }
    spent_until_ += interval_;
    suppressed = std::exchange(kept_back_, 0);
    return true;
}

}  // namespace milena
