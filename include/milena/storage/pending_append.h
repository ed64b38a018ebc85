// SPDX-License-Identifier: Apache-2.0
// An append on its way to the disk. Log::begin_append() says under the guard what has to be written
// and where, run() writes it without the guard, and Log::end_append() makes it part of the log: so
// a disk that stalls in a write holds up whoever appends, and not the guard. begin_append() reads
// under the guard what it does not know yet of a segment: its greatest and its first timestamp,
// once for each segment that a start has found.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "milena/base/ids.h"
#include "milena/env/clock.h"
#include "milena/env/files.h"

namespace milena::storage {

/// A file beside the log file that is written whole or in part: an index, a producer snapshot.
struct FileWrite {
    Result<void> run(env::FileSystem& files);

    std::string path{};
    env::OpenMode mode = env::OpenMode::create;
    std::uint64_t position = 0;
    std::vector<std::byte> bytes{};
    /// What the file is to end at; nothing: where it ends is as it is.
    std::optional<std::uint64_t> size{};
    /// Nothing is done where there is no such file.
    bool is_for_existing = false;
    /// Open once it is written; opened by run() if it is not yet.
    std::shared_ptr<env::File> file{};
};

/// What the headers of an append say together.
struct AppendSummary {
    /// Fewer than all where the offsets span more than one segment can hold (2^31, compacted away
    /// for the greatest part): then it takes two appends.
    std::uint64_t bytes = 0;
    Offset first_offset;
    Offset last_offset;
    env::Timestamp max_timestamp{-1};
    LeaderEpoch last_epoch = kNoLeaderEpoch;
    bool has_new_epoch = false;
    bool has_producers = false;
};

struct PendingAppend {
    /// Once, in any thread. After a failure the log file is as it was, or is_torn; end_append() is
    /// told of it all the same.
    Result<void> run();

    env::FileSystem* file_system = nullptr;
    /// Full index blocks, or the files of a roll; none in most appends.
    std::vector<FileWrite> writes{};
    /// The base of the segment that the log rolls to before it takes the batches.
    std::optional<Offset> rolls_to{};
    /// The files of the roll are there.
    bool has_rolled = false;
    /// The log file; if it is not open, run() opens `path`.
    std::shared_ptr<env::File> file{};
    std::string path{};
    std::uint64_t position = 0;
    BytesView batches{};
    AppendSummary summary{};
    /// Where the bytes begin that nobody has begun to write back, if they have become many.
    std::optional<std::uint64_t> writeback_from{};
    /// run() begins to write them back. Said for a directory that is not calm: else the system does
    /// that by itself, at no cost to who appends (docs/decisions/0009).
    bool starts_writeback = false;
    /// The write failed, and what it left could not be cut off.
    bool is_torn = false;
};

}  // namespace milena::storage
