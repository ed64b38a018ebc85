// SPDX-License-Identifier: Apache-2.0
// What the partitions of __consumer_offsets that this node leads have in common. Outlives them all.
#pragma once

#include <array>

#include "milena/base/logger.h"
#include "milena/drivers/group_coordinator.h"
#include "milena/env/byte_budget.h"
#include "milena/env/guarded.h"
#include "milena/env/pool_turns.h"
#include "milena/telemetry/counter.h"
#include "milena/telemetry/recent.h"

namespace milena::drivers {

/// Counted by any thread.
struct HostCounters {
    telemetry::Counter appends;
    telemetry::Counter failed_appends;
    telemetry::Counter refused;  ///< requests, for too many wait
    telemetry::Counter failed_loads;
    telemetry::Counter committed_offsets;
    telemetry::Counter deleted_offsets;
    telemetry::Counter expired_offsets;
    telemetry::Counter expired_groups;
    /// By cause, in the order of kRebalanceCauses.
    std::array<telemetry::Counter, coordinator::kRebalanceCauses.size()> rebalances{};
    telemetry::Counter silent_members;  ///< that were removed
    telemetry::Counter slow_members;    ///< the same
    /// Of leaderships that have ended.
    telemetry::Counter past_rebalances;
    env::Guarded<telemetry::RecentValues> load_ms{};
};

/// What the requests of all partitions may hold of the state store at once.
inline constexpr std::uint64_t kHeldBytesMax = 256UL << 20;

/// Lines that clients cause: so many at once, and then one a time.
struct HostLines {
    env::Guarded<LogLimit> rebalances{std::chrono::milliseconds(100), 100};
    env::Guarded<LogLimit> slow_members{std::chrono::milliseconds(500), 50};
    env::Guarded<LogLimit> expirations{std::chrono::milliseconds(100), 100};
};

struct Host {
    env::Env& env;
    const Logger log;
    const storage::StateStore& store;
    const GroupCoordinatorOptions options;
    /// So many threads of the disk pool read the store at once.
    env::PoolTurns reads{2};
    /// So many read a log from its store's position on.
    env::PoolTurns loads{2};
    /// What was read and is not answered yet: the high watermark may keep many waiting.
    env::ByteBudget held{kHeldBytesMax};
    HostCounters counters{};
    HostLines lines{};
    /// Loops that run; `ended` hears of each that ends.
    env::Guarded<int> running{};
    std::function<void()> ended{};

    /// A loop begins; one has ended, after which this may be gone.
    void begin_one() {
        running.with([](int& count) { ++count; });
    }
    void end_one() {
        const std::function<void()> tell = ended;
        running.with([](int& count) { --count; });
        tell();
    }
};

/// What one request holds, until it is answered.
class HeldBytes {
public:
    explicit HeldBytes(env::ByteBudget& budget) : budget_(budget) {}
    HeldBytes(const HeldBytes&) = delete;
    HeldBytes& operator=(const HeldBytes&) = delete;
    ~HeldBytes() { budget_.release(bytes_); }
    /// False if others hold too much.
    bool take(std::uint64_t bytes) {
        if (!budget_.try_charge(bytes)) return false;
        bytes_ += bytes;
        return true;
    }

private:
    env::ByteBudget& budget_;
    std::uint64_t bytes_ = 0;
};

}  // namespace milena::drivers
