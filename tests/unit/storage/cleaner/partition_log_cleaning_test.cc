// SPDX-License-Identifier: Apache-2.0
// A cleaned segment takes the place of others: with stops, power cuts and errors at every call, and
// with cuts of the log in between.
#include <cstdlib>

#include <fmt/format.h>

#include "keyed_history.h"
#include "sim/random.h"

namespace milena::storage {
namespace {

constexpr CleaningLimits kLimits{.map_bytes = 1, .read_bytes = 400, .hash_key = {3, 4}};

CleaningLimits limits_at(env::Env& env) {
    CleaningLimits limits = kLimits;
    limits.now = env.clock().wall();
    return limits;
}

/// A log that was written to, on a disk of its own.
class Scene {
public:
    explicit Scene(std::uint64_t seed)
        : world_(seed), random_(seed % 7), history_([this](int low, int high) {
              return low +
                     static_cast<int>(random_.below(static_cast<std::uint64_t>(high - low + 1)));
          }) {
        node_.faults().pause();
        EXPECT_TRUE(env::create_durable_directories(node_.files(), kLogDirectory));
        open({});
    }

    sim::Node& node() { return node_; }
    Log& log() { return *log_; }
    KeyedHistory& history() { return history_; }

    void write(int batches) {
        for (int i = 0; i < batches; ++i) {
            world_.run_for(std::chrono::milliseconds(3));
            ASSERT_TRUE(history_.write(*log_, node_.clock().wall()));
        }
    }
    void wait(env::Duration time) { world_.run_for(time); }
    /// Ends what is open, so that all of it may be cleaned; all is synced.
    void settle() {
        for (const std::int64_t producer : {2, 3})
            ASSERT_TRUE(history_.end_transaction(*log_, producer, node_.clock().wall()));
        // The active segment is not cleaned.
        const Offset end = log_->log_end_offset();
        const std::size_t segments = log_->segment_count();
        while (log_->segment_count() == segments) write(1);
        for (const std::int64_t producer : {2, 3})
            ASSERT_TRUE(history_.end_transaction(*log_, producer, node_.clock().wall()));
        ASSERT_TRUE(log_->flush());
        ASSERT_GT(log_->log_end_offset(), end);
    }
    Result<std::optional<bool>> clean_all(const std::function<void()>& between = [] {}) {
        return clean(*log_, node_.files(), log_->log_end_offset(), limits_at(node_), between);
    }

    void open(const Recovery& recovery) {
        auto opened = Log::open(node_, Logger(), kLogDirectory, compacted_segments(), recovery);
        ASSERT_TRUE(opened) << opened.error().why;
        log_ = *std::move(opened);
    }
    /// The machine, or the process, ends where it is, and starts again.
    void crash(sim::Crash how) {
        const Offset end = log_->log_end_offset();
        const Recovery recovery{.recovery_point = log_->durable_end_offset(),
                                .log_start_offset = log_->log_start_offset()};
        node_.faults().clear();
        log_.reset();
        world_.crash(node_, how);
        world_.restart(node_);
        node_.faults().pause();
        open(recovery);
        ASSERT_EQ(log_->log_end_offset(), end);
    }
    void check(std::string_view what) {
        const auto seen = read_committed(*log_, log_->log_end_offset(), Offset(0), 900);
        ASSERT_TRUE(seen) << what << ": " << seen.error().why;
        std::map<std::string, Offset> newest;
        Offset last(-1);
        for (const Read& read : *seen) {
            ASSERT_GT(read.offset, last) << what;
            last = read.offset;
            ASSERT_TRUE(history_.all.contains(read.offset)) << what;
            const KeyedHistory::Written& written = history_.all.at(read.offset);
            ASSERT_TRUE(written.is_committed) << what << " at " << read.offset.value;
            ASSERT_EQ(written.record, read.record) << what;
            newest.erase(*read.record.key);
            if (read.record.value) newest[*read.record.key] = read.offset;
        }
        ASSERT_EQ(newest, history_.state(log_->log_end_offset())) << what << text();
    }
    /// What there is and what was written, for whoever looks for a fault.
    std::string text() {
        std::string out = "\n";
        for (const auto& entry : *node_.files().list(kLogDirectory))
            out += fmt::format("{} {}\n", entry.name, entry.size);
        const auto batches = all_batches(*log_);
        for (const auto& bytes : *batches) {
            const record::BatchView batch(bytes);
            out += fmt::format("{} to {}: producer {}, attributes {:x}, {} records\n",
                               batch.base_offset(), batch.last_offset(), batch.producer_id(),
                               batch.attributes(), batch.record_count());
        }
        for (const auto& [offset, written] : history_.all) {
            out += fmt::format("{}: {}{}, producer {}{}\n", offset, *written.record.key,
                               written.record.value ? "" : " deleted", written.producer,
                               written.is_committed ? "" : ", not committed");
        }
        return out;
    }
    void dump() {
        fmt::print(stderr, "start {} end {} durable {}\n", log_->log_start_offset(),
                   log_->log_end_offset(), log_->durable_end_offset());
        for (auto& e : node_.files().list(kLogDirectory).value())
            fmt::print(stderr, "{} {}\n", e.name, e.size);
        for (auto& b : all_batches(*log_).value()) {
            record::BatchView v(b);
            fmt::print(stderr, "{}-{} p{} attr{:x} n{} base_ts {} max {}\n", v.base_offset(),
                       v.last_offset(), v.producer_id(), v.attributes(), v.record_count(),
                       v.base_timestamp().value, v.max_timestamp().value);
        }
        for (auto& [o, w] : history_.all)
            fmt::print(stderr, "H {} {} {} p{} c{} o{}\n", o, *w.record.key,
                       w.record.value.value_or("NULL"), w.producer, w.is_committed, w.is_open);
        auto rr = log_->read(Offset(0), log_->log_end_offset(), 100000, true).value();
        for (auto& a : log_->aborted_transactions(Offset(0), rr).value())
            fmt::print(stderr, "A {} {}\n", a.producer, a.first_offset);
    }
    std::vector<std::string> leftovers() {
        std::vector<std::string> found;
        for (const auto& entry : *node_.files().list(kLogDirectory)) {
            if (entry.name.ends_with(".cleaned") || entry.name.ends_with(".swap"))
                found.push_back(entry.name);
        }
        return found;
    }

private:
    sim::World world_;
    sim::Node& node_{world_.add_node("n1")};
    sim::SeededRandom random_;
    KeyedHistory history_;
    std::unique_ptr<Log> log_;
};

using Arm = std::function<void(sim::FaultPlan&, std::uint64_t call)>;

/// MILENA_SEEDS=100 for a long search at each call; else at every few.
std::uint64_t seeds_wanted() {
    const char* const wanted = std::getenv("MILENA_SEEDS");
    return wanted == nullptr ? 0 : std::stoull(wanted);
}

/// Two cleanings of which one call fails; `after` brings the log back. Until none has failed.
void fail_at_each_call(std::uint64_t seed, const Arm& arm,
                       const std::function<void(Scene&)>& after) {
    bool has_fired = true;
    constexpr std::uint64_t kStride = 7;
    std::uint64_t call = seeds_wanted() == 0 ? seed % kStride : 0;
    for (; has_fired; call += seeds_wanted() == 0 ? kStride : 1) {
        Scene scene(seed * 7000 + call);
        scene.write(12);
        scene.settle();
        sim::FaultPlan& faults = scene.node().faults();
        arm(faults, call);
        faults.resume();
        const auto first = scene.clean_all();
        faults.pause();
        scene.write(faults.has_fired() ? 0 : 6);
        if (!faults.has_fired()) scene.settle();
        faults.resume();
        const auto second = first ? scene.clean_all() : first;
        has_fired = faults.has_fired();
        const std::string what = "call " + std::to_string(call);
        if (!has_fired) {
            ASSERT_TRUE(first && *first && **first);
            ASSERT_TRUE(second && *second && **second);
        }
        after(scene);
        scene.check(what);
        EXPECT_EQ(scene.leftovers(), std::vector<std::string>()) << what;
        // What is there can be cleaned again.
        if (call == 1) scene.dump();
        scene.write(6);
        scene.settle();
        if (call == 1) scene.dump();
        const auto again = scene.clean_all();
        if (call == 1) scene.dump();
        ASSERT_TRUE(again && *again && **again) << what << (again ? "" : again.error().why);
        scene.check(what + ", cleaned");
        if (::testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(call, 100U);
}

TEST(PartitionLogCleaning, APowerCutAtAnyCallLeavesAWholeLog) {
    for (std::uint64_t seed = 1; seed <= std::max<std::uint64_t>(seeds_wanted(), 3); ++seed) {
        fail_at_each_call(
            seed,
            [](sim::FaultPlan& faults, std::uint64_t call) { faults.lose_power_at_call(call); },
            [](Scene& scene) { scene.crash(sim::Crash::power); });
        if (HasFatalFailure()) return;
    }
}

TEST(PartitionLogCleaning, AStopAtAnyCallLeavesAWholeLog) {
    fail_at_each_call(
        1, [](sim::FaultPlan& faults, std::uint64_t call) { faults.lose_power_at_call(call); },
        [](Scene& scene) { scene.crash(sim::Crash::process); });
}

TEST(PartitionLogCleaning, AnErrorAtAnyCallLeavesAWholeLog) {
    fail_at_each_call(
        1, [](sim::FaultPlan& faults, std::uint64_t call) { faults.fail_call(call); },
        [](Scene& scene) { scene.crash(sim::Crash::process); });
}

TEST(PartitionLogCleaning, ACutCallsItOffWhereverItIs) {
    for (int piece = 0; piece < 200; ++piece) {
        Scene scene(static_cast<std::uint64_t>(piece % 5));
        scene.write(12);
        scene.settle();
        const Offset committed = scene.log().log_end_offset();
        scene.write(1);
        int left = piece;
        const auto cut = [&] {
            if (left-- == 0) ASSERT_TRUE(scene.log().truncate_to(committed));
        };
        const auto cleaned =
            clean(scene.log(), scene.node().files(), committed, limits_at(scene.node()), cut);
        scene.history().cut(committed);
        ASSERT_TRUE(cleaned && *cleaned) << piece;
        EXPECT_EQ(**cleaned, left >= 0) << piece;
        scene.check("cut at piece " + std::to_string(piece));
        EXPECT_EQ(scene.log().cleaned_to().has_value(), left >= 0) << piece;
        ASSERT_TRUE(scene.log().flush());
        scene.crash(sim::Crash::power);
        scene.check("power cut after a cut at piece " + std::to_string(piece));
        EXPECT_EQ(scene.leftovers(), std::vector<std::string>()) << piece;
        if (left >= 0) return;
    }
    FAIL() << "the cleaning has more pieces than expected";
}

TEST(PartitionLogCleaning, WhatAnEarlierOneHasLeftGoesFirst) {
    Scene scene(1);
    scene.write(12);
    scene.settle();
    const std::string left = std::string(kLogDirectory) + "/00000000000000000000.index.cleaned";
    ASSERT_TRUE(scene.node().files().open(left, env::OpenMode::create_empty));
    const auto cleaned = scene.clean_all();
    ASSERT_TRUE(cleaned && *cleaned && **cleaned);
    EXPECT_EQ(scene.leftovers(), std::vector<std::string>());
}

TEST(PartitionLogCleaning, OldSegmentsStayWhileOthersTakeTheirPlace) {
    Scene scene(1);
    scene.write(12);
    scene.settle();
    Log& log = scene.log();
    const auto dirty = log.dirty_part({log.log_end_offset()});
    ASSERT_TRUE(dirty && *dirty);
    const auto cleaning =
        Cleaning::make(scene.node().files(), *log.begin_cleaning(**dirty), limits_at(scene.node()));
    while (*cleaning->step() == Cleaning::Step::goes_on) {
    }
    const CleaningTicket ticket = cleaning->source().ticket;
    ASSERT_TRUE(log.begin_swap_in(ticket, cleaning->ready()));
    EXPECT_FALSE(log.begin_swap_in(ticket, cleaning->ready())) << "one at a time";
    EXPECT_FALSE(*log.dirty_part({log.log_end_offset()}));
    ASSERT_TRUE(log.raise_start(log.log_end_offset()));
    EXPECT_EQ(log.remove_old_segments(log.log_end_offset(), 100)->size(), 0U);
    ASSERT_TRUE(make_final(scene.node().files(), kLogDirectory, cleaning->ready()));
    EXPECT_TRUE(**log.replace_by(ticket, cleaning->ready()) != std::vector<std::string>());
    EXPECT_GT(log.remove_old_segments(log.log_end_offset(), 100)->size(), 0U);
    EXPECT_EQ(log.segment_count(), 1U);
    EXPECT_FALSE(*log.come_home(ticket, cleaning->ready())) << "the segment is gone";
    EXPECT_FALSE(*log.dirty_part({log.log_end_offset()})) << "nothing above the start is dirty";
    EXPECT_EQ(scene.leftovers(), std::vector<std::string>());
}

TEST(PartitionLogCleaning, OnlyWhatMayBeCleanedIs) {
    Scene scene(2);
    EXPECT_FALSE(*scene.log().dirty_part({Offset(0)}));
    scene.write(12);
    scene.settle();
    Log& log = scene.log();
    const auto whole = log.dirty_part({log.log_end_offset()});
    ASSERT_TRUE(whole && *whole);
    EXPECT_EQ((*whole)->first_dirty, Offset(0));
    EXPECT_EQ((*whole)->ratio(), 1);
    EXPECT_TRUE((*whole)->is_due());
    EXPECT_LE((*whole)->end, log.log_end_offset());
    const auto part = log.dirty_part({log.log_end_offset(), (*whole)->end + -1});
    ASSERT_TRUE(part && *part);
    EXPECT_LT((*part)->end, (*whole)->end);
    EXPECT_FALSE(*log.dirty_part({log.log_end_offset(), Offset(1)}));
    LogOptions options = compacted_segments();
    options.compaction->min_compaction_lag_ms = 1'000'000;
    log.set_options(options);
    EXPECT_FALSE(*log.dirty_part({log.log_end_offset()})) << "all of it is too young";
    options.compaction->min_compaction_lag_ms = 0;
    options.compaction->max_compaction_lag_ms = 1;
    options.compaction->min_cleanable_dirty_ratio = 1;
    log.set_options(options);
    const auto overdue = log.dirty_part({log.log_end_offset()});
    ASSERT_TRUE(overdue && *overdue);
    EXPECT_GT((*overdue)->overdue_ms, 0);
    EXPECT_TRUE((*overdue)->is_due()) << "whatever its ratio";
    options.compaction.reset();
    log.set_options(options);
    EXPECT_FALSE(*log.dirty_part({log.log_end_offset()})) << "the topic is not compacted";
}

/// How many calls of the disk a look makes, of a log of which nothing is known.
TEST(PartitionLogCleaning, ALookReadsALittleAndTheNextOneReadsOn) {
    Scene scene(2);
    scene.write(1000);
    scene.settle();
    ASSERT_GT(scene.log().segment_count(), 150U);
    const Offset whole = (*scene.log().dirty_part({scene.log().log_end_offset()}))->end;
    ASSERT_TRUE(scene.log().close());
    scene.open({.clean = true});
    Log& log = scene.log();
    scene.wait(std::chrono::seconds(10));
    LogOptions options = compacted_segments();
    options.compaction->min_compaction_lag_ms = 1;
    options.compaction->max_compaction_lag_ms = 1;
    log.set_options(options);
    Offset end(0);
    std::uint64_t most = 0;
    for (int looks = 0; end < whole && looks < 100; ++looks) {
        sim::FaultPlan& faults = scene.node().faults();
        const std::uint64_t before = faults.calls();
        faults.resume();
        const auto dirty = log.dirty_part({log.log_end_offset()});
        faults.pause();
        most = std::max(most, faults.calls() - before);
        ASSERT_TRUE(dirty && *dirty);
        ASSERT_GT((*dirty)->end, end) << "each look knows more";
        EXPECT_GT((*dirty)->overdue_ms, 0);
        end = (*dirty)->end;
    }
    EXPECT_EQ(end, whole);
    EXPECT_LE(most, 250U);
}

TEST(PartitionLogCleaning, AnOpenTransactionEndsWhatMayBeCleaned) {
    Scene scene(3);
    Log& log = scene.log();
    ASSERT_TRUE(log.append(support::sent_batch(0, {.is_transactional = true})));
    scene.write(12);
    ASSERT_TRUE(log.flush());
    EXPECT_FALSE(*log.dirty_part({log.log_end_offset()}));
}

TEST(PartitionLogCleaning, ADamagedBatchIsAnErrorAndTheLogStaysAsItWas) {
    Scene scene(4);
    scene.write(12);
    scene.settle();
    scene.node().files().flip_bit(std::string(kLogDirectory) + "/00000000000000000000.log", 800);
    const auto before = scene.log().size_bytes();
    const auto cleaned = scene.clean_all();
    ASSERT_FALSE(cleaned);
    EXPECT_EQ(cleaned.error().code, ErrorCode::corrupt_message);
    EXPECT_NE(cleaned.error().why.find("00000000000000000000.log"), std::string::npos);
    EXPECT_EQ(scene.log().size_bytes(), before);
    EXPECT_FALSE(scene.log().cleaned_to());
}

}  // namespace
}  // namespace milena::storage
