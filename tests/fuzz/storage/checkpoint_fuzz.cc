// SPDX-License-Identifier: Apache-2.0
// Any text as a checkpoint: its lines, as many as it announces, or an error with a place.
#include "checkpoint_text.h"

#include "milena/base/invariant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto checkpoint = milena::storage::CheckpointText::parse("f", text);
    if (!checkpoint) {
        INVARIANT(checkpoint.error().why.starts_with("f:"), "an error without a place");
        return 0;
    }
    for (const auto& line : checkpoint->lines()) {
        INVARIANT(line.number >= 3 && !line.fields.empty(), "a line of nothing");
        for (const auto field : line.fields) {
            INVARIANT(field.data() >= text.data() && field.end() <= text.end(),
                      "a field from elsewhere");
        }
    }
    return 0;
}
