// SPDX-License-Identifier: Apache-2.0
// Unpacks and parses the file once for all tests.
#include "wire_vectors.h"

#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zstd.h>

namespace milena::protocol {

namespace {

std::string unpacked(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string packed{std::istreambuf_iterator<char>(file), {}};
    constexpr std::size_t kTextBytesMax = 4 << 20;
    std::string text(kTextBytesMax, '\0');
    const std::size_t size =
        ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
    if (ZSTD_isError(size)) {
        ADD_FAILURE() << path << ": " << ZSTD_getErrorName(size);
        return {};
    }
    text.resize(size);
    return text;
}

std::vector<std::byte> from_hex(const std::string& text) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

WireVector parse(const std::string& line) {
    std::vector<std::string> columns;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) columns.push_back(cell);
    columns.resize(7);  // a message without bytes ends in an empty column
    WireVector vector{.type = find_message_type(columns[0]),
                      .version = static_cast<std::int16_t>(std::stoi(columns[3])),
                      .json = columns[5],
                      .bytes = from_hex(columns[6])};
    EXPECT_NE(vector.type, nullptr) << "no message " << columns[0];
    return vector;
}

std::vector<WireVector> read_all() {
    std::vector<WireVector> vectors;
    std::istringstream lines(unpacked(MILENA_SOURCE_DIR "/tests/golden/wire_vectors.tsv.zst"));
    std::string line;
    std::getline(lines, line);  // names of the columns
    while (std::getline(lines, line)) vectors.push_back(parse(line));
    return vectors;
}

}  // namespace

std::string WireVector::name() const {
    return fmt::format("{} version {}: {}", type->name, version, json);
}

const std::vector<WireVector>& wire_vectors() {
    static const std::vector<WireVector> kVectors = read_all();
    return kVectors;
}

}  // namespace milena::protocol
