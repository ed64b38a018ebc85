// SPDX-License-Identifier: Apache-2.0
// The one implementation of Cleaning: the map first, then group by group.
#pragma once

#include <map>

#include "cleaner/batch_filter.h"
#include "cleaner/batch_reader.h"
#include "cleaner/cleaned_writer.h"
#include "cleaner/segment_groups.h"

namespace milena::storage {

class LogCleaning final : public Cleaning {
public:
    LogCleaning(env::FileSystem& files, CleaningSource source, const CleaningLimits& limits);

    Result<Step> step() override;
    const CleanedSegment& ready() const override { return *ready_; }
    void swapped() override;
    Offset cleaned_to() const override { return map_.latest().next(); }
    const CleaningSource& source() const override { return source_; }
    const CleaningFigures& figures() const override { return figures_; }
    void clear_up() override;

private:
    enum class Phase : std::uint8_t { begin, map, clean };

    Result<Step> begin();
    Result<Step> map_some();
    Result<void> take_keys(const record::BatchView& batch);
    void note_producer(const record::BatchView& batch);
    Result<Step> clean_some();
    Result<void> clean_batch(const record::BatchView& batch);
    Result<Step> finish_group();
    Step begin_groups();
    Result<void> open_group();
    /// A reader over the segment; `transactions` hears of those that overlap with it.
    Result<void> open_segment(std::size_t index, CleanedTransactions& transactions);
    Result<std::vector<IndexedTransaction>> aborted_in(const CleaningSource::Segment& segment);
    std::string path_of(Offset base, std::string_view suffix) const;
    const SegmentGroup& group() const { return groups_[group_at_]; }

    env::FileSystem& files_;
    const CleaningSource source_;
    const CleaningLimits limits_;
    OffsetMap map_;
    CleaningFigures figures_;
    Phase phase_ = Phase::begin;
    /// Sizes of the transaction indexes that are there.
    std::map<Offset, std::uint64_t> transaction_indexes_;
    std::unique_ptr<BatchReader> reader_;
    /// Of the segments, the one that is read.
    std::size_t at_ = 0;

    CleanedTransactions map_transactions_;
    LastInMap last_in_map_;
    bool is_full_ = false;
    record::Scratch scratch_;

    BatchFilter filter_;
    std::vector<SegmentGroup> groups_;
    std::size_t group_at_ = 0;
    std::unique_ptr<CleanedWriter> writer_;
    /// What the group is now differs from what it was.
    bool has_changed_ = false;
    std::optional<CleanedSegment> ready_;
};

}  // namespace milena::storage
