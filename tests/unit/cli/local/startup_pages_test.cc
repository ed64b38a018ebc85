// SPDX-License-Identifier: Apache-2.0
// What the start has touched is no longer resident, and the program goes on.
#include "local/startup_pages.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

/// Of the files that are mapped, the program's own among them.
long resident_file_kib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("RssFile:")) return std::stol(line.substr(8));
    }
    return -1;
}

TEST(StartupPages, AreGivenBackAndTheProgramGoesOn) {
    const long before = resident_file_kib();
    forget_startup_pages();
    const long after = resident_file_kib();
    EXPECT_GT(before, 0);
    EXPECT_LT(after, before);
}

}  // namespace
}  // namespace milena::cli
