// SPDX-License-Identifier: Apache-2.0
// What a follower takes of the bytes its leader sent: whole batches with a good CRC, one after the
// other, of epochs up to the one it fetched in. A batch of a later epoch belongs to a history the
// follower has not been told of yet.
#pragma once

#include "milena/record/batch.h"

namespace milena::replication {

struct FetchedBatches {
    /// A prefix of the bytes that came; empty if nothing of them may be appended.
    BytesView bytes;
    /// The log end after the append; where it was asked from if there is nothing.
    Offset end;
};

/// The batches of `bytes`, fetched from `from` in epoch `fetched_in`, that may be appended. A cut
/// batch at the end is left out (a byte limit did that), and so is everything from the first batch
/// of a later epoch on. CORRUPT_MESSAGE if a CRC is wrong or a batch begins before the one in front
/// of it ended: nothing of it is taken.
Result<FetchedBatches> check_fetched(BytesView bytes, Offset from, LeaderEpoch fetched_in);

}  // namespace milena::replication
