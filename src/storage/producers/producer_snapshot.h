// SPDX-License-Identifier: Apache-2.0
// A .snapshot file: the producers of a partition as they were at the offset in its name, in Kafka's
// bytes:
//
//   0 i16 version 1   2 u32 CRC-32C of all behind it   6 i32 count   10 entries of 46 bytes:
//   i64 producer id, i16 epoch, then of the last batch i32 last sequence, i64 last offset,
//   i32 offset delta; i64 last timestamp, i32 coordinator epoch, i64 first offset of the open
//   transaction
#pragma once

#include <span>
#include <vector>

#include "milena/env/files.h"
#include "milena/storage/pending_append.h"
#include "producers/producer_states.h"

namespace milena::storage {

inline constexpr std::size_t kEmptySnapshotBytes = 10;

std::vector<std::byte> encode_snapshot(const ProducerStates& states);
/// CORRUPT_MESSAGE for what is not a whole snapshot of version 1.
Result<std::vector<ProducerEntry>> decode_snapshot(BytesView bytes);

/// What makes the snapshot at `at`; its file is to be synced. A crash before that may leave it
/// torn, which its CRC tells.
FileWrite snapshot_write(const std::string& directory, Offset at, const ProducerStates& states);
/// CORRUPT_MESSAGE too if it knows of offsets at or behind its own.
Result<std::vector<ProducerEntry>> read_snapshot(env::FileSystem& files,
                                                 const std::string& directory, Offset at);

}  // namespace milena::storage
