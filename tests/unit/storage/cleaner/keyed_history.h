// SPDX-License-Identifier: Apache-2.0
// A log with keyed records, some of them in transactions, beside a plain memory of what was
// written; and what a consumer that reads committed data sees of it. For the tests of cleaning.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "milena/storage/cleaning.h"
#include "support/producers.h"
#include "unit/storage/log_fixture.h"

namespace milena::storage {

inline LogOptions compacted_segments() {
    LogOptions options = small_segments();
    options.segment_bytes = 700;
    options.is_gapless = false;
    options.compaction = CompactionOptions{.min_cleanable_dirty_ratio = 0};
    return options;
}

/// A whole cleaning of what is committed, as replication does it. Nothing if there was nothing to
/// clean; false if it was called off. `between`: called before each piece.
inline Result<std::optional<bool>> clean(
    Log& log, env::FileSystem& files, Offset high_watermark, const CleaningLimits& limits,
    const std::function<void()>& between = [] {}) {
    TRY(const auto dirty, log.dirty_part({high_watermark, Offset(INT64_MAX)}));
    if (!dirty) return std::nullopt;
    TRY(CleaningSource source, log.begin_cleaning(*dirty));
    const CleaningTicket ticket = source.ticket;
    const std::string directory = source.directory;
    const auto cleaning = Cleaning::make(files, std::move(source), limits);
    for (;;) {
        between();
        if (!log.is_own(ticket)) return false;
        TRY(const Cleaning::Step step, cleaning->step());
        if (step == Cleaning::Step::done) break;
        if (step == Cleaning::Step::goes_on) continue;
        if (!log.begin_swap_in(ticket, cleaning->ready())) return false;
        TRY_VOID(make_final(files, directory, cleaning->ready()));
        between();
        TRY(const auto replaced, log.replace_by(ticket, cleaning->ready()));
        if (!replaced) return false;
        TRY_VOID(files.sync_directory(directory));
        TRY(const bool is_home, log.come_home(ticket, cleaning->ready()));
        if (!is_home) return false;
        for (const std::string& path : *replaced) TRY_VOID(files.remove(path));
        cleaning->swapped();
    }
    log.set_cleaned_to(ticket, cleaning->cleaned_to());
    return true;
}

class KeyedHistory {
public:
    using Choose = std::function<int(int low, int high)>;

    struct Written {
        support::TestRecord record;
        std::int64_t producer = -1;
        bool is_committed = true;  ///< or not in a transaction
        bool is_open = false;      ///< its transaction has not ended
    };

    explicit KeyedHistory(Choose choose) : choose_(std::move(choose)) {}

    /// One batch: of data, or the end of a transaction.
    Result<void> write(Log& log, Timestamp now) {
        const std::int64_t producer = choose_(-1, 3);
        if (producer >= kFirstTransactional && open_.contains(producer) && choose_(0, 2) == 0)
            return end_transaction(log, producer, now);
        support::BatchSpec spec{.base_offset = log.log_end_offset().value,
                                .codec = static_cast<record::Codec>(choose_(0, 1) * 3),
                                .producer_id = producer};
        const bool is_transactional = producer >= kFirstTransactional;
        if (producer >= 0) {
            spec.producer_epoch = 0;
            spec.base_sequence = sequences_[producer];
        }
        if (is_transactional) spec.attributes = 0x10;
        const int count = choose_(1, 4);
        for (int i = 0; i < count; ++i) {
            support::TestRecord record{.timestamp = now.value - choose_(0, 5)};
            record.key = "key-" + std::to_string(choose_(0, keys - 1));
            if (choose_(0, 4) > 0)
                record.value = std::string(static_cast<std::size_t>(choose_(0, 30)), 'v') +
                               std::to_string(spec.base_offset + i);
            spec.records.push_back(record);
        }
        TRY_VOID(log.append(support::make_batch(spec)));
        sequences_[producer] += count;
        for (int i = 0; i < count; ++i) {
            all[Offset(spec.base_offset + i)] = {spec.records[static_cast<std::size_t>(i)],
                                                 producer, !is_transactional, is_transactional};
        }
        if (is_transactional) open_.insert(producer);
        batch_ends.insert(log.log_end_offset());
        return ok();
    }

    Result<void> end_transaction(Log& log, std::int64_t producer, Timestamp now) {
        const bool is_abort = choose_(0, 1) == 0;
        TRY_VOID(log.append(support::marker_batch(
            log.log_end_offset().value,
            {.producer = producer, .is_abort = is_abort, .timestamp = now.value})));
        ends_.emplace_back(log.log_end_offset() + -1, producer);
        for (auto& [offset, written] : all) {
            if (written.producer != producer || !written.is_open) continue;
            written.is_open = false;
            written.is_committed = !is_abort;
        }
        open_.erase(producer);
        batch_ends.insert(log.log_end_offset());
        return ok();
    }

    /// What was cut off is forgotten.
    void cut(Offset end) {
        all.erase(all.lower_bound(end), all.end());
        batch_ends.erase(batch_ends.upper_bound(end), batch_ends.end());
        std::erase_if(ends_, [&](const auto& ended) { return ended.first >= end; });
        open_.clear();
        for (auto& [offset, written] : all) {
            if (written.producer < kFirstTransactional) continue;
            const auto marker = std::ranges::find_if(ends_, [&](const auto& ended) {
                return ended.first > offset && ended.second == written.producer;
            });
            written.is_open = marker == ends_.end();
            written.is_committed &= !written.is_open;
            if (written.is_open) open_.insert(written.producer);
        }
    }

    /// The newest committed record of each key below `end`; without those whose newest has no
    /// value.
    std::map<std::string, Offset> state(Offset end) const {
        std::map<std::string, Offset> newest;
        for (const auto& [offset, written] : all) {
            if (offset >= end || !written.is_committed) continue;
            newest.erase(*written.record.key);
            if (written.record.value) newest[*written.record.key] = offset;
        }
        return newest;
    }

    int keys = 6;
    std::map<Offset, Written> all;
    std::set<Offset> batch_ends;

private:
    static constexpr std::int64_t kFirstTransactional = 2;

    Choose choose_;
    /// Offsets of markers, and their producers.
    std::vector<std::pair<Offset, std::int64_t>> ends_;
    std::map<std::int64_t, std::int32_t> sequences_;
    std::set<std::int64_t> open_;
};

/// A record that a consumer got.
struct Read {
    Offset offset;
    support::TestRecord record;
};

/// All that a consumer of committed data gets from `from` on, as Kafka's clients leave out what was
/// aborted, with fetches of `bytes`.
inline Result<std::vector<Read>> read_committed(Log& log, Offset high_watermark, Offset from,
                                                std::uint64_t bytes) {
    const Offset end = log.first_unstable_offset(high_watermark).value_or(high_watermark);
    std::vector<Read> records;
    while (from < end) {
        TRY(const FileRange range, log.read(from, end, bytes, true));
        if (range.length == 0) break;
        TRY(auto aborted, log.aborted_transactions(from, range));
        TRY(const auto memory, bytes_of(range));
        std::set<ProducerId> is_void;
        for (BytesView rest = memory;;) {
            TRY(const auto batch, record::first_batch(rest));
            if (!batch) break;
            rest = rest.subspan(batch->size());
            if (!batch->check_crc()) return fail(ErrorCode::corrupt_message, "a wrong checksum");
            while (!aborted.empty() && aborted.front().first_offset <= batch->last_offset()) {
                is_void.insert(aborted.front().producer);
                aborted.erase(aborted.begin());
            }
            from = std::max(from, batch->next_offset());
            TRY(const auto inside, support::records_of(*batch));
            // Only an abort marker ends what is void: so it is in the Java client.
            if (batch->is_control()) {
                if (!inside.empty() && inside[0].key->at(3) == 0)
                    is_void.erase(batch->producer_id());
                continue;
            }
            if (batch->is_transactional() && is_void.contains(batch->producer_id())) continue;
            std::size_t index = 0;
            TRY_VOID(record::for_each_record(*batch, {}, [&](const record::RecordView& record) {
                records.push_back({record.offset, inside[index++]});
                return true;
            }));
        }
    }
    return records;
}

}  // namespace milena::storage
