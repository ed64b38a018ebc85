// SPDX-License-Identifier: Apache-2.0
// The list of sources, which grows while a node starts.
#include "milena/telemetry/registry.h"

namespace milena::telemetry {

void Registry::add(Source source, bool is_on_control) {
    sources_.with([&](auto& sources) { sources.push_back({std::move(source), is_on_control}); });
}

void Registry::write(Page& page, bool is_on_control) const {
    const auto sources = sources_.with([](const auto& all) { return all; });
    for (const Entry& entry : sources) {
        if (entry.is_on_control == is_on_control) entry.write(page);
    }
}

}  // namespace milena::telemetry
