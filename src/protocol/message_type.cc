// SPDX-License-Identifier: Apache-2.0
#include "milena/protocol/message_type.h"

#include <algorithm>

#include "message_types.h"

namespace milena::protocol {

namespace {
std::vector<const MessageType*> joined() {
    std::vector<const MessageType*> all;
    for (const auto group : message_type_groups()) all.insert(all.end(), group.begin(), group.end());
    return all;
}
}  // namespace

std::span<const MessageType* const> message_types() {
    static const std::vector<const MessageType*> kAll = joined();
    return kAll;
}

const MessageType* find_message_type(std::string_view name) {
    const auto all = message_types();
    const auto found = std::ranges::find(all, name, &MessageType::name);
    return found == all.end() ? nullptr : *found;
}

}  // namespace milena::protocol
