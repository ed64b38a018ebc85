// SPDX-License-Identifier: Apache-2.0
// A sharded map against std::map: any history of edits gives the same entries in the same order,
// and no edit is seen in a map that was made before it.
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "milena/metadata/sharded_map.h"

namespace milena::metadata {
namespace {

using Map = ShardedMap<int, int>;
using Model = std::map<int, int>;

struct Edit {
    int key;
    int value;  // negative: erase
};

std::vector<Edit> any_edits() {
    const int size = *rc::gen::inRange(0, 600);
    return *rc::gen::container<std::vector<Edit>>(
        static_cast<std::size_t>(size),
        rc::gen::construct<Edit>(rc::gen::inRange(0, 500), rc::gen::inRange(-1, 3)));
}

void apply(const std::vector<Edit>& edits, Map& map, Model& model) {
    Map::Editor editor(map);
    for (const Edit& edit : edits) {
        if (edit.value < 0) {
            RC_ASSERT(editor.erase(edit.key) == (model.erase(edit.key) == 1));
        } else {
            editor.set(edit.key, edit.value);
            model[edit.key] = edit.value;
        }
        RC_ASSERT((editor.find(edit.key) != nullptr) == model.contains(edit.key));
    }
    RC_ASSERT(editor.size() == model.size());
    map = std::move(editor).finish();
}

void expect_same(const Map& map, const Model& model) {
    RC_ASSERT(map.size() == model.size());
    RC_ASSERT(std::equal(
        map.begin(), map.end(), model.begin(), model.end(),
        [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; }));
}

RC_GTEST_PROP(ShardedMap, HoldsWhatAMapHoldsAndOldMapsStayAsTheyWere, ()) {
    Map map;
    Model model;
    std::vector<std::pair<Map, Model>> history;
    for (int round = 0; round < 4; ++round) {
        apply(any_edits(), map, model);
        history.emplace_back(map, model);
    }
    for (const auto& [old_map, old_model] : history) expect_same(old_map, old_model);
}

RC_GTEST_PROP(ShardedMap, LooksUpAndPagesLikeAMap, ()) {
    Map map;
    Model model;
    apply(any_edits(), map, model);
    const int key = *rc::gen::inRange(-1, 502);
    RC_ASSERT(map.contains(key) == model.contains(key));
    if (model.contains(key)) RC_ASSERT(map.at(key) == model.at(key));
    const auto from = map.lower_bound(key);
    const auto expected = model.lower_bound(key);
    RC_ASSERT((from == map.end()) == (expected == model.end()));
    if (expected != model.end()) RC_ASSERT(from->first == expected->first);
}

RC_GTEST_PROP(ShardedMap, EqualsExactlyTheMapsWithTheSameEntries, ()) {
    Map map;
    Model model;
    apply(any_edits(), map, model);
    Map next = map;
    Model next_model = model;
    apply(any_edits(), next, next_model);
    RC_ASSERT((map == next) == (model == next_model));

    Map::Editor rebuild((Map()));
    for (auto at = model.rbegin(); at != model.rend(); ++at) rebuild.set(at->first, at->second);
    RC_ASSERT(std::move(rebuild).finish() == map);
}

TEST(ShardedMap, SharesWhatDidNotChange) {
    Map::Editor editor((Map()));
    for (int key = 0; key < 10'000; ++key) editor.set(key, 0);
    const Map before = std::move(editor).finish();
    Map::Editor change(before);
    change.set(5'000, 1);
    const Map after = std::move(change).finish();

    std::size_t moved = 0;
    for (int key = 0; key < 10'000; ++key) moved += before.find(key) != after.find(key);
    EXPECT_GT(moved, 0U);
    EXPECT_LE(moved, Map::kShardMax);
}

}  // namespace
}  // namespace milena::metadata
