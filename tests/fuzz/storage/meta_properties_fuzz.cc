// SPDX-License-Identifier: Apache-2.0
// Any text as meta.properties: read or refused with a reason. What was read is read the same from
// its own text.
#include "meta_properties.h"

#include "milena/base/invariant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto meta = milena::storage::parse_meta_properties("f", text);
    if (!meta) {
        INVARIANT(meta.error().why.starts_with("f"), "an error without a place");
        return 0;
    }
    const std::string again =
        milena::storage::format_meta_properties(*meta, milena::env::Timestamp(0));
    INVARIANT(milena::storage::parse_meta_properties("f", again) == meta,
              "not read back as it was");
    return 0;
}
