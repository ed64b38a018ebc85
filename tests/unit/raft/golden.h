// SPDX-License-Identifier: Apache-2.0
// The metadata directory that Apache Kafka 4.4 left after a clean stop: a bootstrap snapshot, a
// snapshot at 191, a log of two epochs that begins at 0, quorum-state. One voter, node 1.
#pragma once

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "milena/env/files.h"
#include "milena/record/batch.h"
#include "support/golden_archive.h"

namespace milena::raft::test {

inline const std::vector<std::byte>& golden_file(const std::string& name) {
    static const auto files = milena::testing::read_golden_archive("kafka-4.4-logdir.tar.zst");
    for (const auto& [path, content] : files) {
        if (path.ends_with("clean/__cluster_metadata-0/" + name)) return content;
    }
    INVARIANT(false, "no such golden file");
}

inline const Uuid kGoldenDirectoryId = *Uuid::parse("DtP_uNMmSvSxLTXiT9_NfQ");

inline void write_file(env::FileSystem& files, const std::string& path, BytesView content) {
    const auto file = files.open(path, env::OpenMode::create_empty);
    ASSERT_TRUE(file) << file.error().why;
    ASSERT_TRUE((*file)->write_at(0, content));
    ASSERT_TRUE((*file)->sync());
}

/// A log directory whose name is durable.
inline void make_data(env::FileSystem& files) {
    ASSERT_TRUE(files.create_directories("/data"));
    ASSERT_TRUE(files.sync_directory("/"));
}

/// Puts it into `directory`.
inline void write_golden_directory(env::FileSystem& files, const std::string& directory) {
    ASSERT_TRUE(files.create_directories(directory));
    for (const char* name :
         {"00000000000000000000-0000000000.checkpoint",
          "00000000000000000191-0000000001.checkpoint", "00000000000000000000.log",
          "leader-epoch-checkpoint", "quorum-state"}) {
        write_file(files, directory + "/" + name, golden_file(name));
    }
    ASSERT_TRUE(files.sync_directory(directory));
}

/// The same bytes but for what the time of writing changes in every batch: CRCs and timestamps.
inline std::vector<std::byte> without_batch_times(std::vector<std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const auto batch = *record::first_batch(BytesView(bytes).subspan(at));
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at) + 17, 4, std::byte{0});
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at) + 27, 16, std::byte{0});
        at += batch->size();
    }
    return bytes;
}

}  // namespace milena::raft::test
