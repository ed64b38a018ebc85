// SPDX-License-Identifier: Apache-2.0
// Bytes go in by their length and checksum.
#include "sim/trace.h"

#include "milena/base/crc32c.h"

namespace milena::sim {

void Trace::fold(BytesView bytes) {
    fold(std::uint64_t{bytes.size()} << 32 | crc32c(bytes));
}

}  // namespace milena::sim
