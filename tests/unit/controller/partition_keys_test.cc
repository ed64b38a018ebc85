// SPDX-License-Identifier: Apache-2.0
// The set against a std::set that gets the same.
#include "partition_keys.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace milena::controller {
namespace {

RC_GTEST_PROP(PartitionKeys, HoldsWhatASetHolds, ()) {
    PartitionKeys keys;
    std::set<PartitionKey> model;
    const int topics = *rc::gen::inRange(1, 4);
    for (int steps = *rc::gen::inRange(0, 1500); steps > 0; --steps) {
        const PartitionKey key{{0, static_cast<std::uint64_t>(*rc::gen::inRange(0, topics))},
                               PartitionIndex(*rc::gen::inRange(0, 300))};
        if (*rc::gen::inRange(0, 3) == 0) {
            RC_ASSERT(keys.erase(key) == (model.erase(key) == 1));
        } else {
            RC_ASSERT(keys.insert(key) == model.insert(key).second);
        }
        RC_ASSERT(keys.contains(key) == model.contains(key));
        RC_ASSERT(keys.size() == model.size());
    }
    RC_ASSERT(std::equal(keys.begin(), keys.end(), model.begin(), model.end()));
    PartitionKeys in_order;
    for (const PartitionKey& key : model) in_order.insert(key);
    RC_ASSERT(in_order == keys);
}

}  // namespace
}  // namespace milena::controller
