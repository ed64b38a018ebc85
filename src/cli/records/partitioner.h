// SPDX-License-Identifier: Apache-2.0
// Which partition a record goes to when nobody says so: by the hash of its key, as Kafka's clients
// have it, so that the records of one key meet in one partition whoever sent them.
#pragma once

#include <cstdint>

#include "milena/base/bytes.h"

namespace milena::cli {

/// Murmur2 with Kafka's seed.
std::uint32_t murmur2(BytesView bytes);

std::int32_t partition_of_key(BytesView key, std::size_t partitions);

}  // namespace milena::cli
