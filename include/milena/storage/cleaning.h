// SPDX-License-Identifier: Apache-2.0
// Log compaction (cleanup.policy=compact): of the records with the same key only the newest stays,
// offsets and their order never change. A cleaning goes over the dirty part of a log once, to learn
// the last offset of each key, and then over all segments up to there, writing what stays to new
// ones, which take the place of one or several old ones each:
//
//   Log::dirty_part -> Log::begin_cleaning -> Cleaning::step ... -> Log::begin_swap_in, replace_by,
//   come_home for each new segment -> Log::set_cleaned_to
//
// Only the calls of Log need the guard of the log. What lies between may take minutes; whatever
// happens to the log meanwhile that the cleaning can't bear, it is called off (CleaningTicket).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/result.h"
#include "milena/env/files.h"
#include "milena/storage/log.h"

namespace milena::storage {

/// What a log allows to be cleaned, besides its own rules.
struct CleaningBounds {
    Offset high_watermark;
    /// Nothing at or above it is cleaned.
    Offset limit{INT64_MAX};
};

/// A log as a cleaner sees it that chooses among many.
struct DirtyLog {
    /// Below it a key has one record, as far as deletions go.
    Offset first_dirty{};
    /// Where what may be cleaned now ends: the base of a segment.
    Offset end{};
    std::uint64_t clean_bytes = 0;
    /// Of the segments between both.
    std::uint64_t dirty_bytes = 0;
    /// How long the oldest of these has waited beyond max.compaction.lag.ms; 0 if it has not.
    std::int64_t overdue_ms = 0;
    /// The topic's min.cleanable.dirty.ratio.
    double ratio_min = 0;

    double ratio() const {
        const std::uint64_t all = clean_bytes + dirty_bytes;
        return all == 0 ? 0 : static_cast<double>(dirty_bytes) / static_cast<double>(all);
    }
    /// Worth a cleaning now.
    bool is_due() const { return dirty_bytes > 0 && (overdue_ms > 0 || ratio() > ratio_min); }
};

/// The dirtiest of those that are due, the first of equals; nothing if none is.
std::optional<std::size_t> dirtiest(std::span<const DirtyLog> logs);

/// By which a log knows whether it is still the one that a cleaning was begun on: it has not been
/// cut since, nor has another log taken its place.
struct CleaningTicket {
    std::shared_ptr<const int> log{};
    std::uint64_t truncations = 0;

    bool operator==(const CleaningTicket&) const = default;
};

/// An aborted transaction as the transaction index of a segment has it.
struct IndexedTransaction {
    ProducerId producer = kNoProducer;
    Offset first_offset;
    Offset last_offset;  ///< of the marker
    Offset last_stable_offset;

    bool operator==(const IndexedTransaction&) const = default;
};

/// The last that a producer has written which may write on: its batch stays, for its sequence.
struct LastOfProducer {
    ProducerId producer = kNoProducer;
    /// −1: it has no batch in its epoch, and its last marker stays, for the epoch.
    Offset last_offset{-1};
    std::int16_t epoch = -1;
};

/// What a cleaning reads: taken under the guard, used without it.
struct CleaningSource {
    struct Segment {
        Offset base;
        Offset next_base;  ///< of the segment behind it
        std::uint64_t bytes = 0;
        std::uint64_t index_bytes = 0;
        std::uint64_t time_index_bytes = 0;
    };
    CleaningTicket ticket{};
    std::string directory{};
    LogOptions options{};
    Offset first_dirty{};
    /// From the log's first on, up to where it may be cleaned.
    std::vector<Segment> segments{};
    /// Aborted transactions that begin in them and end behind them.
    std::vector<IndexedTransaction> later_aborted{};
    /// By producer id.
    std::vector<LastOfProducer> producers{};
    /// Tombstones and markers from here on stay, however old they are: a replica may not have them.
    Offset tombstones_stay_from{INT64_MAX};
};

/// A segment that is ready to take the place of others. Its files end in ".cleaned".
struct CleanedSegment {
    Offset base;
    std::uint64_t bytes = 0;
    std::uint64_t index_bytes = 0;
    std::uint64_t time_index_bytes = 0;
    std::uint64_t transaction_index_bytes = 0;
    /// Bases of the segments that it is made of, ascending; the first is its own.
    std::vector<Offset> replaces{};
};

/// The names of a segment's files; the log's comes last.
inline constexpr std::array<std::string_view, 4> kSegmentSuffixes{".index", ".timeindex",
                                                                  ".txnindex", ".log"};

struct CleaningLimits {
    /// Memory for the last offset of each key; what does not fit is left for the next cleaning.
    std::uint64_t map_bytes = 128ULL << 20;
    /// How full that may become: log.cleaner.io.buffer.load.factor.
    double load_factor = 0.9;
    /// Read at once: log.cleaner.io.buffer.size. A batch that is longer is read whole.
    std::uint64_t read_bytes = 512ULL << 10;
    /// Longest that the records of one batch may be when they are not compressed.
    std::uint64_t plain_bytes_max = 256ULL << 20;
    /// Segments that become one.
    std::size_t segments_at_once = 32;
    /// Secret of the hash of keys, so that nobody can make keys that have the same.
    std::array<std::uint64_t, 2> hash_key{};
    Timestamp now{};
};

struct CleaningFigures {
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    std::uint64_t map_bytes_read = 0;  ///< of bytes_read, those for the map
    std::uint64_t records_read = 0;
    std::uint64_t records_kept = 0;
    std::uint64_t keyless_records = 0;  ///< from before the topic was compacted; they go
    std::uint64_t segments_before = 0;
    std::uint64_t segments_after = 0;
    double map_utilisation = 0;  ///< of what fits
};

/// The work on one log, in pieces, for a thread that may wait for the disk.
class Cleaning {
public:
    /// `files` outlives it.
    static std::unique_ptr<Cleaning> make(env::FileSystem& files, CleaningSource source,
                                          const CleaningLimits& limits);
    virtual ~Cleaning() = default;

    enum class Step : std::uint8_t {
        goes_on,  ///< step() is to be called again
        ready,    ///< ready() is to take the place of others, then swapped() is called
        done,
    };
    /// Does about as much as limits.read_bytes of reading takes. CORRUPT_MESSAGE for a batch that
    /// is damaged, KAFKA_STORAGE_ERROR for the disk: the log is as it was, and the cleaning over.
    virtual Result<Step> step() = 0;
    virtual const CleanedSegment& ready() const = 0;
    virtual void swapped() = 0;

    /// Everything below it is clean once all is done.
    virtual Offset cleaned_to() const = 0;
    virtual const CleaningSource& source() const = 0;
    virtual const CleaningFigures& figures() const = 0;
    /// Removes what it has written and nobody has taken over, while the log's directory is its own.
    virtual void clear_up() = 0;
};

/// What is done with the files of `cleaned` between Log::begin_swap_in() and Log::replace_by(),
/// without the guard: their names are durable, then they end in ".swap" instead, for good.
Result<void> make_final(env::FileSystem& files, const std::string& directory,
                        const CleanedSegment& cleaned);

}  // namespace milena::storage
