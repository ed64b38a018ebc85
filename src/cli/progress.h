// SPDX-License-Identifier: Apache-2.0
// How far long work has come, as one line on standard error that is written over and taken away at
// the end. Only on a terminal: what goes to a file or a pipe has none of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace milena::cli {

/// When to say something, and what. It knows no clock and writes nothing.
class ProgressLine {
public:
    /// `what` is being done to `total` of `unit` ("bytes").
    ProgressLine(std::string what, std::uint64_t total, std::string unit)
        : what_(std::move(what)), total_(total), unit_(std::move(unit)) {}

    /// A text if it is time for one: not in the first half second, and five a second at most.
    std::optional<std::string> at(std::uint64_t done, std::chrono::nanoseconds now);

private:
    std::string what_;
    std::uint64_t total_;
    std::string unit_;
    std::optional<std::chrono::nanoseconds> next_;
};

class Progress {
public:
    /// Whether what the tool prints meanwhile comes in between: then clear() goes before it.
    enum class Output { clears, flows };

    /// Silent unless standard error is a terminal, and, where the output flows, standard output is
    /// none.
    Progress(std::string what, std::uint64_t total, std::string unit, Output output);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void at(std::uint64_t done);
    /// Takes the line away.
    void clear();

private:
    ProgressLine line_;
    bool is_on_;
    bool is_drawn_ = false;
};

}  // namespace milena::cli
