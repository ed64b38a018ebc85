// SPDX-License-Identifier: Apache-2.0
// The groups of one partition of __consumer_offsets: a state machine without I/O, threads or waits.
// Its host (drivers/group_coordinator.h) has it decide one thing at a time, appends the records of
// the decision, gives them back through apply(), and answers when they are committed:
//
//   ask() -> append -> apply() of each record -> committed() -> answers
//                 \-> append_failed()
//
// Committed offsets may be many, so they are not in here: the state store has what the log says up
// to some offset, and this remembers the commits behind it (PendingOffsets). A request that needs
// offsets says which keys of the store it wants to see (reads_of()); the host reads them before it
// asks.
//
// What takes long (the assignment of a large group, a pattern over all topics) is work that the
// host runs beside it: a step has it, finished() takes its result.
//
// Groups and their members are in here whole. Members of a classic group live between its records:
// only the end of a rebalance is written (GroupMetadataValue), as in Kafka.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "milena/coordinator/group_events.h"
#include "milena/coordinator/group_requests.h"
#include "milena/coordinator/record.h"
#include "milena/coordinator/topics_view.h"
#include "milena/env/clock.h"
#include "milena/env/env.h"

namespace milena::coordinator {

/// The broker's keys that groups go by; names are the keys'.
struct GroupOptions {
    std::int32_t group_min_session_timeout_ms = 6000;
    std::int32_t group_max_session_timeout_ms = 1'800'000;
    std::int32_t group_initial_rebalance_delay_ms = 3000;
    std::int32_t group_max_size = INT32_MAX;
    /// milena.group.rebalance.damping.ms
    std::int32_t group_rebalance_damping_ms = 6000;
    std::int32_t offset_metadata_max_bytes = 4096;
    std::int64_t offsets_retention_ms = 7LL * 24 * 3600 * 1000;
    /// group.consumer.*, of groups by KIP-848.
    struct Consumer {
        ConsumerSettings settings;  ///< of groups that have set nothing themselves
        std::int32_t max_size = INT32_MAX;
        /// "uniform", "range"; the first is the default. At least one.
        std::vector<std::string> assignors{"uniform", "range"};
        /// migration.policy: whether groups may change between the protocols.
        bool may_upgrade = true;
        bool may_downgrade = true;
        std::int64_t regex_refresh_interval_ms = 600'000;
    } consumer{};
};

/// Who waits for an answer; the host's to choose, each once.
using Ticket = std::uint64_t;

struct GroupAnswer {
    Ticket ticket = 0;
    GroupReply reply;
};

/// Something that takes long to compute and needs nothing but itself: it runs beside everybody,
/// in any thread, and is then given back to whom it came from.
class GroupWork {
public:
    virtual ~GroupWork() = default;
    virtual void run() = 0;
};

/// What one decision comes to.
struct GroupStep {
    /// To be appended as one batch. If that fails the decision is void: append_failed().
    std::vector<Record> records;
    /// To be given when these records and all before them are committed. If the append fails those
    /// that wait are told why instead, and these answers are dropped.
    std::vector<GroupAnswer> answers;
    /// To be run, each once, and given to finished(), whatever becomes of the records.
    std::vector<std::shared_ptr<GroupWork>> work{};
    /// To be told to operators, unless the append fails: then nothing of it has happened.
    std::vector<GroupEvent> events{};
};

/// Keys of the state store that a request is to be asked with.
struct StateRead {
    /// Keys that begin with it; all of them, if `is_prefix`, else the one.
    std::vector<std::byte> key;
    bool is_prefix = false;
};

/// When something is decided, by the clock that never goes back and by the one on the wall.
struct GroupTime {
    env::Instant now;
    std::int64_t wall_ms = 0;
};

class Groups {
public:
    /// `random` makes member ids, and outlives this.
    static std::unique_ptr<Groups> make(GroupOptions options, env::Random& random);
    virtual ~Groups() = default;

    // Taking over: load() of all that the state store has but offsets, and of one offset key of
    // each group (types 0 and 1), then of the log from there on; then loaded().
    /// What a record says; it is taken on trust. An error names a record that can't be read: it is
    /// to be logged and skipped.
    virtual Result<void> load(const RecordView& record) = 0;
    /// Everything is read. Members' sessions begin now.
    virtual GroupStep loaded(const GroupTime& time) = 0;

    /// What the store is to be read for before ask(); most requests need nothing, and so do those
    /// of groups that there are not. POLICY_VIOLATION: it names more than one request may.
    virtual Result<std::vector<StateRead>> reads_of(const GroupRequest& request) const = 0;
    /// Answers now or later, in this step or another's; each ticket once.
    virtual GroupStep ask(Ticket ticket, const GroupRequest& request,
                          std::span<const RecordView> stored, const GroupTime& time) = 0;
    /// The records of the last step, in their order, as they were appended.
    virtual void apply(const RecordView& record) = 0;
    /// The records of the last step were not appended. MESSAGE_TOO_LARGE: nor would they be later.
    virtual GroupStep append_failed(ErrorCode why, const GroupTime& time) = 0;
    /// The high watermark: all below it is committed. It never goes back.
    virtual GroupStep committed(Offset high_watermark, const GroupTime& time) = 0;
    /// Records below `end` are in the log and were not committed in time. They may yet be; who
    /// waits for what follows from them is told `why` now.
    virtual GroupStep given_up(Offset end, ErrorCode why, const GroupTime& time) = 0;
    /// Commits below it are in every answer of the store from now on, and may be forgotten here.
    virtual void stored(Offset applied) = 0;

    /// The cluster's topics and groups' settings from now on. `changed` are the names of topics
    /// that came, went or are otherwise than before; groups that they concern look at them with
    /// their next heartbeat. Decides nothing; its cost grows with what changed.
    virtual void follow(std::shared_ptr<const TopicsView> topics,
                        std::span<const std::string> changed) = 0;
    /// Work of an earlier step has been run.
    virtual GroupStep finished(const std::shared_ptr<GroupWork>& work, const GroupTime& time) = 0;

    /// What is due: sessions and rebalances that have ended. One thing at a time; ask again.
    virtual GroupStep tick(const GroupTime& time) = 0;
    /// When to call it next.
    virtual env::Instant deadline() const = 0;

    /// Their number and states, for metrics.
    virtual GroupFigures figures() const = 0;
    /// The next groups behind that name, or the first, in the order of their names; fewer than
    /// `most` are the last.
    virtual std::vector<GroupSummary> summaries(std::optional<std::string_view> behind,
                                                std::size_t most) const = 0;
};

}  // namespace milena::coordinator
