// SPDX-License-Identifier: Apache-2.0
// simulate SEED[-SEED] [--fault NAME] [--story] [--twice]: runs the seeds one after the other,
// tells what each did and what must not have been, and how fast it went. Ends with 1 if anything
// was wrong.
#include <charconv>
#include <cstdio>
#include <ctime>

#include "sim/faults/fault.h"
#include "sim/runs/run.h"

// What a simulated crash leaves behind is not a leak of the program.
extern "C" const char* __asan_default_options() {
    return "detect_leaks=0";
}

namespace milena::sim {
namespace {

struct Arguments {
    std::uint64_t first = 1;
    std::uint64_t last = 1;
    RunOptions options;
    /// Each seed runs twice, and both histories must be the same.
    bool is_twice = false;
};

bool read_seed(std::string_view text, std::uint64_t& into) {
    const char* const end = text.data() + text.size();
    return std::from_chars(text.data(), end, into).ptr == end && !text.empty();
}

bool read_seeds(std::string_view text, Arguments& arguments) {
    const std::size_t dash = text.find('-');
    if (!read_seed(text.substr(0, dash), arguments.first)) return false;
    arguments.last = arguments.first;
    return dash == std::string_view::npos || read_seed(text.substr(dash + 1), arguments.last);
}

std::optional<Arguments> parse(std::span<char* const> words) {
    Arguments arguments;
    if (words.size() < 2 || !read_seeds(words[1], arguments)) return std::nullopt;
    for (std::size_t i = 2; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (word == "--story") {
            arguments.options.tells_its_story = true;
        } else if (word == "--twice") {
            arguments.is_twice = true;
        } else if (word == "--fault" && i + 1 < words.size()) {
            arguments.options.only_fault = words[++i];
            if (find_fault(arguments.options.only_fault) == nullptr) return std::nullopt;
        } else {
            return std::nullopt;
        }
    }
    return arguments;
}

int explain_usage() {
    fmt::print(stderr, "usage: simulate SEED[-SEED] [--fault NAME] [--story] [--twice]\nfaults:");
    for (const Fault& fault : faults()) fmt::print(stderr, " {}", fault.name);
    fmt::print(stderr, "\n");
    return 2;
}

/// The report of one seed; with a violation of its own if a second run is another.
Report run_one(const Arguments& arguments) {
    Report report = run_seed(arguments.options);
    if (arguments.is_twice && run_seed(arguments.options).trace_hash != report.trace_hash)
        report.violations.push_back({"replay", "a second run of the seed is another one"});
    return report;
}

int run_all(Arguments arguments) {
    std::uint64_t bad = 0;
    std::chrono::duration<double> simulated{};
    const std::clock_t began = std::clock();
    for (std::uint64_t seed = arguments.first; seed <= arguments.last; ++seed) {
        arguments.options.seed = seed;
        const Report report = run_one(arguments);
        fmt::print("{}\n", report.text());
        for (const Violation& one : report.violations)
            fmt::print("  {} is violated: {}\n", one.invariant, one.what);
        std::fflush(stdout);
        bad += report.violations.empty() ? 0 : 1;
        simulated += report.simulated;
    }
    const double cpu = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    fmt::print("{} of {} seeds are bad; {:.0f} s simulated for each CPU second\n", bad,
               arguments.last - arguments.first + 1, simulated.count() / cpu);
    return bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace milena::sim

int main(int count, char** words) {
    const auto arguments =
        milena::sim::parse(std::span<char* const>(words, static_cast<std::size_t>(count)));
    return arguments ? milena::sim::run_all(*arguments) : milena::sim::explain_usage();
}
