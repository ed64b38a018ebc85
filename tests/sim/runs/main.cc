// SPDX-License-Identifier: Apache-2.0
// simulate SEED[-SEED][,…]|random [--seconds N] [--fault NAME] [--layout NAME] [--story] [--twice]:
// runs the seeds one after the other, tells what each did and what must not have been, and how fast
// it went. Ends with 1 if anything was wrong.
#include <charconv>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>
#include <random>

#include "sim/faults/fault.h"
#include "sim/runs/run.h"

// What a simulated crash leaves behind is not a leak of the program.
extern "C" const char* __asan_default_options() {
    return "detect_leaks=0";
}

namespace milena::sim {
namespace {

/// The last one included.
struct Seeds {
    std::uint64_t first = 1;
    std::uint64_t last = 1;
};

struct Arguments {
    std::vector<Seeds> seeds;
    RunOptions options;
    /// Each seed runs twice, and both histories must be the same.
    bool is_twice = false;
    /// No seed begins when so much CPU time has gone.
    std::uint64_t cpu_seconds_max = std::numeric_limits<std::uint64_t>::max();
};

bool read_number(std::string_view text, std::uint64_t& into) {
    const char* const end = text.data() + text.size();
    return std::from_chars(text.data(), end, into).ptr == end && !text.empty();
}

bool read_seeds(std::string_view text, Arguments& arguments) {
    if (text == "random") {
        arguments.seeds = {{std::random_device()(), std::numeric_limits<std::uint64_t>::max()}};
        return true;
    }
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        const std::size_t dash = one.find('-');
        Seeds seeds;
        if (!read_number(one.substr(0, dash), seeds.first)) return false;
        seeds.last = seeds.first;
        if (dash != std::string_view::npos && !read_number(one.substr(dash + 1), seeds.last))
            return false;
        arguments.seeds.push_back(seeds);
    }
    return !arguments.seeds.empty();
}

/// True if `name` is an option, and what follows it is right for it.
bool read_option(std::string_view name, std::string_view value, Arguments& arguments) {
    if (name == "--fault") {
        arguments.options.wanted.fault = value;
        return find_fault(value) != nullptr;
    }
    if (name == "--layout") {
        arguments.options.wanted.layout = value;
        return Layout::find(value).has_value();
    }
    return name == "--seconds" && read_number(value, arguments.cpu_seconds_max);
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
        } else if (i + 1 == words.size() || !read_option(word, words[i + 1], arguments)) {
            return std::nullopt;
        } else {
            ++i;
        }
    }
    return arguments;
}

int explain_usage() {
    fmt::print(stderr,
               "usage: simulate SEED[-SEED][,…]|random [--seconds N] [--fault NAME] [--layout "
               "NAME] [--story] [--twice]\nfaults:");
    for (const Fault& fault : faults()) fmt::print(stderr, " {}", fault.name);
    fmt::print(stderr, "\nlayouts:");
    for (const std::string_view name : Layout::names()) fmt::print(stderr, " {}", name);
    fmt::print(stderr, "\n");
    return 2;
}

double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// What runs of one kind took.
struct Speed {
    std::uint64_t seeds = 0;
    std::uint64_t acknowledged = 0;
    double simulated = 0;
    double cpu = 0;

    void add(const Speed& other) {
        seeds += other.seeds;
        acknowledged += other.acknowledged;
        simulated += other.simulated;
        cpu += other.cpu;
    }
    void print(std::string_view name) const {
        fmt::print(
            "{:>16}: {:4} runs, {:6.0f} s simulated, {:5.0f} for each CPU second, {:4.0f} "
            "records a second\n",
            name, seeds, simulated, simulated / cpu, static_cast<double>(acknowledged) / simulated);
    }
};

class Runs {
public:
    explicit Runs(Arguments arguments) : arguments_(std::move(arguments)) {}

    int run_all() {
        for (const Seeds& seeds : arguments_.seeds) run_range(seeds);
        Speed all;
        for (const auto& [layout, speed] : speeds_) {
            speed.print(layout);
            all.add(speed);
        }
        all.print("all");
        fmt::print("{} seeds are bad\n", bad_);
        return bad_ == 0 ? 0 : 1;
    }

private:
    void run_range(const Seeds& seeds) {
        const auto limit = static_cast<double>(arguments_.cpu_seconds_max);
        for (std::uint64_t seed = seeds.first; cpu_seconds() < limit; ++seed) {
            run_one(seed);
            if (seed == seeds.last) break;
        }
    }

    void run_one(std::uint64_t seed) {
        arguments_.options.seed = seed;
        fmt::print("seed {}: ", seed);  // first, so that a run that aborts has said who it is
        std::fflush(stdout);
        Report report = run_timed();
        if (arguments_.is_twice && run_timed().trace_hash != report.trace_hash)
            report.violations.push_back({"replay", "a second run of the seed is another one"});
        fmt::print("{}\n", report.text());
        for (const Violation& one : report.violations)
            fmt::print("  {} is violated: {}\n", one.invariant, one.what);
        std::fflush(stdout);
        bad_ += report.violations.empty() ? 0 : 1;
    }

    Report run_timed() {
        const double began = cpu_seconds();
        Report report = run_seed(arguments_.options);
        const std::chrono::duration<double> simulated = report.simulated;
        speeds_[report.layout].add({.seeds = 1,
                                    .acknowledged = report.acknowledged,
                                    .simulated = simulated.count(),
                                    .cpu = cpu_seconds() - began});
        return report;
    }

    Arguments arguments_;
    std::map<std::string, Speed> speeds_;
    std::uint64_t bad_ = 0;
};

}  // namespace
}  // namespace milena::sim

int main(int count, char** words) {
    const auto arguments =
        milena::sim::parse(std::span<char* const>(words, static_cast<std::size_t>(count)));
    return arguments ? milena::sim::Runs(*arguments).run_all() : milena::sim::explain_usage();
}
