// SPDX-License-Identifier: Apache-2.0
// A log against a vector of batches: whatever is appended, cut, rolled and reopened, in any order,
// the log answers as the vector does.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "log_fixture.h"

namespace milena::storage {
namespace {

using support::TestRecord;

struct ModelBatch {
    std::vector<std::byte> bytes;
    std::vector<TestRecord> records;

    record::BatchView view() const { return record::BatchView(bytes); }
};

int between(int low, int high) {
    return *rc::gen::inRange(low, high + 1);
}

class Comparison {
public:
    void run(int steps) {
        open({});
        for (int step = 0; step < steps; ++step) {
            change(between(0, 9));
            check();
        }
    }

private:
    void open(const Recovery& recovery) {
        const LogOptions options{
            .segment_bytes = static_cast<std::uint64_t>(between(200, 2000)),
            .index_interval_bytes = static_cast<std::uint32_t>(between(0, 300)),
            .segment_index_bytes = static_cast<std::uint64_t>(between(40, 400))};
        auto opened = LogTest::open(node_, options, recovery);
        RC_ASSERT(opened.has_value());
        log_ = *std::move(opened);
    }

    void change(int what) {
        if (what <= 4) return append();
        if (what == 5) return truncate();
        if (what == 6) return raise_start();
        if (what == 7) {
            RC_ASSERT(log_->flush().has_value());
            return;
        }
        const bool clean = what == 8;
        if (clean) RC_ASSERT(log_->close().has_value());
        const Recovery recovery{clean, log_->durable_end_offset(), log_->log_start_offset()};
        log_.reset();
        open(recovery);
    }

    void append() {
        std::vector<std::byte> together;
        for (int batch = between(1, 4); batch > 0; --batch) {
            if (between(0, 9) == 0) ++epoch_;
            support::BatchSpec spec{.base_offset = end_ + (between(0, 9) == 0 ? between(1, 5) : 0),
                                    .leader_epoch = epoch_,
                                    .codec = static_cast<record::Codec>(between(0, 4))};
            for (int record = between(1, 6); record > 0; --record) {
                spec.records.push_back(
                    {.timestamp = between(-1, 60),
                     .value = std::string(static_cast<std::size_t>(between(0, 40)), 'v')});
            }
            batches_.push_back({support::make_batch(spec), spec.records});
            together.insert(together.end(), batches_.back().bytes.begin(),
                            batches_.back().bytes.end());
            end_ = batches_.back().view().next_offset().value;
        }
        RC_ASSERT(log_->append(together).has_value());
    }

    void truncate() {
        const int end = between(static_cast<int>(start_), static_cast<int>(end_) + 2);
        RC_ASSERT(log_->truncate_to(Offset(end)).has_value());
        if (end >= end_) return;
        end_ = end;
        while (!batches_.empty() && batches_.back().view().last_offset() >= Offset(end)) {
            end_ = std::min(end_, batches_.back().view().base_offset().value);
            batches_.pop_back();
        }
        end_ = std::max(end_, start_);
        if (end_ == start_) batches_.clear();
    }

    void raise_start() {
        start_ = between(static_cast<int>(start_), static_cast<int>(end_));
        RC_ASSERT(log_->raise_start(Offset(start_)).has_value());
        RC_ASSERT(log_->remove_old_segments(Offset(end_), 2).has_value());
        RC_ASSERT(log_->log_start_offset() == Offset(start_));
        std::erase_if(batches_, [&](const ModelBatch& batch) {
            return batch.view().last_offset() < Offset(start_);
        });
    }

    void check() {
        // Offsets behind the last batch (it was cut in a gap) are forgotten when the log is opened
        // again.
        RC_ASSERT(log_->log_end_offset() <= Offset(end_));
        if (!batches_.empty())
            RC_ASSERT(log_->log_end_offset() >= batches_.back().view().next_offset());
        end_ = log_->log_end_offset().value;
        RC_ASSERT(log_->log_start_offset() == Offset(start_));
        RC_ASSERT(log_->durable_end_offset() <= log_->log_end_offset());
        if (!batches_.empty())
            RC_ASSERT(log_->last_epoch() == batches_.back().view().leader_epoch());
        for (const ModelBatch& batch : batches_) {
            RC_ASSERT(log_->epoch_at(std::max(batch.view().base_offset(), Offset(start_))) ==
                      batch.view().leader_epoch());
        }
        for (int round = 0; round < 4; ++round) check_read();
        check_timestamps();
    }

    void check_read() {
        const Offset from(between(static_cast<int>(start_), static_cast<int>(end_)));
        const Offset upper(between(static_cast<int>(start_), static_cast<int>(end_)));
        const auto bytes_max = static_cast<std::uint64_t>(between(0, 1500));
        const bool at_least_one = between(0, 1) == 1;
        const auto range = log_->read(from, upper, bytes_max, at_least_one);
        RC_ASSERT(range.has_value());
        const auto bytes = bytes_of(*range);
        RC_ASSERT(bytes.has_value());

        std::vector<std::byte> expected;
        std::size_t first_bytes = 0;
        for (const ModelBatch& batch : batches_) {
            if (batch.view().last_offset() < from) continue;
            if (batch.view().last_offset() >= upper || from >= upper) break;
            if (first_bytes == 0) first_bytes = batch.bytes.size();
            expected.insert(expected.end(), batch.bytes.begin(), batch.bytes.end());
        }
        const bool fits = first_bytes > 0 && (at_least_one || bytes_max >= first_bytes);
        RC_ASSERT(bytes->empty() == !fits);
        if (!fits) return;
        RC_ASSERT(bytes->size() >= first_bytes);
        RC_ASSERT(bytes->size() <= std::max<std::size_t>(bytes_max, first_bytes));
        RC_ASSERT(bytes->size() <= expected.size());
        RC_ASSERT(std::equal(bytes->begin(), bytes->end(), expected.begin()));
    }

    void check_timestamps() {
        const Offset upper(between(static_cast<int>(start_), static_cast<int>(end_)));
        const Timestamp when(between(0, 62));
        std::optional<TimestampOffset> first;
        std::optional<TimestampOffset> greatest;
        for (const ModelBatch& batch : batches_) {
            // The greatest is looked for in batches that lie wholly below the bound.
            const bool is_below = batch.view().last_offset() < upper;
            for (std::size_t index = 0; index < batch.records.size(); ++index) {
                const Offset offset = batch.view().base_offset() + static_cast<std::int64_t>(index);
                const TimestampOffset found{Timestamp(batch.records[index].timestamp), offset,
                                            batch.view().leader_epoch()};
                if (offset < Offset(start_) || offset >= upper) continue;
                if (!first && found.timestamp >= when) first = found;
                if (!is_below) continue;
                if (!greatest || found.timestamp > greatest->timestamp) greatest = found;
            }
        }
        RC_ASSERT(log_->find_timestamp(when, upper).value() == first);
        RC_ASSERT(log_->find_max_timestamp(upper).value() == greatest);
    }

    sim::World world_{1};
    sim::Node& node_{world_.add_node("n1")};
    std::unique_ptr<Log> log_;
    std::vector<ModelBatch> batches_;
    std::int64_t start_ = 0;
    std::int64_t end_ = 0;
    std::int32_t epoch_ = 0;
};

RC_GTEST_PROP(PartitionLogLaw, AnswersAsAVectorOfBatchesDoes, ()) {
    Comparison().run(40);
}

}  // namespace
}  // namespace milena::storage
