// SPDX-License-Identifier: Apache-2.0
// What the requests to groups have in common: the groups that there are, and one decision while it
// is made. A decision changes what lives between a group's records at once (members, states,
// timers) and puts what has to be written into its step; what is written takes effect in apply().
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <utility>
#include <variant>

#include "classic/classic_group.h"
#include "consumer/consumer_table.h"
#include "offsets/pending_offsets.h"
#include "other_groups.h"

namespace milena::coordinator {

/// Records of one request. A batch may have about 1 MiB (max.message.bytes), compressed or not, or
/// what an operator has set; the log says where that is, up to here.
inline constexpr std::size_t kRecordBytesMax = 8UL << 20;

/// Records of a decision that deletes many things, which are as many decisions as it takes. All
/// topics have room for such a batch, and a record more.
inline constexpr std::size_t kDeletionBytesMax = 512UL << 10;

/// What follows when the last record of a decision is committed, or can't be appended.
struct Sequel {
    /// A group is there only because of this record.
    struct Creation {};
    /// A leader's assignments go to the members, in the order of their ids.
    struct Assignments {
        std::int32_t generation = 0;
        std::vector<SyncRequest::Assignment> assignments;
    };
    /// A static member came back under a new id and goes on with what it had.
    struct Return {
        std::string instance_id;
        std::string old_id;
        std::optional<std::string> old_leader;
        std::vector<MemberProtocol> old_protocols;
        std::int32_t old_session_timeout_ms = 0;
        std::int32_t old_rebalance_timeout_ms = 0;
        std::string new_id;
        bool can_skip_assignment = false;
    };

    std::string group;
    std::variant<Creation, Assignments, Return> what;
    Offset offset{-1};  ///< of the record, once it has one
};

/// How the round of expirations, which goes over the store page by page, stands.
struct ExpirationRound {
    bool is_under_way = false;
    /// Groups that still have offsets.
    std::set<std::string, std::less<>> kept;
    /// How many of a group's have expired: on pages before, and on the last one, which may not come
    /// into the log.
    using Counts = std::map<std::string, std::uint64_t, std::less<>>;
    Counts expired;
    Counts expired_last;
};

/// Everything that one coordinator knows.
struct Table {
    Table(GroupOptions group_options, env::Random& random_source)
        : options(std::move(group_options)), random(random_source), consumers(due) {}

    const GroupOptions options;
    env::Random& random;
    DueByTime due;  ///< outlives the timers in the groups
    std::map<std::string, ClassicGroup, std::less<>> classic;
    std::map<std::string, OtherGroup, std::less<>> others;
    ConsumerTable consumers;
    PendingOffsets offsets;
    ExpirationRound round;
    /// Of records that are in the log and not yet committed, in their order.
    std::deque<Sequel> sequels;
    /// Of the last decision, whose records are not yet in the log.
    std::optional<Sequel> last_sequel;
    std::uint64_t rebalances = 0;

    ClassicGroup* find(std::string_view group);
    const ClassicGroup* find(std::string_view group) const;
    const OtherGroup* find_other(std::string_view group) const;
    ConsumerGroup* find_consumer(std::string_view group) { return consumers.find(group); }
    const ConsumerGroup* find_consumer(std::string_view group) const {
        return consumers.find(group);
    }
    /// The classic group of this name, made if there is none.
    ClassicGroup& make(std::string_view group, std::int64_t now_ms);
};

class Decision {
public:
    Decision(Table& all, const GroupTime& time) : table(all), time_(time) {}

    Table& table;

    env::Instant now() const { return time_.now; }
    std::int64_t wall_ms() const { return time_.wall_ms; }
    env::Instant in_ms(std::int32_t timeout_ms) const {
        return time_.now + std::chrono::milliseconds(std::max(timeout_ms, 0));
    }

    void answer(Ticket ticket, GroupReply reply) {
        step_.answers.push_back({ticket, std::move(reply)});
    }
    void write(Record record) {
        bytes_ += kRecordBytes + record.key.size() + (record.value ? record.value->size() : 0);
        step_.records.push_back(std::move(record));
    }
    /// The same with what follows from it. Only one record of a decision has a sequel.
    void write(Record record, Sequel sequel);
    /// A record that says what is at hand: it can't be too long.
    void write(Result<Record> record);
    /// A change of a consumer group, which is in effect at once, and its record.
    void change(ConsumerGroup& group, ConsumerChange change);
    /// To be told to operators.
    void tell(GroupEvent event) { step_.events.push_back(std::move(event)); }
    /// To be run beside everybody.
    void start(std::shared_ptr<GroupWork> work) { step_.work.push_back(std::move(work)); }
    bool writes() const { return !step_.records.empty(); }

    /// What was written, roughly.
    std::size_t bytes() const { return bytes_; }

    GroupStep take() { return std::move(step_); }

private:
    /// What a record has in a batch beside its key and value.
    static constexpr std::size_t kRecordBytes = 16;

    std::size_t bytes_ = 0;
    GroupTime time_;
    GroupStep step_;
};

/// The code that clients are told when records could not be appended. What the log does not take
/// for its size is MESSAGE_TOO_LARGE: it does not help to say it again.
ErrorCode told_of_append(ErrorCode why);

}  // namespace milena::coordinator
