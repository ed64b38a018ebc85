// SPDX-License-Identifier: Apache-2.0
// Producers of a log against a replay of all batches it holds: after retries, cuts, rolls, clean
// stops, kills and power cuts, in any order, the log knows what the batches say.
#include <deque>
#include <map>
#include <variant>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "log_fixture.h"
#include "support/producers.h"

namespace milena::storage {
namespace {

using support::Marker;
using support::Sent;

int between(int low, int high) {
    return *rc::gen::inRange(low, high + 1);
}

struct ModelTransaction {
    AbortedTransaction name;
    Offset marker{-1};  ///< −1 while it is open
    bool is_abort = false;
};

/// What the batches say, one after the other, in the plainest way.
struct Model {
    struct Producer {
        ActiveProducer state;
        std::deque<std::pair<Sent, Offset>> last_five;
    };

    void apply(const Sent& sent, Offset base) {
        Producer& producer = of(sent.producer, sent.epoch);
        producer.last_five.emplace_back(sent, base);
        if (producer.last_five.size() > 5) producer.last_five.pop_front();
        producer.state.last_sequence = sequence_after(sent.sequence, sent.records - 1);
        producer.state.last_timestamp = Timestamp(sent.timestamp);
        if (!sent.is_transactional || producer.state.transaction_start.value >= 0) return;
        producer.state.transaction_start = base;
        transactions.push_back({{ProducerId(sent.producer), base}});
    }
    void apply(const Marker& marker, Offset at) {
        Producer& producer = of(marker.producer, marker.epoch);
        producer.state.coordinator_epoch = marker.coordinator_epoch;
        producer.state.last_timestamp = Timestamp(marker.timestamp);
        producer.state.transaction_start = Offset(-1);
        for (ModelTransaction& open : transactions) {
            if (open.name.producer != ProducerId(marker.producer) || open.marker.value >= 0)
                continue;
            open.marker = at;
            open.is_abort = marker.is_abort;
        }
    }
    std::optional<Offset> first_unstable(Offset high_watermark, Offset start) const {
        for (const ModelTransaction& one : transactions) {
            if (one.marker.value < 0 || one.marker >= high_watermark)
                return std::max(one.name.first_offset, start);
        }
        return std::nullopt;
    }
    std::vector<ActiveProducer> active() const {
        std::vector<ActiveProducer> states;
        for (const auto& [id, producer] : producers) states.push_back(producer.state);
        return states;
    }

    std::map<std::int64_t, Producer> producers;
    std::vector<ModelTransaction> transactions;  ///< by first offset

private:
    Producer& of(std::int64_t id, std::int16_t epoch) {
        Producer& producer = producers[id];
        producer.state.id = ProducerId(id);
        if (producer.state.epoch != epoch) {
            producer.last_five.clear();
            producer.state.last_sequence = kNoSequence;
        }
        producer.state.epoch = epoch;
        return producer;
    }
};

struct Written {
    std::variant<Sent, Marker> what;
    Offset base;
    Offset end;
};

class ProducersComparison {
public:
    explicit ProducersComparison(bool with_power_cuts) : with_power_cuts_(with_power_cuts) {
        RC_ASSERT(env::create_durable_directories(node_.files(), kLogDirectory).has_value());
        open({});
    }

    void run(int steps) {
        for (int step = 0; step < steps; ++step) {
            change(between(0, 19));
            check();
        }
    }

private:
    void open(const Recovery& recovery) {
        LogOptions options = small_segments();
        options.segment_bytes = static_cast<std::uint64_t>(between(200, 2000));
        auto opened = LogTest::open(node_, options, recovery);
        RC_ASSERT(opened.has_value());
        log_ = *std::move(opened);
    }

    void change(int what) {
        if (what <= 9) return produce();
        if (what <= 13) return end_transaction();
        if (what == 14) return cut();
        if (what == 15 && !with_power_cuts_) return raise_start();
        if (what == 16) return RC_ASSERT(log_->flush().has_value());
        if (what == 17) return restart(true, {});
        if (what == 18) return restart(false, sim::Crash::process);
        if (what == 19 && with_power_cuts_) return restart(false, sim::Crash::power);
    }

    /// Whatever the producer sends, only what may be appended is.
    void produce() {
        Sent sent{.producer = between(1, 3), .records = between(1, 4), .timestamp = now_++};
        const auto known = model_.producers.find(sent.producer);
        if (known != model_.producers.end()) {
            sent.epoch = known->second.state.epoch;
            const std::int32_t last = known->second.state.last_sequence;
            sent.sequence = sequence_after(last, 1);
            sent.is_transactional = known->second.state.transaction_start.value >= 0;
        }
        if (!sent.is_transactional) sent.is_transactional = between(0, 2) == 0;
        if (between(0, 5) == 0) ++sent.epoch;
        if (between(0, 5) == 0) sent.sequence = between(0, 9);
        const auto bytes = support::sent_batch(log_->log_end_offset().value, sent);
        const auto checked = log_->check_producer(record::BatchView(bytes));
        if (checked && !*checked) write(sent, bytes, sent.records);
    }

    void end_transaction() {
        const auto open = std::ranges::find_if(
            model_.transactions, [](const auto& one) { return one.marker.value < 0; });
        if (open == model_.transactions.end()) return;
        const std::int64_t producer = open->name.producer.value;
        const int bump = between(0, 1);
        const Marker marker{
            .producer = producer,
            .epoch = static_cast<std::int16_t>(model_.producers[producer].state.epoch + bump),
            .is_abort = between(0, 1) == 0,
            .coordinator_epoch = between(0, 3),
            .timestamp = now_++};
        write(marker, support::marker_batch(log_->log_end_offset().value, marker), 1);
    }

    void write(std::variant<Sent, Marker> what, const std::vector<std::byte>& bytes, int records) {
        const Offset base = log_->log_end_offset();
        // One write in ten fails, and must leave nothing behind.
        const bool fails = between(0, 9) == 0;
        if (fails) node_.faults().fail_call(0);
        const bool is_written = log_->append(bytes).has_value();
        node_.faults().clear();
        RC_ASSERT((is_written || fails));
        if (is_written) written_.push_back({what, base, base + records});
        replay();
        if (log_->offline()) restart(false, sim::Crash::process);
    }

    void cut() {
        if (log_->log_end_offset() <= start_.next()) return;
        const Offset end(between(static_cast<int>(start_.value) + 1,
                                 static_cast<int>(log_->log_end_offset().value)));
        RC_ASSERT(log_->truncate_to(end).has_value());
        forget_behind(log_->log_end_offset());
    }

    void raise_start() {
        if (written_.empty()) return;
        const auto& at =
            written_[static_cast<std::size_t>(between(0, static_cast<int>(written_.size()) - 1))];
        start_ = std::max(start_, at.base);
        RC_ASSERT(log_->raise_start(start_).has_value());
    }

    void restart(bool clean, std::optional<sim::Crash> crash) {
        if (clean) RC_ASSERT(log_->close().has_value());
        const Recovery recovery{clean, log_->durable_end_offset(), start_};
        log_.reset();
        if (crash) {
            world_.crash(node_, *crash);
            world_.restart(node_);
        }
        open(recovery);
        RC_ASSERT(log_->log_end_offset() >= recovery.recovery_point);
        forget_behind(log_->log_end_offset());
    }

    void forget_behind(Offset end) {
        std::erase_if(written_, [&](const Written& one) { return one.end > end; });
        RC_ASSERT((written_.empty() || written_.back().end == end));
        // A snapshot knows of open transactions, and not which of the ended are replicated.
        high_watermark_ = end;
        all_known_from_ = end;
        replay();
    }

    void replay() {
        model_ = {};
        for (const Written& one : written_)
            std::visit([&](const auto& what) { model_.apply(what, one.base); }, one.what);
    }

    void check() {
        RC_ASSERT(log_->active_producers() == model_.active());
        check_duplicates();
        high_watermark_ = Offset(between(static_cast<int>(high_watermark_.value),
                                         static_cast<int>(log_->log_end_offset().value)));
        RC_ASSERT(log_->first_unstable_offset(high_watermark_) ==
                  model_.first_unstable(high_watermark_, start_));
        check_aborted();
    }

    /// The last five batches are known again. Of those from before the log was opened or cut only
    /// the last is for sure, which is all that a snapshot has.
    void check_duplicates() const {
        for (const auto& [id, producer] : model_.producers) {
            for (const auto& [sent, base] : producer.last_five) {
                if (base < all_known_from_ && base != producer.last_five.back().second) continue;
                const auto bytes = support::sent_batch(0, sent);
                const auto found = log_->check_producer(record::BatchView(bytes));
                RC_ASSERT((found.has_value() && found->has_value()));
                RC_ASSERT((*found)->base_offset() == base);
            }
        }
    }

    void check_aborted() const {
        const auto end = static_cast<int>(log_->log_end_offset().value);
        const Offset from(between(static_cast<int>(start_.value), end));
        const auto bytes_max = static_cast<std::uint64_t>(between(1, 3000));
        const FileRange range = *log_->read(from, Offset(end), bytes_max, true);
        const auto found = *log_->aborted_transactions(from, range);
        RC_ASSERT(std::ranges::is_sorted(found, {}, &AbortedTransaction::first_offset));
        const auto bytes = *bytes_of(range);
        Offset upper = from;
        for (BytesView left = bytes; const auto batch = *record::first_batch(left);) {
            upper = batch->next_offset();
            left = left.subspan(batch->size());
        }
        for (const ModelTransaction& one : model_.transactions) {
            const bool is_named = std::ranges::find(found, one.name) != found.end();
            const bool overlaps = one.marker >= from && one.name.first_offset < upper;
            if (is_named) RC_ASSERT((one.is_abort && one.marker >= from));
            if (one.is_abort && overlaps) RC_ASSERT(is_named);
        }
    }

    const bool with_power_cuts_;
    sim::World world_{static_cast<std::uint64_t>(between(1, 1'000'000))};
    sim::Node& node_{world_.add_node("n1")};
    std::unique_ptr<Log> log_;
    std::vector<Written> written_;
    Model model_;
    Offset start_{0};
    Offset high_watermark_{0};
    Offset all_known_from_{0};
    std::int64_t now_ = 1000;
};

RC_GTEST_PROP(PartitionLogProducersLaw, AreWhatTheBatchesSayAfterKillsAndDeletions, ()) {
    ProducersComparison(false).run(40);
}

RC_GTEST_PROP(PartitionLogProducersLaw, AreWhatTheBatchesSayAfterPowerCuts, ()) {
    ProducersComparison(true).run(40);
}

}  // namespace
}  // namespace milena::storage
