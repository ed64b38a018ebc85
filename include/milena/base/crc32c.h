// SPDX-License-Identifier: Apache-2.0
// The checksum of record batches.
#pragma once

#include <cstdint>

#include "milena/base/bytes.h"

namespace milena {

/// CRC-32C (Castagnoli), the checksum of record batches and producer snapshots; crc32c("123456789")
/// is 0xE3069283. `crc` continues an earlier result: crc32c(b, crc32c(a)) is the checksum of a
/// followed by b.
std::uint32_t crc32c(BytesView bytes, std::uint32_t crc = 0);

}  // namespace milena
