// SPDX-License-Identifier: Apache-2.0
// A server.properties of any bytes is read or refused with a place in it; never more. What was read
// is read the same again from its own text.
#include "milena/base/invariant.h"
#include "milena/config/broker_config.h"
#include "milena/config/properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto properties = milena::config::Properties::parse("f", text);
    if (!properties) {
        INVARIANT(properties.error().why.starts_with("f:"), "an error without a place");
        return 0;
    }
    int line = 0;
    for (const auto& entry : properties->entries) {
        INVARIANT(entry.line > line, "lines that do not ascend");
        line = entry.line;
    }
    const auto config = milena::config::parse_broker_config("f", text, "host");
    if (!config) INVARIANT(config.error().why.starts_with("f:"), "an error without a place");
    return 0;
}
