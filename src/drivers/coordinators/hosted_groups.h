// SPDX-License-Identifier: Apache-2.0
// The coordinator of one partition of __consumer_offsets while this node leads it: loading, then
// active, then gone for good. One decision is taken at a time, by whoever has the turn:
//
//   turn -> decide -> append -> apply -> what the high watermark has brought meanwhile -> next turn
//
// The turn goes from one coroutine to the next in the order in which they came, each on its own
// core; between its steps nobody holds the guard. A loop on the partition's home core does what
// nobody asks for: it loads, ticks, and appends what a moved high watermark decides.
#pragma once

#include <set>

#include "group_append.h"
#include "host.h"
#include "stored_records.h"
#include "waiting_answers.h"

namespace milena::drivers {

class HostedGroups final : public replication::FetchListener,
                           public std::enable_shared_from_this<HostedGroups> {
public:
    /// Coroutines that wait for their turn.
    static constexpr std::size_t kTurnsMax = 10'000;
    /// Requests that wait for an answer: joins for their group, others for their replicas.
    static constexpr std::size_t kAskersMax = 100'000;
    /// Records behind the state store that are read when the partition is taken over: the store is
    /// waited for as long as it lacks more that is committed.
    static constexpr std::int64_t kTailMax = 100'000;
    /// Deleted topics whose offsets are to go.
    static constexpr std::size_t kForgottenMax = 100'000;

    struct Place {
        storage::StateSpace space;
        std::shared_ptr<replication::Partition> partition;  ///< led by this node
        env::Executor home;
    };

    HostedGroups(Host& host, Place place);

    const replication::Partition* partition() const { return place_.partition.get(); }
    const storage::StateSpace& space() const { return place_.space; }
    /// Loads and then serves, until resign(). `before` has coordinated the partition until now, or
    /// is null.
    void start(std::shared_ptr<HostedGroups> before);
    /// Whoever waits is told `why`, and so is whoever comes.
    void resign(const Error& why);

    /// As coordinator::GroupGateway::ask().
    env::Task<Asker::Answer> ask(env::Executor owner, coordinator::GroupRequest request);
    /// Asks once for each page of the offsets that are stored, in their order; at least once.
    /// `gone` counts the tombstones of offsets. An error ends it.
    using PageRequest = std::function<coordinator::GroupRequest(bool is_last)>;
    env::Task<Result<void>> ask_pages(env::Executor owner, PageRequest request,
                                      telemetry::Counter& gone);

    /// The offsets of these topics are to go. At most kForgottenMax are remembered: those of others
    /// stay until they expire.
    void forget(std::span<const coordinator::ForgetTopicsRequest::Topic> topics);
    /// Has them go; false if that is to be tried again.
    env::Task<bool> forget_noted(env::Executor owner);

    // From any thread.
    /// The state store has come further.
    void store_moved();
    void partition_has_news() override;

    enum class Phase : std::uint8_t { loading, active, gone };
    struct Figures {
        Phase phase = Phase::loading;
        coordinator::GroupFigures groups;
        std::size_t turns = 0;      ///< coroutines that wait for theirs
        std::size_t askers = 0;     ///< requests without an answer
        std::size_t parked = 0;     ///< answers that wait for the high watermark
        std::size_t readers = 0;    ///< reads of the store that are under way
        std::size_t forgotten = 0;  ///< deleted topics whose offsets are to go
        std::int64_t unstored = 0;  ///< records that the state store lacks
    };
    Figures figures() const;

private:
    using Groups = coordinator::Groups;
    using GroupStep = coordinator::GroupStep;

    /// What the guard guards.
    struct State {
        Phase phase = Phase::loading;
        Error gone_because;
        std::unique_ptr<Groups> groups;  ///< while active
        WaitingAnswers waiting;
        bool is_deciding = false;   ///< somebody has the turn
        bool is_appending = false;  ///< and writes to the log
        /// The high watermark may have moved while somebody had it.
        bool has_news = false;
        std::deque<std::function<void()>> turns;
        Offset end{-1};        ///< of all records that were loaded or applied
        Offset committed{-1};  ///< the high watermark that the groups know
        Offset applied{-1};    ///< the state store's, as it was told
        Offset stored{-1};     ///< the same, as the groups were told
        /// Where the store was, at least, when each read that is under way began.
        std::multiset<Offset> readers;
        std::vector<coordinator::ForgetTopicsRequest::Topic> forgotten;
        std::uint64_t batch = 0;     ///< number of the newest that was begun
        std::uint64_t given_up = 0;  ///< the newest that was not committed in time
        std::function<void()> wake;  ///< the loop
        env::Instant wakes_at = env::kNever;
        env::Instant expires_at = env::kNever;
        /// The loop decides nothing before, for an append has failed.
        env::Instant rests_until{};
    };
    /// What is left to do once the guard has been released.
    struct After {
        Deliveries deliveries;
        std::vector<std::function<void()>> wakes;
    };
    /// A read of the store that may be under way: commits that it may miss are not forgotten.
    class Reading {
    public:
        Reading(std::shared_ptr<HostedGroups> groups, Offset from)
            : groups_(std::move(groups)), from_(from) {}
        Reading(Reading&&) noexcept = default;
        Reading& operator=(Reading&&) noexcept = default;
        ~Reading();
        /// Under the guard.
        void end(State& state);

    private:
        std::shared_ptr<HostedGroups> groups_;  ///< null when it has ended
        Offset from_;
    };
    /// One decision on a request.
    struct Question {
        const coordinator::GroupRequest& request;
        std::span<const coordinator::RecordView> stored;
        Reading* reading = nullptr;
        telemetry::Counter& gone;
    };

    /// Under the guard, then what is left to do without it.
    template <class F>
    auto decide(F&& decide) {
        After after;
        if constexpr (std::is_void_v<std::invoke_result_t<F&, State&, After&>>) {
            state_.with([&](State& state) { decide(state, after); });
            carry_out(after);
        } else {
            auto result = state_.with([&](State& state) { return decide(state, after); });
            carry_out(after);
            return result;
        }
    }
    static void carry_out(After& after);
    coordinator::GroupTime time() const;
    Error refusal(const State& state) const;
    /// Why nobody is even listened to now; nothing if they are.
    std::optional<Error> refuse(const State& state);

    env::Task<void> run();
    bool is_gone() const;
    bool is_appending() const;
    /// True when it serves.
    env::Task<bool> take_over(env::Wakeup& work);
    bool may_load(Offset end) const;
    env::Task<Result<void>> load(Offset end);
    env::Task<void> serve(env::Wakeup& work);
    /// When the loop has something to do; nothing if it is to end.
    std::optional<env::Instant> next_wake();
    env::Task<void> tick();
    void expire();

    struct Opening {
        std::vector<coordinator::StateRead> reads;
        std::optional<Reading> reading;
    };
    Result<Opening> open(const coordinator::GroupRequest& request);
    env::Task<Result<StoredRecords>> read(env::Executor owner, const Opening& opening);
    env::Task<Asker::Answer> answer(env::Executor owner, Question question);
    env::Task<Result<void>> take_turn(env::Executor owner, std::size_t turns_max);
    /// The caller has the turn; it is passed on at the end.
    env::Task<void> finish(env::Executor owner, GroupStep step, telemetry::Counter& gone);
    /// The same beside everybody, for a step that nobody has asked for.
    env::Task<void> finish_alone(GroupStep step);
    /// What follows from the append, if that is another step.
    std::optional<GroupStep> appended(const GroupStep& step, const Result<Appended>& appended,
                                      telemetry::Counter& gone);
    std::optional<GroupStep> next_or_pass_on(GroupStep step);
    replication::ProduceDone on_done(std::uint64_t batch);
    void produced(std::uint64_t batch, const replication::ProduceAnswer& answer);

    // Under the guard.
    std::optional<GroupStep> take_high_watermark(State& state, Offset high_watermark, After& after);
    void park(State& state, std::vector<coordinator::GroupAnswer> answers, After& after);
    void pass_on(State& state, After& after);
    void schedule(State& state, After& after);
    static void tell_stored(State& state);

    Host& host_;
    const Place place_;
    std::shared_ptr<HostedGroups> before_;  ///< the loop's
    env::Guarded<State> state_;
};

}  // namespace milena::drivers
