// SPDX-License-Identifier: Apache-2.0
// Reads /proc, whose files have no size to go by.
#include "milena/env/process.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace milena::env {
namespace {

std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

double seconds(const ::timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::uint64_t resident_bytes() {
    std::istringstream pages(first_line("/proc/self/statm"));
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    pages >> total >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t open_descriptors() {
    std::error_code error;
    std::uint64_t count = 0;
    for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
         at.increment(error))
        ++count;
    return count == 0 ? 0 : count - 1;  // the one that this loop had open
}

/// Boot time and, in ticks after it, the process's.
double start_time() {
    std::ifstream stat("/proc/stat");
    double boot = 0;
    for (std::string word; stat >> word;) {
        if (word == "btime" && stat >> boot) break;
    }
    const std::string line = first_line("/proc/self/stat");
    const auto name_end = line.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::istringstream fields(line.substr(name_end + 1));
    constexpr int kFieldsBeforeStart = 19;
    std::string skipped;
    for (int i = 0; i < kFieldsBeforeStart; ++i) fields >> skipped;
    double ticks = 0;
    fields >> ticks;
    return boot + ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

ProcessFigures process_figures() {
    ProcessFigures figures;
    ::rusage usage{};
    if (::getrusage(RUSAGE_SELF, &usage) == 0)
        figures.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    ::rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) figures.descriptors_max = limit.rlim_cur;
    figures.resident_bytes = resident_bytes();
    figures.open_descriptors = open_descriptors();
    figures.start_time_seconds = start_time();
    return figures;
}

void raise_descriptor_limit() {
    ::rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);  // where it may not, the old limit stays
}

}  // namespace milena::env
