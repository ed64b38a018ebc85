// SPDX-License-Identifier: Apache-2.0
// version: i16 | topics: i32 n, n times i16 length and name | what later versions add
#include "subscription.h"

namespace milena::coordinator {

bool read_subscription(BytesView metadata, std::set<std::string>& topics) {
    ByteReader reader(metadata);
    const auto version = reader.read<std::int16_t>();
    const auto count = reader.read<std::int32_t>();
    if (!reader.ok() || version < 0 || count < 0) return false;
    for (std::int32_t i = 0; i < count; ++i) {
        const auto length = reader.read<std::int16_t>();
        if (!reader.ok() || length < 0) return false;
        const BytesView name = reader.read_bytes(static_cast<std::size_t>(length));
        if (!reader.ok()) return false;
        topics.emplace(as_text(name));
    }
    return true;
}

}  // namespace milena::coordinator
