// SPDX-License-Identifier: Apache-2.0
// The groups of one partition: hands each request to its function, and records to what they are
// about.
#include "milena/coordinator/groups.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "classic/group_records.h"
#include "consumer/assignment/target.h"
#include "consumer/membership.h"
#include "consumer/records/records.h"
#include "consumer/regexes.h"
#include "history/consumer_history.h"
#include "milena/base/invariant.h"
#include "offsets/expiration.h"
#include "offsets/offset_records.h"
#include "rebalance.h"
#include "requests.h"

namespace milena::coordinator {
namespace {

template <class... Cases>
struct Each : Cases... {
    using Cases::operator()...;
};

/// Keys that one request may name: some 250,000 partitions with short names.
constexpr std::size_t kKeyBytesMax = 32UL << 20;
/// What a key takes beside its names.
constexpr std::size_t kKeyBytes = 64;

/// The keys of a request's topics, as often as it names them.
template <class Topics>
Result<std::vector<StateRead>> keys_of(std::string_view group, const Topics& topics) {
    std::size_t bytes = 0;
    for (const auto& topic : topics)
        bytes += topic.partitions.size() * (kKeyBytes + group.size() + topic.name.size());
    if (bytes > kKeyBytesMax)
        return fail(ErrorCode::policy_violation, "one request names too many partitions");
    std::vector<StateRead> reads;
    for (const auto& topic : topics) {
        for (const PartitionIndex partition : topic.partitions)
            reads.push_back({.key = offset_key({group, topic.name, partition})});
    }
    return reads;
}

std::vector<StateRead> all_of(std::string_view group) {
    return {{.key = offset_prefix(group), .is_prefix = true}};
}

void decide(Decision& decision, Ticket ticket, const GroupRequest& request, StoredRecords stored) {
    std::visit(
        Each{[&](const JoinRequest& r) { join(decision, ticket, r); },
             [&](const SyncRequest& r) { sync(decision, ticket, r); },
             [&](const HeartbeatRequest& r) { heartbeat(decision, ticket, r); },
             [&](const LeaveRequest& r) { leave(decision, ticket, r); },
             [&](const CommitRequest& r) { commit_offsets(decision, ticket, r); },
             [&](const FetchOffsetsRequest& r) { fetch_offsets(decision, ticket, r, stored); },
             [&](const DeleteOffsetsRequest& r) { delete_offsets(decision, ticket, r, stored); },
             [&](const DescribeGroupRequest& r) { describe(decision, ticket, r, stored); },
             [&](const ListGroupsRequest& r) { list(decision, ticket, r); },
             [&](const DeleteGroupRequest& r) { delete_group(decision, ticket, r, stored); },
             [&](const ExpireOffsetsRequest& r) { expire_offsets(decision, ticket, r, stored); },
             [&](const ForgetTopicsRequest& r) { forget_topics(decision, ticket, r, stored); },
             [&](const ConsumerHeartbeatRequest& r) { consumer_heartbeat(decision, ticket, r); },
             [&](const DescribeConsumerGroupRequest& r) {
                 describe_consumer_group(decision, ticket, r, stored);
             }},
        request);
}

class GroupsInMemory final : public Groups {
public:
    GroupsInMemory(GroupOptions options, env::Random& random)
        : table_(std::move(options), random) {}

    Result<void> load(const RecordView& record) override;
    GroupStep loaded(const GroupTime& time) override;
    Result<std::vector<StateRead>> reads_of(const GroupRequest& request) const override;
    GroupStep ask(Ticket ticket, const GroupRequest& request, std::span<const RecordView> stored,
                  const GroupTime& time) override;
    void apply(const RecordView& record) override;
    GroupStep append_failed(ErrorCode why, const GroupTime& time) override;
    GroupStep committed(Offset high_watermark, const GroupTime& time) override;
    GroupStep given_up(Offset end, ErrorCode why, const GroupTime& time) override;
    void stored(Offset applied) override { table_.offsets.forget_below(applied); }
    void follow(std::shared_ptr<const TopicsView> topics,
                std::span<const std::string> changed) override {
        table_.consumers.follow(std::move(topics), changed);
    }
    GroupStep finished(const std::shared_ptr<GroupWork>& work, const GroupTime& time) override;
    GroupStep tick(const GroupTime& time) override;
    env::Instant deadline() const override {
        return table_.due.empty() ? env::kNever : table_.due.begin()->first;
    }
    GroupFigures figures() const override;
    std::vector<GroupSummary> summaries(std::optional<std::string_view> behind,
                                        std::size_t most) const override {
        return summaries_of(table_, behind, most);
    }

private:
    bool is_known(std::string_view group) const;
    std::vector<StateRead> all_of_known(std::string_view group) const {
        return is_known(group) ? all_of(group) : std::vector<StateRead>();
    }
    void load_offset(const RecordView& record, std::string_view group);
    Result<void> load_classic(const RecordView& record);
    Result<void> load_consumer(const RecordView& record);
    void drop_simple(std::string_view group);
    void note_other(std::int16_t type, const RecordView& record, const OtherGroupRecord& about);
    void decided();
    GroupStep taken(Decision& decision);

    Table table_;
    /// Records of the last decision that were not applied yet.
    std::size_t records_to_apply_ = 0;
};

Result<void> GroupsInMemory::load(const RecordView& record) {
    const auto type = leading_number(record.key);
    if (!type) return fail(ErrorCode::corrupt_message, "a record without a key's type");
    if (is_offset_type(*type)) {
        TRY(const auto key, read_offset_key(record.key));
        load_offset(record, key.group);
        return ok();
    }
    if (*type == kGroupType) return load_classic(record);
    if (is_of_consumer_group(*type)) return load_consumer(record);
    if (!is_of_other_group(*type)) {
        return fail(ErrorCode::corrupt_message,
                    fmt::format("records of type {} are not known", *type));
    }
    TRY(const auto about, read_other_group(*type, record.key));
    note_other(*type, record, about);
    return ok();
}

/// An offset alone makes a group that has nothing else.
void GroupsInMemory::load_offset(const RecordView& record, std::string_view group) {
    const bool has_group =
        table_.find_other(group) != nullptr || table_.find_consumer(group) != nullptr;
    if (record.value && !has_group) table_.make(group, -1);
    if (record.offset.value >= 0) table_.offsets.note(record);
    if (record.value && table_.round.is_under_way) table_.round.kept.emplace(group);
}

Result<void> GroupsInMemory::load_classic(const RecordView& record) {
    TRY(const std::string name, read_group_key(record.key));
    if (const auto before = table_.classic.find(name); before != table_.classic.end())
        table_.classic.erase(before);
    if (!record.value) return ok();
    ClassicGroup& group = table_.make(name, -1);
    auto read = load_group(*record.value, group);
    if (!read) table_.classic.erase(table_.classic.find(name));
    return read;
}

/// A group that only offsets have made is of the kind that its records say.
void GroupsInMemory::drop_simple(std::string_view group) {
    const auto simple = table_.classic.find(group);
    if (simple != table_.classic.end() && simple->second.is_simple()) table_.classic.erase(simple);
}

Result<void> GroupsInMemory::load_consumer(const RecordView& record) {
    TRY(ConsumerRecord read, read_consumer_record(record));
    if (record.value) drop_simple(read.group);
    table_.consumers.load(read.group, std::move(read.change));
    return ok();
}

void GroupsInMemory::note_other(std::int16_t type, const RecordView& record,
                                const OtherGroupRecord& about) {
    if (record.value) {
        drop_simple(about.group);
        const auto of_kind = table_.others.find(about.group);
        if (of_kind != table_.others.end() && of_kind->second.kind() != about.kind)
            table_.others.erase(of_kind);
    }
    const auto place = table_.others.try_emplace(about.group, about.kind).first;
    if (place->second.kind() == about.kind) place->second.note(type, record);
    if (place->second.has_no_records()) table_.others.erase(place);
}

GroupStep GroupsInMemory::loaded(const GroupTime& time) {
    Decision decision(table_, time);
    const auto most = static_cast<std::size_t>(table_.options.group_max_size);
    for (auto& [name, group] : table_.classic) {
        for (auto& [id, member] : group.members()) extend_session(decision, group, member);
        // The key may have been lowered: the group gets a chance to commit before some are out.
        if (group.members().size() > most)
            begin_rebalance(decision, group, {.cause = RebalanceCause::group_too_large});
    }
    for (auto& [name, group] : table_.consumers.groups()) {
        begin_history(decision, group);
        begin_sessions(decision, group);
    }
    return taken(decision);
}

/// Groups that were made and get no record are gone with the decision.
GroupStep GroupsInMemory::taken(Decision& decision) {
    note_states(decision);
    GroupStep step = decision.take();
    records_to_apply_ = step.records.size();
    if (step.records.empty()) table_.consumers.keep();
    return step;
}

bool GroupsInMemory::is_known(std::string_view group) const {
    return table_.find(group) != nullptr || table_.find_consumer(group) != nullptr ||
           table_.find_other(group) != nullptr;
}

Result<std::vector<StateRead>> GroupsInMemory::reads_of(const GroupRequest& request) const {
    if (const auto* const fetch = std::get_if<FetchOffsetsRequest>(&request)) {
        if (!is_known(fetch->group)) return {};
        if (fetch->topics) return keys_of(fetch->group, *fetch->topics);
        return all_of(fetch->group);
    }
    if (const auto* const remove = std::get_if<DeleteOffsetsRequest>(&request)) {
        if (!is_known(remove->group)) return {};
        return keys_of(remove->group, remove->topics);
    }
    if (const auto* const remove = std::get_if<DeleteGroupRequest>(&request))
        return all_of_known(remove->group);
    // Facts are of the group's offsets too.
    const auto* const classic = std::get_if<DescribeGroupRequest>(&request);
    if (classic != nullptr && classic->with_facts) return all_of_known(classic->group);
    const auto* const consumer = std::get_if<DescribeConsumerGroupRequest>(&request);
    if (consumer != nullptr && consumer->with_facts) return all_of_known(consumer->group);
    return {};
}

/// One decision at a time: the records of the last one are applied, or were not appended.
void GroupsInMemory::decided() {
    INVARIANT(records_to_apply_ == 0 && !table_.last_sequel,
              "a decision before the last one is in the log");
    keep_expired(table_.round);
}

GroupStep GroupsInMemory::ask(Ticket ticket, const GroupRequest& request,
                              std::span<const RecordView> stored, const GroupTime& time) {
    decided();
    Decision decision(table_, time);
    decide(decision, ticket, request, stored);
    return taken(decision);
}

GroupStep GroupsInMemory::finished(const std::shared_ptr<GroupWork>& work, const GroupTime& time) {
    decided();
    Decision decision(table_, time);
    if (const auto* const assignment = dynamic_cast<const AssignmentWork*>(work.get())) {
        assigned(decision, *assignment);
    } else if (const auto* const regexes = dynamic_cast<const RegexWork*>(work.get())) {
        resolved(decision, *regexes);
    }
    return taken(decision);
}

void GroupsInMemory::apply(const RecordView& record) {
    INVARIANT(records_to_apply_ > 0, "a record that was not decided is applied");
    --records_to_apply_;
    const auto type = leading_number(record.key);
    INVARIANT(type.has_value(), "our own record has no type");
    if (is_offset_type(*type)) {
        const auto key = read_offset_key(record.key);
        INVARIANT(key.has_value(), "our own record can't be read");
        load_offset(record, key->group);
    } else if (*type == kGroupType) {
        // What lives in memory is what was written, but for a group that goes.
        if (!record.value) {
            const auto gone = table_.classic.find(*read_group_key(record.key));
            if (gone != table_.classic.end()) table_.classic.erase(gone);
        }
    } else if (is_of_consumer_group(*type)) {
        // It has been in effect since it was decided.
    } else if (const auto about = read_other_group(*type, record.key)) {
        note_other(*type, record, *about);
    }
    if (records_to_apply_ == 0) table_.consumers.keep();
    if (records_to_apply_ == 0 && table_.last_sequel) {
        Sequel sequel = *std::exchange(table_.last_sequel, std::nullopt);
        sequel.offset = record.offset;
        table_.sequels.push_back(std::move(sequel));
    }
}

GroupStep GroupsInMemory::append_failed(ErrorCode why, const GroupTime& time) {
    records_to_apply_ = 0;
    table_.round.expired_last.clear();
    Decision decision(table_, time);
    for (const auto& [group, member] : table_.consumers.take_back())
        after_failure(decision, group, member);
    if (auto sequel = std::exchange(table_.last_sequel, std::nullopt))
        after_failure(decision, *std::move(sequel), told_of_append(why));
    INVARIANT(!decision.writes(), "what follows a failed append is written");
    return decision.take();
}

GroupStep GroupsInMemory::committed(Offset high_watermark, const GroupTime& time) {
    Decision decision(table_, time);
    while (!table_.sequels.empty() && table_.sequels.front().offset < high_watermark) {
        Sequel sequel = std::move(table_.sequels.front());
        table_.sequels.pop_front();
        after_commit(decision, std::move(sequel));
    }
    INVARIANT(!decision.writes(), "what follows a commit is written");
    return decision.take();
}

GroupStep GroupsInMemory::given_up(Offset end, ErrorCode why, const GroupTime& time) {
    Decision decision(table_, time);
    while (!table_.sequels.empty() && table_.sequels.front().offset < end) {
        Sequel sequel = std::move(table_.sequels.front());
        table_.sequels.pop_front();
        after_giving_up(decision, std::move(sequel), told_of_append(why));
    }
    INVARIANT(!decision.writes(), "what follows a commit that is given up is written");
    return decision.take();
}

GroupStep GroupsInMemory::tick(const GroupTime& time) {
    decided();
    Decision decision(table_, time);
    if (deadline() <= time.now) {
        const Due due = table_.due.begin()->second;
        on_due(decision, due);
    }
    return taken(decision);
}

GroupFigures GroupsInMemory::figures() const {
    GroupFigures figures;
    figures.groups =
        table_.classic.size() + table_.others.size() + table_.consumers.groups().size();
    for (const auto& [name, group] : table_.classic) {
        switch (group.state()) {
            case GroupState::preparing_rebalance: ++figures.preparing_rebalance; break;
            case GroupState::completing_rebalance: ++figures.completing_rebalance; break;
            case GroupState::stable: ++figures.stable; break;
            case GroupState::dead: ++figures.dead; break;
            case GroupState::empty: ++figures.empty; break;
        }
    }
    for (const auto& [name, group] : table_.consumers.groups()) {
        const std::string_view state = group.state();
        figures.consumer.empty += state == "Empty" ? 1 : 0;
        figures.consumer.assigning += state == "Assigning" ? 1 : 0;
        figures.consumer.reconciling += state == "Reconciling" ? 1 : 0;
        figures.consumer.stable += state == "Stable" ? 1 : 0;
    }
    figures.rebalances = table_.rebalances;
    figures.pending_offsets = table_.offsets.count();
    return figures;
}

}  // namespace

std::unique_ptr<Groups> Groups::make(GroupOptions options, env::Random& random) {
    return std::make_unique<GroupsInMemory>(std::move(options), random);
}

}  // namespace milena::coordinator
