// SPDX-License-Identifier: Apache-2.0
// Brokers to which this node's own connection has just ended. Their process is gone, and others
// are about to lead in its place; or it is reached again in a moment. Until that is decided the
// metadata names a leader that may be dead, and a client that asks at once who leads now would
// believe it: librdkafka looks again a second later. So such answers wait, for a bounded time.
#pragma once

#include <map>
#include <vector>

#include "milena/base/ids.h"
#include "milena/env/clock.h"
#include "milena/env/guarded.h"

namespace milena::server {

class LostLeaders {
public:
    /// What it takes to find a process dead and to elect others in its place, also if the active
    /// controller died with it (docs/brokers.md).
    static constexpr env::Duration kUndecided = std::chrono::milliseconds(500);

    explicit LostLeaders(const env::Clock& clock) : clock_(clock) {}

    // From any thread.

    /// The connection to `broker` has ended, or can't be made; only the first time since it was
    /// found counts.
    void lost(BrokerId broker);
    /// It answers.
    void found(BrokerId broker);
    /// Those that were lost less than kUndecided ago; nearly always none.
    std::vector<BrokerId> undecided() const;

private:
    const env::Clock& clock_;
    env::Guarded<std::map<BrokerId, env::Instant>> since_;
};

}  // namespace milena::server
