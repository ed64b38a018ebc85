// SPDX-License-Identifier: Apache-2.0
// What a producer's test sends: values of letters, of a file, or numbers that count up; keys or
// none. One seed gives what Kafka's tool makes of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "milena/base/result.h"
#include "perf/splittable_random.h"

namespace milena::cli {

class Payloads {
public:
    enum class Keys { none, range, random };
    struct Plan {
        std::size_t record_bytes = 0;    ///< letters; 0: `texts`, or numbers if there are none
        std::vector<std::string> texts;  ///< of which one is drawn each time
        Keys keys = Keys::none;
        std::uint32_t key_range = 1;
        std::uint64_t seed = 0;
    };
    explicit Payloads(Plan plan);

    /// Goes on to the next record: first its value, then its key.
    void advance();
    /// Of the record; the views are good until advance().
    std::string_view value() const { return value_; }
    std::optional<std::string_view> key() const { return key_; }

private:
    Plan plan_;
    SplittableRandom random_;
    std::int64_t number_ = -1;
    std::string letters_;
    std::string key_text_;
    std::string_view value_;
    std::optional<std::string_view> key_;
};

/// The texts between `delimiter`s; those at the end that are empty are left out, as Java's split()
/// has it.
std::vector<std::string> split_payloads(std::string_view text, std::string_view delimiter);

}  // namespace milena::cli
