// SPDX-License-Identifier: Apache-2.0
// The partitions of one fetch session: what its client has asked and was told of each, in the order
// in which they have their turn, and which of them have, or may have, news. What a request costs
// follows what changed, not how many there are.
//
//   mark() ──> marked ──take()──> taken ──settle()──> told and quiet, or marked again
//
// A mark is cleared before its partition is read: news that come while it is read mark it again.
// Pure; not thread-safe.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "fetch_part.h"

namespace milena::server {

class SessionPartitions {
public:
    using Slot = std::uint32_t;
    using Asked = protocol::FetchRequest::FetchPartition;

    /// Longer ones name nothing that could ever exist.
    static constexpr std::size_t kNameBytesMax = 249;

    struct Taken {
        Slot slot = 0;
        /// Its place among all that were taken since the last settle(): the same if it was before.
        std::uint32_t number = 0;
        FetchTopic topic;  ///< until the next forget()
        Asked asked;
        Offset told_high_watermark{-1};  ///< −1: none yet
    };

    explicit SessionPartitions(bool uses_topic_ids);
    SessionPartitions(const SessionPartitions&) = delete;
    SessionPartitions& operator=(const SessionPartitions&) = delete;

    /// The partition is asked for, from now on or with other values than before; marked. Gives its
    /// slot.
    Slot ask(const FetchTopic& topic, const Asked& asked);
    bool contains(const FetchTopic& topic, std::int32_t partition) const {
        return by_name_.contains(Key{topic, partition});
    }
    /// Its slot is in nobody's use until release(). Nothing if there is no such partition.
    std::optional<Slot> forget(const FetchTopic& topic, std::int32_t partition);
    void release(Slot slot) { free_.push_back(slot); }
    /// It was told this, but stays marked.
    void tell(Slot slot, const replication::FetchAnswer& answer);
    /// That of a topic which is named by its id.
    void remember_name(Slot slot, std::string_view name) { entries_[slot].name = name; }

    /// True if it was not marked.
    bool mark(Slot slot);
    /// Takes all that are marked, in the order in which they have their turn.
    void take(std::vector<Taken>& out);
    /// What came of the one with that number. True if the client must be told.
    bool settle(std::uint32_t number, const FetchOutcome& outcome);
    /// Everything that was taken has been settled.
    void end_turn() { taken_.clear(); }
    /// What was taken is marked again, as if it had not been.
    void put_back();

    std::size_t size() const { return by_name_.size(); }
    bool has_marks() const { return !marked_.empty(); }

private:
    static constexpr std::uint32_t kNotTaken = UINT32_MAX;
    struct Entry {
        std::string name;
        Uuid id;
        Asked asked;
        Offset told_high_watermark{-1};
        Offset told_log_start{-1};
        std::uint64_t position = 0;  ///< ascending in the order of their turns
        std::uint32_t number = kNotTaken;
        bool is_used = false;
        bool is_marked = false;
    };
    struct Key {
        FetchTopic topic;
        std::int32_t partition = 0;
    };
    struct Names {
        using is_transparent = void;
        const SessionPartitions* of = nullptr;
        Key key(Slot slot) const;
        static Key key(const Key& key) { return key; }
        std::size_t operator()(const auto& name) const { return hash(key(name)); }
        bool operator()(const auto& a, const auto& b) const { return same(key(a), key(b)); }
        std::size_t hash(const Key& key) const;
        bool same(const Key& a, const Key& b) const;
    };
    using ByName = std::unordered_set<Slot, Names, Names>;

    Slot free_slot();
    void remember(Slot slot);

    const bool uses_topic_ids_;
    std::deque<Entry> entries_;
    ByName by_name_;
    std::vector<ByName::node_type> spare_nodes_;  ///< a partition that comes back takes no memory
    std::vector<Slot> free_;
    std::vector<Slot> marked_;
    std::vector<Slot> taken_;
    std::uint64_t next_position_ = 0;
};

}  // namespace milena::server
