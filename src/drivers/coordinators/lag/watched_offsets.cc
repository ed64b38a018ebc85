// SPDX-License-Identifier: Apache-2.0
// Offsets of a group stand in the order of numbers of topics and of partitions, as they mostly come
// out of the store.
#include "watched_offsets.h"

#include <algorithm>

#include "milena/base/invariant.h"

namespace milena::drivers {
namespace {

using coordinator::OffsetKey;

/// What a group or a topic takes beside its name.
constexpr std::size_t kNameOverhead = 128;
/// In place of an offset that is gone and not swept yet.
constexpr Offset kGone{INT64_MIN};

std::size_t bytes_of(std::string_view name) {
    return kNameOverhead + name.size();
}

/// Null if it is not among them, which are in order.
template <class Partitions>
auto* find_in(Partitions& all, PartitionIndex partition) {
    const auto found =
        std::ranges::lower_bound(all, partition, {}, [](const auto& one) { return one.index; });
    return found == all.end() || found->index != partition ? nullptr : &*found;
}

/// Memory grows by a quarter: what there is at most is much.
template <class T>
void make_room_for_one(std::vector<T>& all) {
    if (all.size() == all.capacity()) all.reserve(all.size() + all.size() / 4 + 1);
}

}  // namespace

void WatchedOffsets::watch(const storage::StateSpace& space) {
    spaces_.try_emplace(space);
}

void WatchedOffsets::unwatch(const storage::StateSpace& space) {
    const auto found = spaces_.find(space);
    if (found == spaces_.end()) return;
    erase_all(found->second);
    spaces_.erase(found);
}

std::vector<storage::StateSpace> WatchedOffsets::spaces() const {
    std::vector<storage::StateSpace> all;
    for (const auto& [space, content] : spaces_) all.push_back(space);
    return all;
}

void WatchedOffsets::changed(const storage::StateSpace& space,
                             std::span<const storage::StateChange> changes) {
    const auto found = spaces_.find(space);
    if (found == spaces_.end()) return;
    Space& content = found->second;
    Emptied emptied;
    for (const storage::StateChange& change : changes) {
        if (content.is_reading && !content.is_void) {
            content.touched.emplace(as_text(change.key));
            content.is_void = content.touched.size() > bounds_.touched;
        }
        change.value ? set(content, change.key, *change.value)
                     : erase(content, change.key, emptied);
    }
    sweep(content, emptied);
}

void WatchedOffsets::dropped(const storage::StateSpace& space) {
    const auto found = spaces_.find(space);
    if (found == spaces_.end()) return;
    Space& content = found->second;
    erase_all(content);
    content.is_void = content.is_reading;
    content.is_read = false;
    content.next.clear();
    content.left_out = 0;
}

bool WatchedOffsets::is_all_read() const {
    return std::ranges::all_of(spaces_, [](const auto& one) { return one.second.is_read; });
}

std::optional<WatchedOffsets::Page> WatchedOffsets::next_page() {
    for (auto& [space, content] : spaces_) {
        if (content.is_read) continue;
        content.is_reading = true;
        content.is_void = false;
        content.touched.clear();
        return Page{.space = space, .from = content.next};
    }
    return std::nullopt;
}

void WatchedOffsets::take_page(const Page& page, std::span<const coordinator::RecordView> records,
                               std::vector<std::byte> next) {
    const auto found = spaces_.find(page.space);
    if (found == spaces_.end() || !found->second.is_reading) return;
    Space& content = found->second;
    content.is_reading = false;
    if (!content.is_void) {
        for (const coordinator::RecordView& record : records) {
            if (record.value && !content.touched.contains(as_text(record.key)))
                set(content, record.key, *record.value);
        }
        content.is_read = next.empty();
        content.next = std::move(next);
    }
    content.touched.clear();
}

void WatchedOffsets::read_again() {
    for (auto& [space, content] : spaces_) {
        if (content.left_out == 0 || !content.is_read) continue;
        content.is_read = false;
        content.next.clear();
        content.left_out = 0;
    }
}

void WatchedOffsets::set(Space& space, BytesView key, BytesView value) {
    const auto read = coordinator::read_offset_key(key);
    if (!read) return;
    const auto written = coordinator::read_committed_offset(value);
    if (!written) return;
    const Offset offset = std::max(*written, Offset(-1));
    if (Committed* const known = find(space, *read)) {
        known->offset = offset;
        return;
    }
    if (!has_room(space, *read)) {
        ++space.left_out;
        return;
    }
    auto group = space.groups.find(read->group);
    if (group == space.groups.end()) {
        group = space.groups.emplace(read->group, Offsets()).first;
        name_bytes_ += bytes_of(read->group);
    }
    const Committed fresh{.topic = join(*read), .partition = read->partition, .offset = offset};
    Offsets& offsets = group->second;
    make_room_for_one(offsets);
    offsets.insert(std::ranges::lower_bound(offsets, fresh.place(), {}, &Committed::place), fresh);
    ++offsets_;
}

void WatchedOffsets::erase(Space& space, BytesView key, Emptied& emptied) {
    const auto read = coordinator::read_offset_key(key);
    Committed* const known = read ? find(space, *read) : nullptr;
    if (known == nullptr) return;
    known->offset = kGone;
    emptied.emplace(read->group);
}

void WatchedOffsets::erase_all(Space& space) {
    Emptied all;
    for (auto& [group, offsets] : space.groups) {
        for (Committed& committed : offsets) committed.offset = kGone;
        all.insert(group);
    }
    sweep(space, all);
}

void WatchedOffsets::sweep(Space& space, const Emptied& emptied) {
    std::set<std::uint32_t> topics;
    for (const std::string& name : emptied) {
        const auto group = space.groups.find(name);
        INVARIANT(group != space.groups.end(), "offsets are gone of a group that is not there");
        offsets_ -= std::erase_if(group->second, [&](const Committed& committed) {
            if (committed.offset != kGone) return false;
            --find(committed.topic, committed.partition)->groups;
            topics.insert(committed.topic);
            return true;
        });
        if (!group->second.empty()) continue;
        name_bytes_ -= bytes_of(name);
        space.groups.erase(group);
    }
    for (const std::uint32_t topic : topics) sweep_topic(topic);
}

void WatchedOffsets::sweep_topic(std::uint32_t number) {
    Topic& topic = topics_[number];
    partitions_ -= std::erase_if(topic.partitions,
                                 [](const Partition& partition) { return partition.groups == 0; });
    if (!topic.partitions.empty()) return;
    name_bytes_ -= bytes_of(topic.name);
    numbers_.erase(topic.name);
    topic = {};
    free_.push_back(number);
}

bool WatchedOffsets::has_room(const Space& space, const OffsetKey& key) const {
    if (offsets_ >= bounds_.offsets) return false;
    std::size_t names = name_bytes_;
    if (!space.groups.contains(key.group)) names += bytes_of(key.group);
    const auto topic = numbers_.find(key.topic);
    const bool is_known = topic != numbers_.end() && find(topic->second, key.partition) != nullptr;
    if (topic == numbers_.end()) names += bytes_of(key.topic);
    return names <= bounds_.name_bytes && (is_known || partitions_ < bounds_.partitions);
}

WatchedOffsets::Committed* WatchedOffsets::find(Space& space, const OffsetKey& key) {
    const auto group = space.groups.find(key.group);
    const auto topic = numbers_.find(key.topic);
    if (group == space.groups.end() || topic == numbers_.end()) return nullptr;
    const std::pair place(topic->second, key.partition);
    const auto found = std::ranges::lower_bound(group->second, place, {}, &Committed::place);
    return found == group->second.end() || found->place() != place ? nullptr : &*found;
}

/// One more group has an offset of it.
std::uint32_t WatchedOffsets::join(const OffsetKey& key) {
    auto number = numbers_.find(key.topic);
    if (number == numbers_.end()) {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(topics_.size()));
            topics_.emplace_back();
        }
        number = numbers_.emplace(key.topic, free_.back()).first;
        free_.pop_back();
        topics_[number->second].name = key.topic;
        name_bytes_ += bytes_of(key.topic);
    }
    auto& partitions = topics_[number->second].partitions;
    auto place = std::ranges::lower_bound(partitions, key.partition, {}, &Partition::index);
    if (place == partitions.end() || place->index != key.partition) {
        const auto at = place - partitions.begin();
        make_room_for_one(partitions);
        place = partitions.insert(partitions.begin() + at,
                                  {.index = key.partition, .groups = 0, .ends = {}});
        ++partitions_;
    }
    ++place->groups;
    return number->second;
}

const WatchedOffsets::Partition* WatchedOffsets::find(std::uint32_t topic,
                                                      PartitionIndex partition) const {
    return find_in(topics_[topic].partitions, partition);
}

WatchedOffsets::Partition* WatchedOffsets::find(std::uint32_t topic, PartitionIndex partition) {
    return find_in(topics_[topic].partitions, partition);
}

std::vector<AskedTopic> WatchedOffsets::next_partitions(Walk& walk, std::size_t most) const {
    std::vector<AskedTopic> out;
    std::size_t count = 0;
    for (auto at = numbers_.lower_bound(walk.topic); at != numbers_.end(); ++at) {
        const auto& partitions = topics_[at->second].partitions;
        const PartitionIndex from = at->first == walk.topic ? walk.partition : PartitionIndex(0);
        auto next = std::ranges::lower_bound(partitions, from, {}, &Partition::index);
        if (next == partitions.end()) continue;
        out.push_back({.topic = at->first, .partitions = {}});
        for (; next != partitions.end(); ++next, ++count) {
            if (count == most) {
                walk.topic = at->first;
                walk.partition = next->index;
                if (out.back().partitions.empty()) out.pop_back();
                return out;
            }
            out.back().partitions.push_back(next->index);
        }
    }
    walk.is_over = true;
    return out;
}

void WatchedOffsets::see(std::string_view topic, Uuid id, std::span<const SeenEnd> ends,
                         LagTick now) {
    const auto number = numbers_.find(topic);
    if (number == numbers_.end()) return;
    if (topics_[number->second].id != id) forget_ends(topic);
    topics_[number->second].id = id;
    for (const SeenEnd& end : ends) {
        Partition* const partition = find(number->second, end.partition);
        if (partition != nullptr) partition->ends.see(end.high_watermark, now);
    }
}

void WatchedOffsets::forget_ends(std::string_view topic) {
    const auto number = numbers_.find(topic);
    if (number == numbers_.end() || topics_[number->second].id == Uuid()) return;
    topics_[number->second].id = Uuid();
    for (Partition& partition : topics_[number->second].partitions) partition.ends.clear();
}

PartitionLag WatchedOffsets::lag_of(const Committed& committed, LagTick now) const {
    PartitionLag lag{
        .partition = committed.partition, .committed = committed.offset, .records = {}};
    const Partition* const partition = find(committed.topic, committed.partition);
    INVARIANT(partition != nullptr, "an offset of a partition that nobody watches");
    if (partition->ends.empty()) return lag;
    // A client may have committed what no record has.
    const Offset next = std::max(committed.offset, Offset(0));
    lag.records = std::max<std::int64_t>(partition->ends.high_watermark() - next, 0);
    lag.seconds = partition->ends.seconds_unread(next, now);
    return lag;
}

std::optional<GroupLagRow> WatchedOffsets::next_group(const storage::StateSpace& space,
                                                      std::optional<std::string_view> behind,
                                                      LagTick now) const {
    const auto found = spaces_.find(space);
    if (found == spaces_.end()) return std::nullopt;
    const auto& groups = found->second.groups;
    const auto group = behind ? groups.upper_bound(*behind) : groups.begin();
    if (group == groups.end()) return std::nullopt;
    GroupLagRow row{.group = group->first, .topics = {}};
    std::optional<std::uint32_t> last;
    for (const Committed& committed : group->second) {
        if (last != committed.topic) {
            const Topic& topic = topics_[committed.topic];
            row.topics.push_back({.topic = topic.name, .id = topic.id, .partitions = {}});
            last = committed.topic;
        }
        row.topics.back().partitions.push_back(lag_of(committed, now));
    }
    std::ranges::sort(row.topics, {}, &TopicLag::topic);
    return row;
}

WatchedOffsets::Figures WatchedOffsets::figures(LagTick silent_since) const {
    Figures figures{.offsets = offsets_, .partitions = partitions_, .left_out = 0, .silent = 0};
    for (const auto& [space, content] : spaces_) figures.left_out += content.left_out;
    for (const Topic& topic : topics_) {
        figures.silent += static_cast<std::size_t>(
            std::ranges::count_if(topic.partitions, [&](const Partition& partition) {
                return partition.ends.empty() || partition.ends.last_seen() < silent_since;
            }));
    }
    return figures;
}

}  // namespace milena::drivers
