// SPDX-License-Identifier: Apache-2.0
// A log on the simulated disk of one node, with small segments, for the tests of storage.
#pragma once

#include <gtest/gtest.h>

#include "milena/storage/log.h"
#include "sim/world.h"
#include "support/batches.h"

namespace milena::storage {

inline constexpr const char* kLogDirectory = "/data/t-0";

inline LogOptions small_segments() {
    return {.segment_bytes = 1000,
            .index_interval_bytes = 150,
            .is_gapless = true,
            .producer_expiration_ms = INT64_MAX};
}

/// The bytes of a range.
inline Result<std::vector<std::byte>> bytes_of(const FileRange& range) {
    std::vector<std::byte> bytes(range.length);
    if (range.length == 0) return bytes;
    TRY(const std::size_t count, range.file->read_at(range.position, bytes));
    if (count != bytes.size())
        return fail(ErrorCode::kafka_storage_error, "the range is longer than its file");
    return bytes;
}

/// All batches from the log's start to its end, one by one.
inline Result<std::vector<std::vector<std::byte>>> all_batches(Log& log) {
    std::vector<std::vector<std::byte>> batches;
    for (Offset at = log.log_start_offset(); at < log.log_end_offset();) {
        TRY(const FileRange range, log.read(at, log.log_end_offset(), 1, true));
        if (range.length == 0) break;
        TRY(const auto bytes, bytes_of(range));
        TRY(const auto batch, record::first_batch(bytes));
        if (!batch || batch->size() != bytes.size() || !batch->check_crc()) {
            return fail(ErrorCode::corrupt_message, "a read did not give one batch");
        }
        at = batch->next_offset();
        batches.push_back(bytes);
    }
    return batches;
}

class LogTest : public ::testing::Test {
public:
    static Result<std::unique_ptr<Log>> open(env::Env& env, const LogOptions& options,
                                             const Recovery& recovery = {}) {
        return Log::open(env, Logger(), kLogDirectory, options, recovery);
    }
    std::unique_ptr<Log> open(const LogOptions& options = small_segments(),
                              const Recovery& recovery = {}) {
        auto log = open(node, options, recovery);
        EXPECT_TRUE(log) << log.error().why;
        return log ? *std::move(log) : nullptr;
    }
    /// Stops cleanly and starts again.
    std::unique_ptr<Log> reopen(std::unique_ptr<Log> log,
                                const LogOptions& options = small_segments()) {
        EXPECT_TRUE(log->close());
        const Recovery recovery{.clean = true, .log_start_offset = log->log_start_offset()};
        log.reset();
        return open(options, recovery);
    }
    /// The process dies, the machine lives.
    std::unique_ptr<Log> reopen_unclean(std::unique_ptr<Log> log,
                                        const LogOptions& options = small_segments()) {
        const Recovery recovery{.recovery_point = log->durable_end_offset(),
                                .log_start_offset = log->log_start_offset()};
        log.reset();
        return open(options, recovery);
    }
    std::vector<std::string> names() {
        std::vector<std::string> found;
        for (const auto& entry : *node.files().list(kLogDirectory)) found.push_back(entry.name);
        return found;
    }
    std::size_t segment_count() {
        const auto all = names();
        return static_cast<std::size_t>(std::ranges::count_if(
            all, [](const std::string& name) { return name.ends_with(".log"); }));
    }
    std::string path(std::string_view name) {
        return std::string(kLogDirectory) + "/" + std::string(name);
    }

    sim::World world{1};
    sim::Node& node{world.add_node("n1")};
};

}  // namespace milena::storage
