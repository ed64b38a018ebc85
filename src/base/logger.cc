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

/// In quotes, with every byte that is not printable ASCII as two hexadecimal digits after
/// `byte_prefix`, one by one: what comes from outside need not be UTF-8.
void append_quoted(std::string& out, std::string_view value, std::string_view byte_prefix) {
    out += '"';
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte >= 0x7F) {
            out += fmt::format("{}{:02x}", byte_prefix, byte);
        } else {
            out += c;
        }
    }
    out += '"';
}

void append_escaped(std::string& out, std::string_view value) {
    append_quoted(out, value, "\\x");
}

/// A JSON string, whatever bytes it holds.
void append_json(std::string& out, std::string_view value) {
    append_quoted(out, value, "\\u00");
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
    explicit ConsoleSink(LogFormat format)
        : format_(format), log_("milena", std::make_shared<spdlog::sinks::stdout_sink_mt>()) {
        log_.set_level(spdlog::level::trace);
        if (format == LogFormat::json) {
            log_.set_pattern("{\"time\":\"%Y-%m-%dT%H:%M:%S.%eZ\",%v}",
                             spdlog::pattern_time_type::utc);
        } else {
            log_.set_pattern("%Y-%m-%d %H:%M:%S.%e %v");
        }
        log_.flush_on(spdlog::level::trace);
    }
    void write(const LogLine& line) override {
        if (format_ == LogFormat::json) {
            log_.log(spdlog_level(line.level), line.json_members());
        } else {
            log_.log(spdlog_level(line.level), "{} {}", level_name(line.level), line.text());
        }
    }

private:
    const LogFormat format_;
    spdlog::logger log_;
};

}  // namespace

std::string LogLine::text() const {
    std::string out(phrase);
    for (const LogField& field : fields) {
        out += ' ';
        out += field.name;
        out += '=';
        if (is_plain(field.value)) {
            out += field.value;
        } else {
            append_escaped(out, field.value);
        }
    }
    return out;
}

std::string LogLine::json_members() const {
    std::string out = "\"level\":";
    const std::string_view name = level_name(level);
    append_json(out, name.substr(0, name.find(' ')));
    out += ",\"message\":";
    append_json(out, phrase);
    for (const LogField& field : fields) {
        out += ',';
        append_json(out, field.name);
        out += ':';
        if (field.is_number && field.value.find_first_not_of("-.0123456789") == std::string::npos) {
            out += field.value;
        } else {
            append_json(out, field.value);
        }
    }
    return out;
}

std::shared_ptr<LogSink> make_console_sink(LogFormat format) {
    return std::make_shared<ConsoleSink>(format);
}

Logger::Logger(std::shared_ptr<LogSink> sink, LogLevel from)
    : sink_(std::move(sink)), from_(from) {}

Logger Logger::with_field(LogField field) const {
    Fields fields = fields_ == nullptr ? Fields() : *fields_;
    fields.push_back(std::move(field));
    Logger copy = *this;
    copy.fields_ = std::make_shared<const Fields>(std::move(fields));
    return copy;
}

void Logger::emit(LogLevel level, std::string_view phrase, std::vector<LogField> fields) const {
    if (fields_ != nullptr) fields.insert(fields.end(), fields_->begin(), fields_->end());
    sink_->write({level, phrase, fields});
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
