// SPDX-License-Identifier: Apache-2.0
// Whatever is written, read, dropped, given up and taken over in whatever order: once all is read,
// the offsets are those of the store.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "coordinators/lag/watched_offsets.h"
#include "sim/random.h"
#include "unit/drivers/coordinators/lag/offset_changes.h"

namespace milena::drivers {
namespace {

const storage::StateSpace kSpace{Uuid{7, 7}, PartitionIndex(0)};

/// One space of a store, and who watches it.
class Watching {
public:
    explicit Watching(std::uint64_t seed) : random_(seed) {}

    void act() {
        switch (random_.below(8)) {
            case 0:
            case 1:
            case 2: return write();
            case 3:
                if (page_) return take();
                page_ = watched_.next_page();
                return;
            case 4:
                if (page_) return look();
                return;
            case 5:
                if (page_) return take();
                return;
            case 6:
                if (!random_.chance(0.1)) return watched_.watch(kSpace);
                stored_.clear();
                return watched_.dropped(kSpace);
            default:
                if (random_.chance(0.1)) watched_.unwatch(kSpace);
                return;
        }
    }
    /// All is read.
    void finish() {
        watched_.watch(kSpace);
        if (page_) take();
        while ((page_ = watched_.next_page())) {
            look();
            take();
        }
    }
    std::map<std::string, std::int64_t> stored() const {
        std::map<std::string, std::int64_t> all;
        for (const auto& [key, one] : stored_)
            all[fmt::format("{}-{}-{}", one.group, one.topic, one.partition)] = one.offset;
        return all;
    }
    std::map<std::string, std::int64_t> watched() const {
        std::map<std::string, std::int64_t> all;
        std::optional<std::string> behind;
        while (const auto row = watched_.next_group(kSpace, behind, 0)) {
            behind = row->group;
            for (const auto& topic : row->topics) {
                for (const auto& lag : topic.partitions) {
                    all[fmt::format("{}-{}-{}", row->group, topic.topic, lag.partition)] =
                        lag.committed.value;
                }
            }
        }
        return all;
    }
    WatchedOffsets::Figures figures() const { return watched_.figures(0); }
    std::size_t partitions() const {
        std::set<std::pair<std::string, std::int32_t>> all;
        for (const auto& [key, one] : stored_) all.emplace(one.topic, one.partition);
        return all.size();
    }

private:
    struct One {
        std::string group;
        std::string topic;
        std::int32_t partition = 0;
        std::int64_t offset = 0;
    };

    void write() {
        OffsetChanges changes;
        for (std::uint64_t i = random_.below(4); i < 4; ++i) {
            const One one{.group = fmt::format("g{}", random_.below(3)),
                          .topic = fmt::format("t{}", random_.below(3)),
                          .partition = static_cast<std::int32_t>(random_.below(3)),
                          .offset = ++offset_};
            const std::string key = fmt::format("{}{}{}", one.group, one.topic, one.partition);
            if (random_.chance(0.4)) {
                stored_.erase(key);
                changes.gone(one.group, one.topic, one.partition);
            } else {
                stored_[key] = one;
                changes.set(one.group, one.topic, one.partition, one.offset);
            }
        }
        watched_.changed(kSpace, changes.all());
    }
    /// The store is read at some time between asking for the page and giving it.
    void look() {
        read_ = OffsetChanges();
        next_.clear();
        const std::string from(as_text(page_->from));
        std::size_t count = 0;
        for (auto at = stored_.lower_bound(from); at != stored_.end(); ++at, ++count) {
            if (count == 3) {
                const auto key = as_bytes(at->first);
                next_.assign(key.begin(), key.end());
                break;
            }
            read_.set(at->second.group, at->second.topic, at->second.partition, at->second.offset);
        }
        has_looked_ = true;
    }
    void take() {
        if (!has_looked_) look();
        watched_.take_page(*page_, read_.records(), next_);
        page_.reset();
        has_looked_ = false;
    }

    sim::SeededRandom random_;
    WatchedOffsets watched_;
    std::map<std::string, One> stored_;
    std::optional<WatchedOffsets::Page> page_;
    OffsetChanges read_;
    std::vector<std::byte> next_;
    bool has_looked_ = false;
    std::int64_t offset_ = 0;
};

TEST(WatchedOffsetsProperty, TheOffsetsAreThoseOfTheStoreOnceAllIsRead) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Watching watching(seed);
        for (int round = 0; round < 5; ++round) {
            for (int i = 0; i < 60; ++i) watching.act();
            watching.finish();
            ASSERT_EQ(watching.watched(), watching.stored()) << "seed " << seed;
            ASSERT_EQ(watching.figures().offsets, watching.stored().size());
            ASSERT_EQ(watching.figures().partitions, watching.partitions());
            ASSERT_EQ(watching.figures().left_out, 0U);
        }
    }
}

}  // namespace
}  // namespace milena::drivers
