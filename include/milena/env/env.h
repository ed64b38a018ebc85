// SPDX-License-Identifier: Apache-2.0
// The four doors to the outside world (time, network, files, randomness) and the threads.
// Everything a node does to the world goes through one Env: for real (make_real_env) or in the
// simulator (tests/sim).
#pragma once

#include <functional>
#include <memory>

#include "milena/base/uuid.h"
#include "milena/env/clock.h"
#include "milena/env/files.h"
#include "milena/env/network.h"
#include "milena/env/task.h"

namespace milena::env {

/// Thread-safe.
class Random {
public:
    virtual ~Random() = default;
    virtual std::uint64_t next() = 0;
};

/// A random id that is not reserved.
Uuid random_uuid(Random& random);

/// Where work that blocks or computes for long is done, a few threads each.
enum class Pool {
    disk,     ///< cold reads, syncs, deletes, and appends to a directory that is not calm
    quorum,   ///< the same for the metadata log and the quorum's state: behind no partition's work
    compute,  ///< recompression, validation of much data
};

class Env {
public:
    virtual ~Env() = default;
    virtual Clock& clock() = 0;
    virtual Random& random() = 0;
    virtual FileSystem& files() = 0;
    virtual Network& network() = 0;

    /// Threads that serve connections, at least one. A connection is one core's at a time.
    virtual std::size_t core_count() const = 0;
    virtual Executor core(std::size_t index) = 0;
    /// The index of the core that is to serve the `number`-th of many that are alike. Under little
    /// load that is the same for all; what lasts asks again when it can move. From any thread.
    virtual std::size_t core_for(std::size_t number) const = 0;
    /// The thread of raft, heartbeats and health; no append to a partition ever runs here.
    virtual Executor control() = 0;

    virtual std::unique_ptr<Timer> make_timer(Executor owner) = 0;
    /// Runs `work` in the pool while the calling coroutine waits; it goes on where it was.
    virtual Task<void> offload(Pool pool, std::function<void()> work) = 0;

    /// Waits on the calling coroutine's executor, which must be `owner`.
    Task<void> sleep(Executor owner, Duration duration);
};

/// Wakes one waiting coroutine from any thread. A notify() that comes while nobody waits is kept
/// for the next wait.
class Wakeup {
public:
    Wakeup(Env& env, Executor owner);
    ~Wakeup();
    Wakeup(const Wakeup&) = delete;
    Wakeup& operator=(const Wakeup&) = delete;

    /// From any thread. Safe to call after the Wakeup is gone through a copy of handle().
    void notify();
    /// A notify() that may outlive this.
    std::function<void()> handle() const;
    /// On the owner's thread: true if notified, false if `when` came first.
    Task<bool> wait_until(Instant when);

private:
    struct State;
    std::shared_ptr<State> state_;
};

/// The real world. run() starts the threads and returns after stop(), when all of them have ended.
class RealEnv : public Env {
public:
    virtual void run() = 0;
    /// From any thread, or from a signal that was asked for.
    virtual void stop() = 0;
    /// The next SIGINT or SIGTERM; waits on the control executor.
    virtual Task<int> next_signal() = 0;
};

/// `cores` threads for connections, 0 for one per processor this process may use.
std::unique_ptr<RealEnv> make_real_env(std::size_t cores);

/// Bytes of memory that this process may use: its cgroup's limit, or the machine's memory.
std::uint64_t process_memory_limit();

}  // namespace milena::env
