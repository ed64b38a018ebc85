// SPDX-License-Identifier: Apache-2.0
// Bytes out of a tests/golden/**.hex: pairs of hex digits, spaces between them, a comment behind #.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "milena/base/invariant.h"

namespace milena::testing {

inline std::vector<std::byte> read_golden_hex(const std::string& name) {
    std::ifstream file(std::string(MILENA_SOURCE_DIR) + "/tests/golden/" + name);
    INVARIANT(file.good(), "no such golden file");
    std::vector<std::byte> bytes;
    for (std::string line; std::getline(file, line);) {
        line.resize(std::min(line.find('#'), line.size()));
        std::size_t at = 0;
        while ((at = line.find_first_not_of(' ', at)) != std::string::npos) {
            bytes.push_back(static_cast<std::byte>(std::stoi(line.substr(at, 2), nullptr, 16)));
            at += 2;
        }
    }
    return bytes;
}

}  // namespace milena::testing
