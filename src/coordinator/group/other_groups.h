// SPDX-License-Identifier: Apache-2.0
// Groups of other protocols (share, streams), as far as they must not be lost or told
// wrongly while another coordinator, a Kafka broker, may have written them: of which kind they are,
// whether they have members, at which epoch they stand, and the keys of all their records, so that
// one that is deleted leaves none behind.
//
// All their records are alike in what is looked at. A key is a type, the group and perhaps a
// member; a value is a version, then the one number of it that is remembered: an epoch.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "milena/base/result.h"
#include "milena/coordinator/record.h"

namespace milena::coordinator {

enum class GroupKind : std::uint8_t { classic, consumer, share, streams };

/// "classic" and so on. All but classic ones call their protocol so too.
std::string_view text(GroupKind kind);

/// Types of records, of those that this file handles.
bool is_of_other_group(std::int16_t type);

class OtherGroup {
public:
    explicit OtherGroup(GroupKind kind) : kind_(kind) {}

    GroupKind kind() const { return kind_; }
    /// Nobody is in it.
    bool is_empty() const;
    std::string_view state() const;
    std::size_t members() const;
    /// Nothing is known of it any more.
    bool has_no_records() const { return numbers_.empty(); }
    void note(std::int16_t type, const RecordView& record);
    /// For all its records, members' first.
    std::vector<Record> tombstones() const;

private:
    /// By type and whole key.
    using Key = std::pair<std::int16_t, std::string>;
    std::optional<std::int32_t> number(std::int16_t type) const;

    GroupKind kind_;
    std::map<Key, std::int32_t> numbers_;
};

/// Of which kind, and of which group, a record is. An error if its key can't be read.
struct OtherGroupRecord {
    GroupKind kind = GroupKind::share;
    std::string group;
};
Result<OtherGroupRecord> read_other_group(std::int16_t type, BytesView key);

}  // namespace milena::coordinator
