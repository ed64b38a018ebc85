// SPDX-License-Identifier: Apache-2.0
// Files out of a tests/golden/*.tar.zst, in memory: what Apache Kafka left on its disk. Sparse
// files are skipped; they are preallocated indexes.
#pragma once

#include <charconv>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <zstd.h>

#include "milena/base/bytes.h"

namespace milena::testing {

/// Path in the archive to content.
using GoldenFiles = std::map<std::string, std::vector<std::byte>>;

inline std::string decompress_zstd(const std::string& compressed) {
    std::string all;
    ZSTD_DStream* const stream = ZSTD_createDStream();
    ZSTD_inBuffer in{compressed.data(), compressed.size(), 0};
    std::string chunk(1 << 16, '\0');
    while (in.pos < in.size) {
        ZSTD_outBuffer out{chunk.data(), chunk.size(), 0};
        INVARIANT(ZSTD_isError(ZSTD_decompressStream(stream, &out, &in)) == 0, "not zstd");
        all.append(chunk, 0, out.pos);
    }
    ZSTD_freeDStream(stream);
    return all;
}

/// Entries of 512-byte blocks: a header (name at 0, octal size at 124, type at 156), then the
/// content, padded.
inline GoldenFiles read_golden_archive(const std::string& name) {
    std::ifstream file(std::string(MILENA_SOURCE_DIR) + "/tests/golden/" + name, std::ios::binary);
    INVARIANT(file.good(), "no such golden file");
    const std::string tar =
        decompress_zstd({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});

    constexpr std::size_t kBlock = 512;
    GoldenFiles files;
    for (std::size_t at = 0; at + kBlock <= tar.size() && tar[at] != '\0';) {
        const std::string_view header = std::string_view(tar).substr(at, kBlock);
        const std::string path(header.substr(0, 100).substr(0, header.find('\0')));
        std::size_t size = 0;
        std::from_chars(header.data() + 124, header.data() + 135, size, 8);
        const char type = header[156];
        at += kBlock;
        // A sparse file's header has room for four pieces; byte 482 says that more headers follow,
        // byte 504 in them.
        if (type == 'S' && header[482] != 0) {
            while (tar[at + 504] != 0) at += kBlock;
            at += kBlock;
        }
        if (type == '0' || type == '\0') {
            const auto content = std::as_bytes(std::span(tar.data() + at, size));
            files.emplace(path, std::vector(content.begin(), content.end()));
        }
        at += (size + kBlock - 1) / kBlock * kBlock;
    }
    return files;
}

}  // namespace milena::testing
