// SPDX-License-Identifier: Apache-2.0
// Finding a key by its name, or by something near its name. The tables are sorted, so a search
// halves them.
#include <algorithm>

#include "key_table.h"
#include "text.h"

namespace milena::config {
namespace {

template <class Row>
const Row* find_in(std::span<const Row> table, std::string_view name) {
    const auto row = std::ranges::lower_bound(table, name, {}, &Row::name);
    return row != table.end() && row->name == name ? &*row : nullptr;
}

}  // namespace

const Key* find_broker_key(std::string_view name) {
    for (const auto table : {read_keys(), unread_keys(), security_keys()}) {
        if (const Key* const key = find_in(table, name)) return key;
    }
    return nullptr;
}

const TopicKey* find_topic_key(std::string_view name) {
    return find_in(topic_keys(), name);
}

std::vector<const Key*> broker_keys() {
    std::vector<const Key*> keys;
    for (const auto table : {read_keys(), unread_keys(), security_keys()}) {
        for (const Key& key : table) keys.push_back(&key);
    }
    std::ranges::sort(keys, {}, &Key::name);
    return keys;
}

std::optional<std::string_view> nearest_broker_key(std::string_view name) {
    constexpr std::size_t kNameMax = 200;
    if (name.size() > kNameMax) return std::nullopt;
    // A slip changes a few letters: one in five, but at most four.
    std::size_t near = std::min<std::size_t>(name.size() / 5, 4) + 1;
    std::optional<std::string_view> nearest;
    for (const Key* key : broker_keys()) {
        // As many edits as the lengths differ by are needed at least.
        const auto longer = std::max(name.size(), key->name.size());
        if (longer - std::min(name.size(), key->name.size()) >= near) continue;
        const auto distance = edit_distance(name, key->name);
        if (distance < near) {
            near = distance;
            nearest = key->name;
        }
    }
    return nearest;
}

}  // namespace milena::config
