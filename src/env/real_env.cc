// SPDX-License-Identifier: Apache-2.0
// The real world put together: one io_context and one thread a core, one more for control (it is
// the thread that calls run()), two pools, and the system's clock, files, network and randomness.
#include <atomic>
#include <csignal>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_signal_set.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include "core_spread.h"
#include "milena/base/invariant.h"
#include "milena/env/env.h"
#include "posix/posix_files.h"
#include "real_clock.h"
#include "system_random.h"
#include "tcp/tcp_network.h"
#include "work_pool.h"

namespace milena::env {
namespace {

/// Most of what waits for one disk at a time: syncs (2), cold reads (2), appends (1), and the loops
/// of retention, checkpoints and metadata. What is left serves the other disks.
constexpr std::size_t kDiskThreads = 8;
/// One for the log, one for reads and snapshots beside it.
constexpr std::size_t kQuorumThreads = 2;

/// How often the load of the cores is looked at, and where it is below a twentieth of one.
constexpr Duration kLoadPause = std::chrono::milliseconds(100);
constexpr Duration kLoadPauseIdle = std::chrono::milliseconds(500);
constexpr int kIdleShare = 20;

std::size_t usable_processors() {
    ::cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return static_cast<std::size_t>(CPU_COUNT(&set));
}

/// One thread's event loop, which does not end for want of work.
class Loop : public boost::asio::io_context {
public:
    Loop() : io_context(1), work_(get_executor()) {}
    /// Destroys all coroutines that wait or are ready here. The loop must not be running.
    void drop_tasks() { shutdown(); }

private:
    boost::asio::executor_work_guard<Executor> work_;
};

class RealEnvironment final : public RealEnv {
public:
    explicit RealEnvironment(std::size_t cores)
        : cores_(cores),
          disk_(kDiskThreads, "disk"),
          quorum_(kQuorumThreads, "quorum"),
          compute_(cores, "compute") {
        // A peer that is gone is an error of one write (sendfile has no flag for it), not the end
        // of the process.
        std::signal(SIGPIPE, SIG_IGN);
    }
    ~RealEnvironment() override { drop_everything(); }

    Clock& clock() override { return clock_; }
    Random& random() override { return random_; }
    FileSystem& files() override { return files_; }
    Network& network() override { return network_; }

    std::size_t core_count() const override { return cores_.size(); }
    Executor core(std::size_t index) override {
        INVARIANT(index < cores_.size(), "no such core");
        return cores_[index].get_executor();
    }
    std::size_t core_for(std::size_t number) const override {
        return number % working_.load(std::memory_order_relaxed);
    }
    Executor control() override { return control_.get_executor(); }

    std::unique_ptr<Timer> make_timer(Executor owner) override {
        return std::make_unique<RealTimer>(owner);
    }
    Task<void> offload(Pool pool, std::function<void()> work) override {
        return pool_of(pool).run(std::move(work));
    }

    void run() override;
    void stop() override;
    Task<int> next_signal() override;

private:
    using SignalSet = boost::asio::basic_signal_set<Executor>;

    void drop_everything();
    Task<void> watch_load(std::vector<::clockid_t> clocks);
    WorkPool& pool_of(Pool pool);

    RealClock clock_;
    SystemRandom random_;
    PosixFileSystem files_;
    TcpNetwork network_{files_.descriptors()};
    // Coroutines live in the loops' queues and in the pools', and may refer to all of the above.
    std::vector<Loop> cores_;
    Loop control_;
    std::atomic<std::size_t> working_{1};
    WorkPool disk_;
    WorkPool quorum_;
    WorkPool compute_;
    std::optional<SignalSet> signals_;
    bool has_run_ = false;
};

WorkPool& RealEnvironment::pool_of(Pool pool) {
    switch (pool) {
        case Pool::disk: return disk_;
        case Pool::quorum: return quorum_;
        case Pool::compute: return compute_;
    }
    INVARIANT(false, "no such pool");
}

void run_loop(Loop& loop, const char* thread_name) {
    ::pthread_setname_np(::pthread_self(), thread_name);
    loop.run();
}

void RealEnvironment::run() {
    INVARIANT(!has_run_, "an Env runs once");
    has_run_ = true;
    std::vector<std::thread> threads;
    threads.reserve(cores_.size());
    std::vector<::clockid_t> clocks;
    for (Loop& core : cores_) {
        threads.emplace_back([&core] { run_loop(core, "core"); });
        ::pthread_getcpuclockid(threads.back().native_handle(), &clocks.emplace_back());
    }
    if (cores_.size() > 1) spawn(control(), watch_load(std::move(clocks)));
    control_.run();
    for (std::thread& thread : threads) thread.join();
    drop_everything();
}

/// The processor time that a thread has taken.
Duration time_on(::clockid_t clock) {
    ::timespec time{};
    if (::clock_gettime(clock, &time) != 0) return {};
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Task<void> RealEnvironment::watch_load(std::vector<::clockid_t> clocks) {
    CoreSpread spread(cores_.size());
    std::vector<Duration> before(clocks.size());
    std::vector<Duration> used(clocks.size());
    const auto timer = make_timer(control());
    Instant last = clock_.now();
    for (Duration pause = kLoadPauseIdle;;) {
        co_await timer->wait_until(last + pause);
        const Instant now = clock_.now();
        const Duration elapsed = now - std::exchange(last, now);
        bool is_idle = true;
        for (std::size_t i = 0; i < clocks.size(); ++i) {
            const Duration taken = time_on(clocks[i]);
            used[i] = taken - std::exchange(before[i], taken);
            is_idle = is_idle && used[i] * kIdleShare < elapsed;
        }
        spread.note(used, elapsed);
        working_.store(spread.working(), std::memory_order_relaxed);
        pause = is_idle ? kLoadPauseIdle : kLoadPause;
    }
}

void RealEnvironment::stop() {
    for (Loop& core : cores_) core.stop();
    control_.stop();
}

// The pools first: a job that still runs refers to the coroutine that waits for it. A coroutine
// that dies on one loop may be what another's waits for (run_on), which is then unwound through the
// queue of its own loop: hence the rounds, one for each such step of the deepest chain.
void RealEnvironment::drop_everything() {
    constexpr int kRunOnDepthMax = 8;
    disk_.stop();
    quorum_.stop();
    compute_.stop();
    for (int round = 0; round < kRunOnDepthMax; ++round) {
        for (Loop& core : cores_) core.drop_tasks();
        control_.drop_tasks();
    }
    signals_.reset();
}

Task<int> RealEnvironment::next_signal() {
    // Asked for late: until then SIGINT ends the process as everybody expects.
    if (!signals_) signals_.emplace(control(), SIGINT, SIGTERM);
    const auto [aborted, signal] =
        co_await signals_->async_wait(boost::asio::as_tuple(boost::asio::deferred));
    co_return aborted ? 0 : signal;
}

}  // namespace

std::unique_ptr<RealEnv> make_real_env(std::size_t cores) {
    return std::make_unique<RealEnvironment>(cores == 0 ? usable_processors() : cores);
}

}  // namespace milena::env
