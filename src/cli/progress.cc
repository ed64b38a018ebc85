// SPDX-License-Identifier: Apache-2.0
// A carriage return and "erase to the end of the line" are all the terminal must know.
#include "progress.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "console.h"

namespace milena::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kQuiet(500);
constexpr milliseconds kInterval(200);
constexpr std::string_view kErase = "\r\x1b[K";

}  // namespace

std::optional<std::string> ProgressLine::at(std::uint64_t done, std::chrono::nanoseconds now) {
    if (!next_) next_ = now + kQuiet;
    if (now < *next_) return std::nullopt;
    next_ = now + kInterval;
    if (total_ == 0) return fmt::format("{}: {} {}", what_, done, unit_);
    const std::uint64_t shown = std::min(done, total_);
    const auto percent =
        static_cast<int>(100.0 * static_cast<double>(shown) / static_cast<double>(total_));
    return fmt::format("{}: {} % ({} of {} {})", what_, percent, shown, total_, unit_);
}

Progress::Progress(std::string what, std::uint64_t total, std::string unit, Output output)
    : line_(std::move(what), total, std::move(unit)),
      is_on_(::isatty(STDERR_FILENO) != 0 &&
             (output == Output::clears || ::isatty(STDOUT_FILENO) == 0)) {}

void Progress::at(std::uint64_t done) {
    if (!is_on_) return;
    const auto text = line_.at(done, std::chrono::steady_clock::now().time_since_epoch());
    if (!text) return;
    print_error(fmt::format("{}{}", kErase, *text));
    is_drawn_ = true;
}

void Progress::clear() {
    if (std::exchange(is_drawn_, false)) print_error(kErase);
}

}  // namespace milena::cli
