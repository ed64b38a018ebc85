// SPDX-License-Identifier: Apache-2.0
// Keys of offsets begin with their type, an int16 of 0 or 1, and the group's name, an int16 of its
// length and its bytes: all other keys come behind them, and one group's stand together.
#include "stored_records.h"

#include <algorithm>
#include <set>

namespace milena::drivers {
namespace {

using coordinator::RecordView;

constexpr std::int16_t kFirstTypeBehindOffsets = 2;
constexpr std::size_t kGroupNameAt = 2 * sizeof(std::int16_t);

std::vector<std::byte> copy(BytesView bytes) {
    return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> behind_offsets() {
    std::vector<std::byte> key(sizeof kFirstTypeBehindOffsets);
    store(key.data(), kFirstTypeBehindOffsets);
    return key;
}

bool is_offset(BytesView key) {
    return key.size() >= sizeof(std::int16_t) &&
           load<std::int16_t>(key.data()) < kFirstTypeBehindOffsets;
}

/// The first key behind all that begin with `prefix`; empty if there can be none.
std::vector<std::byte> behind(std::vector<std::byte> prefix) {
    while (!prefix.empty() && prefix.back() == std::byte{0xff}) prefix.pop_back();
    if (!prefix.empty())
        prefix.back() = static_cast<std::byte>(static_cast<std::uint8_t>(prefix.back()) + 1);
    return prefix;
}

/// The first key behind `key`.
std::vector<std::byte> after(BytesView key) {
    auto next = copy(key);
    next.push_back(std::byte{0});
    return next;
}

/// What all keys of offsets of that key's group begin with; the key itself if it is too short to
/// name one.
std::vector<std::byte> group_prefix(BytesView key) {
    if (key.size() < kGroupNameAt) return copy(key);
    const auto length = load<std::int16_t>(key.data() + sizeof(std::int16_t));
    const std::size_t end = kGroupNameAt + static_cast<std::size_t>(std::max<int>(length, 0));
    return copy(key.first(std::min(end, key.size())));
}

}  // namespace

void StoredRecords::add(BytesView key, BytesView value) {
    // A vector's bytes stay where they are when it is moved, so views of them may be kept.
    const BytesView kept_key(kept_.emplace_back(copy(key)));
    const BytesView kept_value(kept_.emplace_back(copy(value)));
    views_.push_back({.key = kept_key, .value = kept_value});
    bytes_ += key.size() + value.size();
}

Result<StoredRecords> read_stored(const StoredSpace& from,
                                  std::span<const coordinator::StateRead> reads) {
    StoredRecords out;
    std::set<std::string_view> seen;
    for (const auto& read : reads) {
        if (read.is_prefix) {
            TRY_VOID(from.store.scan(from.space, read.key, read.key,
                                     [&](BytesView key, BytesView value) {
                                         out.add(key, value);
                                         return out.bytes() <= kReadBytesMax;
                                     }));
        } else if (seen.insert(as_text(read.key)).second) {
            TRY(const auto value, from.store.get(from.space, read.key));
            if (value) out.add(read.key, *value);
        }
        if (out.bytes() > kReadBytesMax)
            return fail(ErrorCode::policy_violation, "one request reads too many offsets");
    }
    return out;
}

Result<OffsetsPage> read_offsets_page(const StoredSpace& of, BytesView prefix, BytesView from) {
    OffsetsPage page;
    std::vector<std::byte> last;
    bool is_full = false;
    const BytesView begin = from.empty() ? prefix : from;
    TRY_VOID(of.store.scan(of.space, prefix, begin, [&](BytesView key, BytesView value) {
        if (!is_offset(key)) return false;
        is_full =
            page.records.views().size() == kPageKeysMax || page.records.bytes() >= kPageBytesMax;
        if (is_full) return false;
        page.records.add(key, value);
        last = copy(key);
        return true;
    }));
    if (is_full) page.next = after(last);
    return page;
}

Result<void> load_stored(const StoredSpace& from,
                         const std::function<void(const RecordView&)>& load) {
    const auto give = [&](BytesView key, BytesView value) { load({.key = key, .value = value}); };
    TRY_VOID(from.store.scan(from.space, {}, behind_offsets(), [&](BytesView key, BytesView value) {
        give(key, value);
        return true;
    }));
    std::vector<std::byte> next;
    do {
        std::vector<std::byte> found;
        TRY_VOID(from.store.scan(from.space, {}, next, [&](BytesView key, BytesView value) {
            if (!is_offset(key)) return false;
            give(key, value);
            found = behind(group_prefix(key));
            return false;
        }));
        next = std::move(found);
    } while (!next.empty());
    return ok();
}

}  // namespace milena::drivers
