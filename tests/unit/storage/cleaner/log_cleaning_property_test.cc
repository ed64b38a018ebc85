// SPDX-License-Identifier: Apache-2.0
// Cleaning against a memory of all that was written: after appends, cleanings, cuts and starts, in
// any order, what is left is what was written, where it was written, and a consumer of committed
// data ends with the same value for each key.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "keyed_history.h"

namespace milena::storage {
namespace {

int between(int low, int high) {
    return *rc::gen::inRange(low, high + 1);
}

class Scene {
public:
    Scene() : history_(between) {
        history_.keys = between(1, 12);
        options_.compaction->delete_retention_ms = between(0, 3) * 20;
        options_.segment_bytes = static_cast<std::uint64_t>(between(300, 2000));
        open({});
    }

    void step() {
        world_.run_for(std::chrono::milliseconds(between(1, 10)));
        switch (between(0, 19)) {
            case 0: return cut();
            case 6:
            case 7: return commit();
            case 1: return reopen(true);
            case 2: return reopen(false);
            case 3:
            case 4:
            case 5: return clean_some();
            default: RC_ASSERT(history_.write(*log_, node_.clock().wall()).has_value());
        }
    }

    void check() {
        const Offset cleaned_to = log_->cleaned_to().value_or(Offset(0));
        const auto seen = must(read_committed(*log_, committed_, log_->log_start_offset(), 900));
        std::map<std::string, Offset> newest;
        std::set<std::string> clean_keys;
        Offset last(-1);
        const Offset stable = log_->first_unstable_offset(committed_).value_or(committed_);
        for (const Read& read : seen) {
            if (read.offset >= stable) break;
            RC_ASSERT(read.offset > last);
            last = read.offset;
            const auto written = history_.all.find(read.offset);
            RC_ASSERT(written != history_.all.end());
            RC_ASSERT(written->second.is_committed);
            RC_ASSERT(written->second.record == read.record);
            newest.erase(*read.record.key);
            if (read.record.value) newest[*read.record.key] = read.offset;
            if (read.offset < cleaned_to) RC_ASSERT(clean_keys.insert(*read.record.key).second);
        }
        RC_ASSERT(newest == history_.state(stable));
        from_anywhere(seen, stable);
    }

private:
    template <class T>
    static T must(Result<T> result) {
        if (!result) RC_FAIL(result.error().why);
        return *std::move(result);
    }

    /// Whoever begins in the middle sees the end of it.
    void from_anywhere(const std::vector<Read>& all, Offset stable) {
        if (stable <= log_->log_start_offset()) return;
        const Offset from(between(static_cast<int>(log_->log_start_offset().value),
                                  static_cast<int>(stable.value)));
        const auto seen = must(read_committed(*log_, committed_, from, 250));
        std::vector<Offset> expected;
        std::vector<Offset> got;
        for (const Read& read : all) {
            if (read.offset >= from && read.offset < stable) expected.push_back(read.offset);
        }
        for (const Read& read : seen) {
            if (read.offset >= from && read.offset < stable) got.push_back(read.offset);
        }
        RC_ASSERT(got == expected);
    }

    void open(const Recovery& recovery) {
        log_ = must(Log::open(node_, Logger(), kLogDirectory, options_, recovery));
    }

    void reopen(bool is_clean) {
        const auto producers = log_->active_producers();
        const Offset end = log_->log_end_offset();
        const Recovery recovery{.clean = is_clean,
                                .recovery_point = log_->durable_end_offset(),
                                .log_start_offset = log_->log_start_offset(),
                                .cleaned_to = log_->cleaned_to()};
        if (is_clean) RC_ASSERT(log_->close().has_value());
        log_.reset();
        open(recovery);
        // Where a cut came into a gap, the offsets behind the last batch are forgotten.
        RC_ASSERT(log_->log_end_offset() == end || was_cut_);
        RC_ASSERT(log_->active_producers() == producers);
        // A start does not know which markers the high watermark has not passed.
        committed_ = log_->log_end_offset();
    }

    void cut() {
        const int end = static_cast<int>(log_->log_end_offset().value);
        const int first = std::max(static_cast<int>(committed_.value), 1);
        if (first >= end) return;
        RC_ASSERT(log_->truncate_to(Offset(between(first, end - 1))).has_value());
        RC_ASSERT(log_->log_end_offset() >= committed_ || first == 1);
        committed_ = std::min(committed_, log_->log_end_offset());
        was_cut_ = true;
        history_.cut(log_->log_end_offset());
    }

    /// What is committed is never cut.
    void commit() {
        committed_ = Offset(between(static_cast<int>(committed_.value),
                                    static_cast<int>(log_->log_end_offset().value)));
        // Batches are committed whole.
        const auto after = history_.batch_ends.lower_bound(committed_);
        if (after != history_.batch_ends.end()) committed_ = *after;
    }

    void clean_some() {
        RC_ASSERT(log_->flush().has_value());
        const CleaningLimits limits{.map_bytes = 1,
                                    .load_factor = between(0, 1) == 0 ? 0.9 : 0.05,
                                    .read_bytes = static_cast<std::uint64_t>(between(50, 3000)),
                                    .segments_at_once = static_cast<std::size_t>(between(1, 5)),
                                    .hash_key = {1, 2},
                                    .now = node_.clock().wall()};
        const bool is_disturbed = between(0, 3) == 0;
        int pieces = is_disturbed ? between(0, 20) : -1;
        const auto meanwhile = [&] {
            if (pieces-- != 0) return;
            if (between(0, 1) == 0) return cut();
            RC_ASSERT(history_.write(*log_, node_.clock().wall()).has_value());
        };
        must(clean(*log_, node_.files(), committed_, limits, meanwhile));
    }

    sim::World world_{1};
    sim::Node& node_{world_.add_node("n1")};
    LogOptions options_ = compacted_segments();
    KeyedHistory history_;
    std::unique_ptr<Log> log_;
    Offset committed_;
    bool was_cut_ = false;
};

RC_GTEST_PROP(LogCleaningProperty, LeavesTheNewestOfEachKeyWhereItWas, ()) {
    Scene scene;
    const int steps = between(10, 150);
    for (int i = 0; i < steps; ++i) {
        scene.step();
        scene.check();
    }
}

}  // namespace
}  // namespace milena::storage
