// SPDX-License-Identifier: Apache-2.0
// The contract of pools, ids and cores, in both worlds.
#include "contract.h"
#include "milena/env/guarded.h"

namespace milena::env {
namespace {

using std::chrono::milliseconds;

class PoolsContract : public EnvContract {};
RUN_ON_BOTH(PoolsContract);

TEST_P(PoolsContract, OffloadComesBackToTheCallersCore) {
    run([this]() -> Task<void> {
        for (const Pool pool : {Pool::disk, Pool::quorum, Pool::compute}) {
            int result = 0;
            co_await env().offload(pool, [&result] { result = 42; });
            EXPECT_EQ(result, 42);
            EXPECT_TRUE(env().core(0).running_in_this_thread());
        }
    });
}

TEST_P(PoolsContract, ManyOffloadsAllComeBack) {
    constexpr int kCount = 200;
    Guarded<int> worked(0);
    int back = 0;
    run([&]() -> Task<void> {
        for (int i = 0; i < kCount; ++i) {
            spawn(env().core(0), [](Env& world, Guarded<int>& work, int& returned) -> Task<void> {
                co_await world.offload(Pool::disk, [&work] { work.with([](int& n) { ++n; }); });
                ++returned;
            }(env(), worked, back));
        }
        while (back < kCount) co_await env().sleep(env().core(0), milliseconds(1));
    });
    EXPECT_EQ(worked.with([](int& n) { return n; }), kCount);
}

TEST_P(PoolsContract, RandomIdsAreDistinctAndWellFormed) {
    const Uuid a = random_uuid(env().random());
    const Uuid b = random_uuid(env().random());
    EXPECT_NE(a, b);
    EXPECT_EQ(a.high >> 12 & 0xF, 4U);
    EXPECT_EQ(a.low >> 62, 2U);
    EXPECT_FALSE(a.is_reserved());
}

TEST_P(PoolsContract, HasAtLeastOneCore) {
    EXPECT_EQ(env().core_count(), 2U);
}

}  // namespace
}  // namespace milena::env
