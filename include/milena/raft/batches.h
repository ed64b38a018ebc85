// SPDX-License-Identifier: Apache-2.0
// Batches of the metadata log, between bytes and what the core knows of them. Control batches have
// keys of four bytes (i16 version 0, i16 type) and values that begin with their own version: 2
// LeaderChange, 3 SnapshotHeader, 4 SnapshotFooter, 5 KRaftVersion, 6 KRaftVoters (KIP-595,
// KIP-630, KIP-853). Data records have no key; their values mean nothing here.
#pragma once

#include <span>
#include <vector>

#include "milena/raft/messages.h"
#include "milena/record/batch.h"

namespace milena::raft {

using env::Timestamp;

/// First record of a snapshot.
struct SnapshotHeader {
    Timestamp last_contained_timestamp;

    bool operator==(const SnapshotHeader&) const = default;
};
/// Last record of a snapshot: it is whole.
struct SnapshotFooter {
    bool operator==(const SnapshotFooter&) const = default;
};

/// Everything that a control batch here can hold.
using AnyControlRecord = std::variant<LeaderChangeRecord, KRaftVersionRecord, VotersRecord,
                                      SnapshotHeader, SnapshotFooter>;

/// A control batch with the records in order, at least one.
std::vector<std::byte> encode_control_batch(Offset base_offset, LeaderEpoch epoch, Timestamp now,
                                            std::span<const AnyControlRecord> records);
/// A data batch, one record a value, at least one.
std::vector<std::byte> encode_data_batch(Offset base_offset, LeaderEpoch epoch, Timestamp now,
                                         std::span<const std::vector<std::byte>> values);

/// The records of a control batch; those of a type that is not known here are left out.
/// CORRUPT_MESSAGE if one is malformed.
Result<std::vector<AnyControlRecord>> decode_control_batch(record::BatchView batch);

/// What the core wants to know of a batch, its bytes not among it. CORRUPT_MESSAGE if CRC or
/// control records are wrong.
Result<Batch> describe(record::BatchView batch);

/// Values of data records, with the memory they lie in.
struct RecordValues {
    std::vector<std::byte> bytes;
    std::vector<BytesView> values;
};
/// Those of one data batch; a null value is an empty one. CORRUPT_MESSAGE if the batch is
/// malformed.
Result<RecordValues> decode_values(record::BatchView batch);

}  // namespace milena::raft
