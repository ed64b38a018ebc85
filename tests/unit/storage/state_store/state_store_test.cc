// SPDX-License-Identifier: Apache-2.0
// What a state store promises, of both: the one on RocksDB, and the one in memory that stands for
// it in simulations.
#include "milena/storage/state_store.h"

#include <map>

#include "sim/random.h"
#include "state_stores.h"

namespace milena::storage {
namespace {

template <class Tested>
class StateStoreTest : public testing::Test {
protected:
    using Pairs = std::vector<std::pair<std::string, std::string>>;

    void write(const StateSpace& space, const Pairs& puts, std::int64_t applied) {
        std::vector<StateChange> changes;
        for (const auto& [key, value] : puts) {
            if (value == "-") {
                changes.push_back({as_bytes(key), std::nullopt});
            } else {
                changes.push_back({as_bytes(key), as_bytes(value)});
            }
        }
        ASSERT_TRUE(store->write(space, changes, at_offset(applied)));
    }
    std::string get(const StateSpace& space, std::string_view key) {
        const auto value = store->get(space, as_bytes(key));
        EXPECT_TRUE(value);
        return value && *value ? std::string(as_text(**value)) : "none";
    }
    Pairs scan(const StateSpace& space, std::string_view prefix = "", std::string_view from = "") {
        Pairs out;
        EXPECT_TRUE(store->scan(space, as_bytes(prefix), as_bytes(from),
                                [&](BytesView key, BytesView value) {
                                    out.emplace_back(as_text(key), as_text(value));
                                    return true;
                                }));
        return out;
    }
    std::optional<StatePosition> position(const StateSpace& space) {
        return store->position(space).value();
    }
    std::optional<StatePosition> flushed(const StateSpace& space) {
        return store->flushed(space).value();
    }

    Tested store;
    const StateSpace one = space_of(1, 0);
    const StateSpace two = space_of(1, 1);
};

using Stores = testing::Types<TestedMemory, TestedRocks>;
class StoreName {
public:
    template <class T>
    static std::string GetName(int) {
        return std::is_same_v<T, TestedRocks> ? "Rocks" : "Memory";
    }
};
TYPED_TEST_SUITE(StateStoreTest, Stores, StoreName);

TYPED_TEST(StateStoreTest, HasNothingAtFirst) {
    EXPECT_EQ(this->position(this->one), std::nullopt);
    EXPECT_EQ(this->flushed(this->one), std::nullopt);
    EXPECT_EQ(this->get(this->one, "k"), "none");
    EXPECT_TRUE(this->scan(this->one).empty());
    EXPECT_TRUE(this->store->spaces()->empty());
    EXPECT_TRUE(this->store->drop(this->one));
    EXPECT_TRUE(this->store->flush());
}

TYPED_TEST(StateStoreTest, HasTheNewestOfEachKeyAndWhereItIs) {
    this->write(this->one, {{"a", "1"}, {"b", "1"}, {"c", "1"}}, 3);
    this->write(this->one, {{"b", "2"}, {"c", "-"}, {"a", "x"}, {"a", "3"}}, 7);
    EXPECT_EQ(this->get(this->one, "a"), "3") << "the later change of a key in one write";
    EXPECT_EQ(this->get(this->one, "b"), "2");
    EXPECT_EQ(this->get(this->one, "c"), "none");
    EXPECT_EQ(this->position(this->one), at_offset(7));
}

TYPED_TEST(StateStoreTest, MovesWithoutRecords) {
    this->write(this->one, {}, 5);
    EXPECT_EQ(this->position(this->one), at_offset(5));
    EXPECT_EQ(this->store->spaces().value(), std::vector{this->one});
}

TYPED_TEST(StateStoreTest, ScansInTheOrderOfBytes) {
    const std::string high("\xFF\xFE", 2);
    const std::string zero("a\0b", 3);
    this->write(
        this->one,
        {{"b2", "5"}, {"b1", "4"}, {high, "8"}, {"", "0"}, {zero, "2"}, {"b", "3"}, {"c", "6"}}, 9);
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(this->scan(this->one), (Pairs{{"", "0"},
                                            {zero, "2"},
                                            {"b", "3"},
                                            {"b1", "4"},
                                            {"b2", "5"},
                                            {"c", "6"},
                                            {high, "8"}}));
    EXPECT_EQ(this->scan(this->one, "b"), (Pairs{{"b", "3"}, {"b1", "4"}, {"b2", "5"}}));
    EXPECT_EQ(this->scan(this->one, "b", "b1a"), (Pairs{{"b2", "5"}}));
    EXPECT_EQ(this->scan(this->one, "b", "a"), (Pairs{{"b", "3"}, {"b1", "4"}, {"b2", "5"}}));
    EXPECT_TRUE(this->scan(this->one, "b", "c").empty());
    EXPECT_EQ(this->scan(this->one, "\xFF"), (Pairs{{high, "8"}}));
}

TYPED_TEST(StateStoreTest, EndsAScanWhenItIsTold) {
    this->write(this->one, {{"a", "1"}, {"b", "1"}, {"c", "1"}}, 3);
    int seen = 0;
    ASSERT_TRUE(
        this->store->scan(this->one, {}, {}, [&](BytesView, BytesView) { return ++seen < 2; }));
    EXPECT_EQ(seen, 2);
}

TYPED_TEST(StateStoreTest, KeepsSpacesApart) {
    const StateSpace other = space_of(2, 0);
    this->write(this->one, {{"a", "1"}}, 1);
    this->write(this->two, {{"a", "2"}}, 2);
    this->write(other, {{"a", "3"}}, 3);
    ASSERT_TRUE(this->store->drop(this->two));
    EXPECT_EQ(this->get(this->one, "a"), "1");
    EXPECT_EQ(this->get(this->two, "a"), "none");
    EXPECT_EQ(this->position(this->two), std::nullopt);
    EXPECT_EQ(this->get(other, "a"), "3");
    EXPECT_EQ(this->scan(this->one).size(), 1U);
    EXPECT_EQ(this->store->spaces().value(), (std::vector{this->one, other}));
    this->write(this->two, {{"b", "4"}}, 1);
    EXPECT_EQ(this->scan(this->two).size(), 1U) << "it may begin lower after a drop";
}

TYPED_TEST(StateStoreTest, KeepsWhatWasFlushed) {
    this->write(this->one, {{"a", "1"}}, 1);
    this->write(this->two, {{"a", "2"}}, 2);
    EXPECT_EQ(this->flushed(this->one), std::nullopt);
    ASSERT_TRUE(this->store->flush());
    EXPECT_EQ(this->flushed(this->one), at_offset(1));
    this->write(this->one, {{"a", "3"}}, 5);
    EXPECT_EQ(this->flushed(this->one), at_offset(1));
    this->store.crash();
    EXPECT_EQ(this->get(this->two, "a"), "2");
    EXPECT_EQ(this->position(this->two), at_offset(2));
    const bool is_later = this->position(this->one) == at_offset(5);
    EXPECT_EQ(this->get(this->one, "a"), is_later ? "3" : "1");
    EXPECT_EQ(this->position(this->one), at_offset(is_later ? 5 : 1));
    EXPECT_EQ(this->flushed(this->one), this->position(this->one));
}

TYPED_TEST(StateStoreTest, ForgetsTheFlushOfADroppedSpace) {
    this->write(this->one, {{"a", "1"}}, 10);
    ASSERT_TRUE(this->store->flush());
    ASSERT_TRUE(this->store->drop(this->one));
    this->write(this->one, {{"a", "1"}}, 2);
    EXPECT_EQ(this->flushed(this->one), std::nullopt);
    ASSERT_TRUE(this->store->flush());
    EXPECT_EQ(this->flushed(this->one), at_offset(2));
    this->store.crash();
    EXPECT_EQ(this->position(this->one), at_offset(2));
}

TYPED_TEST(StateStoreTest, TellsItsMemory) {
    this->write(this->one, {{"a", std::string(100'000, 'x')}}, 1);
    EXPECT_GT(this->store->memory_bytes(), 100'000U);
}

/// A store beside a map, through writes, drops, flushes and crashes.
template <class Tested>
class AgainstAMap {
public:
    explicit AgainstAMap(std::uint64_t seed) : random_(seed) { since_flush_.push_back({}); }

    void step() {
        const std::uint64_t what = random_.below(100);
        if (what < 70) return write();
        if (what < 75) return drop();
        if (what < 80) return flush();
        if (what < 83) return crash();
        compare(model());
    }

private:
    using Space = support::StateDisk::Space;
    using Model = support::StateDisk::Spaces;
    using Bytes = support::StateDisk::Bytes;
    Model& model() { return since_flush_.back(); }
    StateSpace any_space() {
        return space_of(random_.below(2), static_cast<std::int32_t>(random_.below(3)));
    }
    Bytes any_bytes(std::uint64_t length_max) {
        Bytes out(random_.below(length_max));
        for (std::byte& byte : out) byte = static_cast<std::byte>(random_.below(3) * 127);
        return out;
    }

    void write() {
        const StateSpace space = any_space();
        Model next = model();
        Space& changed = next[space];
        std::vector<std::pair<Bytes, std::optional<Bytes>>> kept;
        for (std::uint64_t i = random_.below(8); i > 0; --i) {
            auto key = any_bytes(4);
            std::optional<Bytes> value;
            if (random_.chance(0.7)) value = any_bytes(50);
            if (value) {
                changed.records.insert_or_assign(key, *value);
            } else {
                changed.records.erase(key);
            }
            kept.emplace_back(std::move(key), std::move(value));
        }
        std::vector<StateChange> changes;
        for (const auto& [key, value] : kept)
            changes.push_back({key, value ? std::optional<BytesView>(*value) : std::nullopt});
        changed.position.applied = changed.position.applied + 1;
        changed.position.epoch = LeaderEpoch(static_cast<std::int32_t>(random_.below(5)));
        changed.position.written_ms = static_cast<std::int64_t>(random_.below(1000));
        ASSERT_TRUE(store_->write(space, changes, changed.position));
        since_flush_.push_back(std::move(next));
    }
    void drop() {
        const StateSpace space = any_space();
        Model next = model();
        next.erase(space);
        ASSERT_TRUE(store_->drop(space));
        since_flush_.push_back(std::move(next));
    }
    void flush() {
        ASSERT_TRUE(store_->flush());
        since_flush_.erase(since_flush_.begin(), since_flush_.end() - 1);
    }
    void crash() {
        store_.crash();
        const Model found = content();
        const auto same = std::ranges::find(since_flush_, found);
        ASSERT_NE(same, since_flush_.end()) << "a crash left what never was";
        since_flush_ = {found};
    }
    void compare(const Model& wanted) {
        ASSERT_EQ(content(), wanted);
        for (const auto& [space, flushed_space] : wanted) {
            const auto flushed = store_->flushed(space).value();
            ASSERT_TRUE(!flushed || flushed->applied <= flushed_space.position.applied);
            const auto key = any_bytes(4);
            const auto value = store_->get(space, key).value();
            const auto found = flushed_space.records.find(key);
            ASSERT_EQ(value.has_value(), found != flushed_space.records.end());
            if (value) ASSERT_EQ(*value, found->second);
        }
    }
    Model content() {
        Model out;
        for (const StateSpace& space : store_->spaces().value()) {
            Space& found = out[space];
            found.position = store_->position(space).value().value();
            EXPECT_TRUE(store_->scan(space, {}, {}, [&](BytesView key, BytesView value) {
                found.records.emplace(Bytes(key.begin(), key.end()),
                                      Bytes(value.begin(), value.end()));
                return true;
            }));
        }
        return out;
    }

    sim::SeededRandom random_;
    Tested store_;
    /// What it was at the last flush, and after each change since.
    std::vector<Model> since_flush_;
};

TYPED_TEST(StateStoreTest, IsAMapThatACrashTakesBackToSomeWrite) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        AgainstAMap<TypeParam> both(seed);
        for (int step = 0; step < 400 && !testing::Test::HasFatalFailure(); ++step) both.step();
        if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
    }
}

}  // namespace
}  // namespace milena::storage
