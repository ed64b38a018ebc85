// SPDX-License-Identifier: Apache-2.0
// Offsets of consumer groups: whose commits count, and who may ask.
#pragma once

#include "../decision.h"

namespace milena::coordinator {

/// STALE_MEMBER_EPOCH, of a classic member ILLEGAL_GENERATION: it speaks of another epoch than it
/// is at. An older one is good for partitions that it has had since then (KIP-1251).
ErrorCode check_commit(const ConsumerGroup& group, const CommitRequest& request);
ErrorCode check_fetch(const ConsumerGroup& group, const FetchOffsetsRequest& request);

}  // namespace milena::coordinator
