// SPDX-License-Identifier: Apache-2.0
// Properties to a producer's options.
#include "cluster/producer_options.h"

#include <fmt/format.h>

namespace milena::cli {
namespace {

Result<std::int16_t> parse_acks(std::string_view text) {
    if (text == "all" || text == "-1") return std::int16_t{-1};
    if (text == "0") return std::int16_t{0};
    if (text == "1") return std::int16_t{1};
    return fail(ErrorCode::invalid_config,
                fmt::format("Invalid value {} for configuration acks: String must be one of: all, "
                            "-1, 0, 1",
                            text));
}

/// Reads numbers of one set of properties, each from `min` to 2^31-1.
class Numbers {
public:
    explicit Numbers(const ClientProperties& properties) : properties_(properties) {}

    template <class T>
    Result<void> read(std::string_view key, std::int64_t min, T& into) const {
        if (!properties_.contains(key)) return ok();
        TRY(const std::int64_t number, number_property(properties_, key, 0));
        if (number < min || number > INT32_MAX) {
            return fail(ErrorCode::invalid_config,
                        fmt::format("Invalid value {} for configuration {}: Value must be at least "
                                    "{} and at most {}",
                                    number, key, min, INT32_MAX));
        }
        into = static_cast<T>(number);
        return ok();
    }
    Result<void> read_ms(std::string_view key, env::Duration& into) const {
        auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(into).count();
        TRY_VOID(read(key, 0, ms));
        into = std::chrono::milliseconds(ms);
        return ok();
    }

private:
    const ClientProperties& properties_;
};

}  // namespace

Result<ProducerOptions> producer_options(const ClientProperties& properties,
                                         ProducerOptions defaults) {
    ProducerOptions options = defaults;
    const Numbers numbers(properties);
    if (properties.contains("acks")) {
        TRY(options.acks, parse_acks(text_property(properties, "acks", "")));
    }
    if (properties.contains("compression.type")) {
        TRY(options.limits.codec, parse_codec(text_property(properties, "compression.type", "")));
    }
    TRY_VOID(numbers.read("batch.size", 0, options.limits.batch_bytes));
    TRY_VOID(numbers.read("buffer.memory", 0, options.limits.buffer_bytes));
    TRY_VOID(numbers.read_ms("linger.ms", options.limits.linger));
    TRY_VOID(numbers.read("max.request.size", 0, options.request_bytes_max));
    TRY_VOID(numbers.read("max.in.flight.requests.per.connection", 1, options.requests_max));
    TRY_VOID(numbers.read("request.timeout.ms", 0, options.timeout_ms));
    TRY_VOID(numbers.read("retries", 0, options.retries));
    TRY_VOID(numbers.read_ms("retry.backoff.ms", options.backoff));
    TRY_VOID(numbers.read_ms("delivery.timeout.ms", options.delivery_timeout));
    TRY_VOID(numbers.read_ms("max.block.ms", options.block_max));
    return options;
}

}  // namespace milena::cli
