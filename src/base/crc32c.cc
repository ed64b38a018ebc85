// SPDX-License-Identifier: Apache-2.0
// ISA-L does the work: it picks carry-less multiplication over 512, 256 or 128 bits, or SSE4.2, at
// run time.
#include "milena/base/crc32c.h"

#include <isa-l/crc.h>

namespace milena {

std::uint32_t crc32c(BytesView bytes, std::uint32_t crc) {
    // ISA-L takes and gives the shift register as it is; CRC-32C inverts it at both ends. Its
    // length is an int.
    constexpr std::size_t kStep = 1U << 30;
    crc = ~crc;
    while (!bytes.empty()) {
        const BytesView part = bytes.first(std::min(bytes.size(), kStep));
        auto* const data =
            const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(part.data()));
        crc = crc32_iscsi(data, static_cast<int>(part.size()), crc);
        bytes = bytes.subspan(part.size());
    }
    return ~crc;
}

}  // namespace milena
