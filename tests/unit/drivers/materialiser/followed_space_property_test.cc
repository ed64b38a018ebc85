// SPDX-License-Identifier: Apache-2.0
// Whatever a log has, transactions and compression too, however it is cut into turns, and whenever
// the process dies: the store is a map of what is committed and decided below its position.
#include "followed_replica.h"
#include "materialiser/followed_space.h"

namespace milena::drivers {
namespace {

using Content = std::map<std::string, std::string>;

class RandomLog {
public:
    explicit RandomLog(std::uint64_t seed) : random_(seed) { begin(); }

    void step() {
        const std::uint64_t what = random_.below(100);
        if (what < 35) return append_plain();
        if (what < 55) return append_transactional();
        if (what < 65) return end_transaction();
        if (what < 75) return commit();
        if (what < 78) return crash();
        if (what < 80) return flush();
        turn();
    }
    /// All is decided and committed, and the store has come to it.
    void finish() {
        while (!open_.empty()) end_transaction();
        ASSERT_TRUE(replica_.take({}, end_));
        for (int turns = 0; followed_->applied() != Offset(end_); ++turns) {
            ASSERT_LT(turns, 10'000);
            turn();
        }
        ASSERT_EQ(content(*store_, replica_.space()), content_at(end_));
    }

private:
    struct Written {
        std::int64_t offset = 0;
        std::string key;
        std::optional<std::string> value;
        std::int64_t transaction = -1;
    };

    void begin() {
        followed_ = std::make_shared<FollowedSpace>(
            Logger(), FollowedSpace::Parts{replica_.partition, [] {}, true});
    }
    Pairs any_records() {
        Pairs out;
        for (std::uint64_t i = random_.between(1, 4); i > 0; --i) {
            std::optional<std::string> value;
            if (random_.chance(0.7)) value = std::to_string(++values_);
            out.emplace_back(typed_key(1, std::to_string(random_.below(12))), value);
        }
        return out;
    }
    void append(const Pairs& records, support::BatchSpec spec, std::int64_t transaction) {
        if (random_.chance(0.3)) spec.codec = record::Codec::lz4;
        const auto batch = batch_at(end_, records, spec);
        ASSERT_TRUE(replica_.take(batch, replica_.partition->high_watermark().value));
        for (const auto& [key, value] : records)
            written_.push_back({end_++, key, value, transaction});
    }
    void append_plain() { append(any_records(), {}, -1); }
    void append_transactional() {
        const auto producer = static_cast<std::int64_t>(random_.below(3));
        const auto [open, is_new] = open_.try_emplace(producer, end_);
        const auto records = any_records();
        append(records,
               {.attributes = 0x10,
                .producer_id = producer,
                .producer_epoch = 0,
                .base_sequence = sequences_[producer]},
               open->second);
        sequences_[producer] += static_cast<std::int32_t>(records.size());
    }
    void end_transaction() {
        if (open_.empty()) return;
        const auto [producer, first] = *open_.begin();
        open_.erase(open_.begin());
        const bool is_abort = random_.chance(0.5);
        const auto marker =
            support::marker_batch(end_, {.producer = producer, .is_abort = is_abort});
        ASSERT_TRUE(replica_.take(marker, replica_.partition->high_watermark().value));
        ++end_;
        for (Written& one : written_) {
            if (one.transaction == first && is_abort) one.offset = -1;  // never was
        }
    }
    void commit() {
        const std::int64_t now = replica_.partition->high_watermark().value;
        const auto grown = static_cast<std::uint64_t>(end_ - now);
        ASSERT_TRUE(replica_.take({}, now + static_cast<std::int64_t>(random_.below(grown + 1))));
    }
    void crash() {
        followed_.reset();
        store_ = disk_.open();
        begin();
    }
    void flush() { ASSERT_TRUE(store_->flush()); }
    void turn() {
        const auto outcome = followed_->advance(
            {.store = *store_, .bytes = random_.between(1, 400), .now_ms = 1000});
        ASSERT_TRUE(outcome) << outcome.error().why;
        ASSERT_FALSE(outcome->is_rebuilt);
        const auto position = store_->position(replica_.space()).value();
        const std::int64_t applied = position ? position->applied.value : 0;
        ASSERT_EQ(followed_->applied(), Offset(applied));
        ASSERT_LE(applied, replica_.partition->figures().last_stable.value);
        ASSERT_EQ(content(*store_, replica_.space()), content_at(applied));
    }
    /// What the records below it come to, all of which are decided.
    Content content_at(std::int64_t applied) const {
        Content out;
        for (const Written& one : written_) {
            if (one.offset < 0 || one.offset >= applied) continue;
            if (one.value) {
                out.insert_or_assign(one.key, *one.value);
            } else {
                out.erase(one.key);
            }
        }
        return out;
    }

    sim::SeededRandom random_;
    sim::World world_{1};
    FollowedReplica replica_{world_.add_node("n1")};
    support::StateDisk disk_{[this](std::uint64_t bound) { return random_.below(bound); }};
    std::unique_ptr<storage::StateStore> store_ = disk_.open();
    std::shared_ptr<FollowedSpace> followed_;
    std::vector<Written> written_;
    /// By producer, where they begin.
    std::map<std::int64_t, std::int64_t> open_;
    std::map<std::int64_t, std::int32_t> sequences_;
    std::int64_t end_ = 0;
    int values_ = 0;
};

TEST(FollowedSpaceProperty, IsAMapOfWhatIsCommittedAndDecided) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RandomLog log(seed);
        for (int step = 0; step < 300 && !testing::Test::HasFatalFailure(); ++step) log.step();
        if (!testing::Test::HasFatalFailure()) log.finish();
        if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
    }
}

}  // namespace
}  // namespace milena::drivers
