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
    /// Pages of the offsets that are stored.
    struct Pages {
        std::function<coordinator::GroupRequest(bool is_last)> request;
        telemetry::Counter& gone;         ///< counts the tombstones of offsets
        std::vector<std::byte> prefix{};  ///< of the keys
    };
    /// Asks once for each page, in their order, at least once; again for one that was not done with
    /// in one batch. An error, also in an answer, ends it. The last answer.
    env::Task<Asker::Answer> ask_pages(env::Executor owner, Pages pages);

    /// The offsets of these topics are to go. At most kForgottenMax are remembered: those of others
    /// stay until they expire.
    void forget(std::span<const coordinator::ForgetTopicsRequest::Topic> topics);
    /// Has them go; false if that is to be tried again.
    env::Task<bool> forget_noted(env::Executor owner);

    /// The cluster's topics from now on, before start() too; see coordinator::Groups::follow().
    void follow(const std::shared_ptr<const coordinator::TopicsView>& topics,
                std::span<const std::string> changed);

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
    /// As Groups::summaries(); none while it is not active.
    std::vector<coordinator::GroupSummary> summaries(std::optional<std::string_view> behind,
                                                     std::size_t most) const;
    Phase phase() const {
        return state_.with([](const State& state) { return state.phase; });
    }

private:
    using Groups = coordinator::Groups;
    using GroupStep = coordinator::GroupStep;

    /// What the guard guards.
    struct State {
        Phase phase = Phase::loading;
        Error gone_because;
        std::unique_ptr<Groups> groups;  ///< while active
        std::shared_ptr<const coordinator::TopicsView> topics;
        WaitingAnswers waiting;
        bool is_deciding = false;  ///< somebody has the turn
        /// And writes to the log, or will: since the section in which that was decided.
        bool is_appending = false;
        /// Who has coordinated the partition before, until nothing of it is on its way to the log.
        std::shared_ptr<HostedGroups> before;
        /// The high watermark may have moved while somebody had it.
        bool has_news = false;
        bool is_append_failing = false;  ///< and that has been told, until one succeeds
        bool is_store_failing = false;   ///< the same of reads
        /// Records that are too large are not told of before.
        env::Instant tells_too_large_at{};
        std::deque<std::function<void()>> turns;
        Offset end{-1};        ///< of all records that were loaded or applied
        Offset committed{-1};  ///< the high watermark that the groups know
        Offset applied{-1};    ///< the state store's, as it was told
        Offset stored{-1};     ///< the same, as the groups were told
        /// Where the store was, at least, when each read that is under way began.
        std::multiset<Offset> readers;
        std::vector<coordinator::ForgetTopicsRequest::Topic> forgotten;
        /// Of batches that are not committed: their numbers, and where they end.
        std::deque<std::pair<std::uint64_t, Offset>> ends;
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
        std::vector<coordinator::GroupEvent> events{};
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
    void carry_out(After& after);
    coordinator::GroupTime time() const;
    Error refusal(const State& state) const;
    /// Why nobody is even listened to now; nothing if they are.
    std::optional<Error> refuse(const State& state);
    Asker::Answer refuse_much();

    env::Task<void> run();
    bool is_gone() const;
    /// It, or one before it, has something on its way to the log.
    bool is_appending() const;
    /// An append has failed because the partition is another's.
    bool is_lost(ErrorCode of_append) const;
    /// Under the guard, where the step was decided.
    static GroupStep noted(State& state, GroupStep step) {
        state.is_appending = !step.records.empty();
        return step;
    }
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
    void start_work(GroupStep& step);
    env::Task<void> run_work(std::shared_ptr<coordinator::GroupWork> work);
    void tell_failed_append(const Error& why);
    /// An operator can allow more, or find whoever says so much.
    void tell_too_large(const GroupStep& step, const Error& why);
    /// What follows from the append, if that is another step.
    std::optional<GroupStep> appended(const GroupStep& step, const Result<Appended>& appended,
                                      telemetry::Counter& gone);
    std::optional<GroupStep> next_or_pass_on(GroupStep step);
    replication::ProduceDone on_done(std::uint64_t batch);
    void produced(std::uint64_t batch, const replication::ProduceAnswer& answer);

    // Under the guard.
    std::optional<GroupStep> take_high_watermark(State& state, Offset high_watermark, After& after);
    /// What follows from batches that were not committed in time does not, for who waits for it.
    void give_up_sequels(State& state, After& after);
    void park(State& state, std::vector<coordinator::GroupAnswer> answers, After& after);
    void pass_on(State& state, After& after);
    void schedule(State& state, After& after);
    static void tell_stored(State& state);

    Host& host_;
    const Place place_;
    env::Guarded<State> state_;
};

}  // namespace milena::drivers
