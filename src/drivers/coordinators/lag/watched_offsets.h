// SPDX-License-Identifier: Apache-2.0
// The committed offsets of the groups that this node coordinates, and what is known of the ends of
// the partitions that they are about: a state machine without I/O. Spaces of the state store are
// watched or not; what is written to one that is comes in as a change, what it had before is read
// page by page:
//
//   watch() -> next_page() -> [read it] -> take_page() ... -> nothing more to read
//                changed() at any time: what it says goes before a page that was read meanwhile
//
// Memory is bounded: 16 bytes an offset, some hundred a partition. What there is no room for is
// counted, and found when the space is read again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "milena/base/uuid.h"
#include "milena/coordinator/offset_record.h"
#include "milena/coordinator/record.h"
#include "milena/storage/state_store.h"
#include "readable_history.h"

namespace milena::drivers {

/// What one group has to read in one partition.
struct PartitionLag {
    PartitionIndex partition;
    Offset committed;
    /// Nothing while its end is not known.
    std::optional<std::int64_t> records;
    double seconds = 0;
};
struct TopicLag {
    std::string topic;
    /// Of which its ends are; zero while none is known.
    Uuid id;
    std::vector<PartitionLag> partitions;  ///< in order
};
struct GroupLagRow {
    std::string group;
    std::vector<TopicLag> topics;
};

/// Partitions of one topic.
struct AskedTopic {
    std::string topic;
    std::vector<PartitionIndex> partitions;
};

/// A high watermark that somebody was told.
struct SeenEnd {
    PartitionIndex partition;
    Offset high_watermark;
};

struct WatchBounds {
    std::size_t offsets = 1'000'000;
    std::size_t partitions = 100'000;
    /// Of groups and topics, with what each takes beside its name.
    std::size_t name_bytes = 16UL << 20;
    /// Keys that change while one page is read; with more it is read again.
    std::size_t touched = 10'000;
};

class WatchedOffsets {
public:
    explicit WatchedOffsets(const WatchBounds& bounds = {}) : bounds_(bounds) {}

    /// What is there of it is to be read.
    void watch(const storage::StateSpace& space);
    /// Its offsets are forgotten.
    void unwatch(const storage::StateSpace& space);
    std::vector<storage::StateSpace> spaces() const;

    // Of spaces that are watched; those of others change nothing.
    /// It has these now. What is no offset, or can't be read, is passed over.
    void changed(const storage::StateSpace& space, std::span<const storage::StateChange> changes);
    /// It was dropped, and comes anew.
    void dropped(const storage::StateSpace& space);

    struct Page {
        storage::StateSpace space;
        std::vector<std::byte> from;
    };
    bool is_all_read() const;
    /// To be read now and given to take_page(); nothing if all was read. One at a time.
    std::optional<Page> next_page();
    /// `records` lie in the page's space from where it begins up to `next`, which is empty if they
    /// are the last.
    void take_page(const Page& page, std::span<const coordinator::RecordView> records,
                   std::vector<std::byte> next);
    /// Spaces of which something had no room are to be read again.
    void read_again();

    /// Where a walk over all partitions stands.
    struct Walk {
        std::string topic;
        PartitionIndex partition{0};
        bool is_over = false;
    };
    /// The next partitions that somebody has committed offsets of, at most so many, in the order of
    /// the names of topics.
    std::vector<AskedTopic> next_partitions(Walk& walk, std::size_t most) const;
    /// Seen at one time, of partitions of that topic; with another id than before all that was
    /// known is another topic's.
    void see(std::string_view topic, Uuid id, std::span<const SeenEnd> ends, LagTick now);
    /// There is no such topic.
    void forget_ends(std::string_view topic);

    /// The next group behind that name, or the first.
    std::optional<GroupLagRow> next_group(const storage::StateSpace& space,
                                          std::optional<std::string_view> behind,
                                          LagTick now) const;

    struct Figures {
        std::size_t offsets = 0;
        std::size_t partitions = 0;
        /// Offsets that had no room when they came or were read; one that is committed again and
        /// again counts as often, until the space is read again.
        std::size_t left_out = 0;
        /// Partitions whose end was never told, or not since `silent_since`.
        std::size_t silent = 0;
    };
    Figures figures(LagTick silent_since) const;

private:
    struct Partition {
        PartitionIndex index;
        std::uint32_t groups = 0;  ///< that have committed an offset of it
        ReadableHistory ends;
    };
    struct Topic {
        std::string name;
        Uuid id;
        std::vector<Partition> partitions;  ///< in order
    };
    /// Topics by number, for there are many of these.
    struct Committed {
        std::uint32_t topic = 0;
        PartitionIndex partition;
        Offset offset;

        auto place() const { return std::pair(topic, partition); }
    };
    using Offsets = std::vector<Committed>;  ///< in the order of places
    struct Space {
        std::map<std::string, Offsets, std::less<>> groups;
        bool is_read = false;
        std::vector<std::byte> next;  ///< where the next page begins
        /// Keys that have changed since the page that is under way was asked for.
        bool is_reading = false;
        bool is_void = false;  ///< what is read is of no use
        std::set<std::string, std::less<>> touched;
        std::size_t left_out = 0;
    };

    /// What is to be swept: groups of a space with offsets that are gone.
    using Emptied = std::set<std::string, std::less<>>;

    void set(Space& space, BytesView key, BytesView value);
    void erase(Space& space, BytesView key, Emptied& emptied);
    void erase_all(Space& space);
    /// Many may go at once, so they are marked first.
    void sweep(Space& space, const Emptied& emptied);
    void sweep_topic(std::uint32_t number);
    bool has_room(const Space& space, const coordinator::OffsetKey& key) const;
    Committed* find(Space& space, const coordinator::OffsetKey& key);
    std::uint32_t join(const coordinator::OffsetKey& key);
    Partition* find(std::uint32_t topic, PartitionIndex partition);
    const Partition* find(std::uint32_t topic, PartitionIndex partition) const;
    PartitionLag lag_of(const Committed& committed, LagTick now) const;

    const WatchBounds bounds_;
    std::map<storage::StateSpace, Space> spaces_;
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
    std::vector<Topic> topics_;
    std::vector<std::uint32_t> free_;  ///< numbers of no topic
    std::size_t offsets_ = 0;
    std::size_t partitions_ = 0;
    std::size_t name_bytes_ = 0;
};

}  // namespace milena::drivers
