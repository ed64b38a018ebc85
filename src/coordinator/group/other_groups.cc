// SPDX-License-Identifier: Apache-2.0
// Which records there are of each kind, and what their numbers say of a group's state.
#include "other_groups.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace milena::coordinator {
namespace {

/// The types of the records of one kind; 0 where a kind has none.
struct Types {
    GroupKind kind;
    std::int16_t first;
    std::int16_t last;
    std::int16_t group;
    std::int16_t member;
    std::int16_t target;   ///< epoch of the assignment that is to be
    std::int16_t current;  ///< what a member has, and at which epoch
};
constexpr std::array<Types, 2> kTypes{{
    {GroupKind::share, 10, 15, 11, 10, 12, 14},
    {GroupKind::streams, 17, 23, 17, 19, 20, 22},
}};

const Types& types_of(GroupKind kind) {
    return *std::ranges::find(kTypes, kind, &Types::kind);
}

const Types* kind_with(std::int16_t type) {
    const auto found = std::ranges::find_if(
        kTypes, [&](const Types& types) { return type >= types.first && type <= types.last; });
    return found == kTypes.end() ? nullptr : &*found;
}

}  // namespace

std::string_view text(GroupKind kind) {
    switch (kind) {
        case GroupKind::classic: return "classic";
        case GroupKind::consumer: return "consumer";
        case GroupKind::share: return "share";
        case GroupKind::streams: return "streams";
    }
    return {};
}

bool is_of_other_group(std::int16_t type) {
    return kind_with(type) != nullptr;
}

Result<OtherGroupRecord> read_other_group(std::int16_t type, BytesView key) {
    ByteReader reader(key);
    reader.skip(sizeof(std::int16_t));
    const auto length = reader.read<std::int16_t>();
    if (!reader.ok() || length < 0)
        return fail(ErrorCode::corrupt_message, fmt::format("a key of type {} is cut", type));
    const BytesView group = reader.read_bytes(static_cast<std::size_t>(length));
    if (!reader.ok())
        return fail(ErrorCode::corrupt_message, fmt::format("a key of type {} is cut", type));
    return OtherGroupRecord{.kind = kind_with(type)->kind, .group = std::string(as_text(group))};
}

void OtherGroup::note(std::int16_t type, const RecordView& record) {
    Key key(type, as_text(record.key));
    if (!record.value) {
        numbers_.erase(key);
        return;
    }
    ByteReader reader(*record.value);
    reader.skip(sizeof(std::int16_t));
    const auto number = reader.read<std::int32_t>();
    numbers_.insert_or_assign(std::move(key), reader.ok() ? number : 0);
}

bool OtherGroup::is_empty() const {
    return !number(types_of(kind_).member);
}

std::size_t OtherGroup::members() const {
    const std::int16_t type = types_of(kind_).member;
    return static_cast<std::size_t>(std::ranges::count_if(
        numbers_, [&](const auto& known) { return known.first.first == type; }));
}

std::string_view OtherGroup::state() const {
    if (is_empty()) return "Empty";
    if (kind_ == GroupKind::share) return "Stable";
    const Types& types = types_of(kind_);
    const auto epoch = number(types.group);
    const auto target = number(types.target);
    if (epoch > target) return "Assigning";
    const bool is_everybody_there = std::ranges::all_of(numbers_, [&](const auto& known) {
        return known.first.first != types.current || known.second == target;
    });
    return is_everybody_there ? "Stable" : "Reconciling";
}

std::vector<Record> OtherGroup::tombstones() const {
    std::vector<Record> records;
    for (const auto& [key, known] : numbers_) {
        const BytesView bytes = as_bytes(key.second);
        records.push_back({.key = {bytes.begin(), bytes.end()}, .value = {}});
    }
    // A group's own record goes last: what is left of a group without it would be nobody's.
    std::ranges::reverse(records);
    return records;
}

std::optional<std::int32_t> OtherGroup::number(std::int16_t type) const {
    const auto first = numbers_.lower_bound(Key(type, {}));
    if (first == numbers_.end() || first->first.first != type) return std::nullopt;
    return first->second;
}

}  // namespace milena::coordinator
