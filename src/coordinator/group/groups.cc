// SPDX-License-Identifier: Apache-2.0
// The groups of one partition: hands each request to its function, and records to what they are
// about.
#include "milena/coordinator/groups.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "classic/group_records.h"
#include "milena/base/invariant.h"
#include "offsets/offset_records.h"
#include "rebalance.h"
#include "requests.h"

namespace milena::coordinator {
namespace {

template <class... Cases>
struct Each : Cases... {
    using Cases::operator()...;
};

/// The keys of a request's topics.
template <class Topics>
std::vector<StateRead> keys_of(std::string_view group, const Topics& topics) {
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
             [&](const DescribeGroupRequest& r) { describe(decision, ticket, r); },
             [&](const ListGroupsRequest& r) { list(decision, ticket, r); },
             [&](const DeleteGroupRequest& r) { delete_group(decision, ticket, r, stored); },
             [&](const ExpireOffsetsRequest& r) { expire_offsets(decision, ticket, r, stored); },
             [&](const ForgetTopicsRequest& r) { forget_topics(decision, ticket, r, stored); }},
        request);
}

class GroupsInMemory final : public Groups {
public:
    GroupsInMemory(const GroupOptions& options, env::Random& random) : table_(options, random) {}

    Result<void> load(const RecordView& record) override;
    GroupStep loaded(const GroupTime& time) override;
    std::vector<StateRead> reads_of(const GroupRequest& request) const override;
    GroupStep ask(Ticket ticket, const GroupRequest& request, std::span<const RecordView> stored,
                  const GroupTime& time) override;
    void apply(const RecordView& record) override;
    GroupStep append_failed(ErrorCode why, const GroupTime& time) override;
    GroupStep committed(Offset high_watermark, const GroupTime& time) override;
    void stored(Offset applied) override { table_.offsets.forget_below(applied); }
    GroupStep tick(const GroupTime& time) override;
    env::Instant deadline() const override {
        return table_.due.empty() ? env::kNever : table_.due.begin()->first;
    }
    GroupFigures figures() const override;

private:
    void load_offset(const RecordView& record, std::string_view group);
    Result<void> load_classic(const RecordView& record);
    void note_other(std::int16_t type, const RecordView& record, const OtherGroupRecord& about);
    void decided();

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
    if (record.value && table_.find_other(group) == nullptr) table_.make(group, -1);
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

void GroupsInMemory::note_other(std::int16_t type, const RecordView& record,
                                const OtherGroupRecord& about) {
    if (record.value) {
        // A group that only offsets have made is of the kind that its records say.
        const auto simple = table_.classic.find(about.group);
        if (simple != table_.classic.end() && simple->second.is_simple())
            table_.classic.erase(simple);
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
        if (group.members().size() > most) begin_rebalance(decision, group);
    }
    GroupStep step = decision.take();
    records_to_apply_ = step.records.size();
    return step;
}

std::vector<StateRead> GroupsInMemory::reads_of(const GroupRequest& request) const {
    if (const auto* const fetch = std::get_if<FetchOffsetsRequest>(&request))
        return fetch->topics ? keys_of(fetch->group, *fetch->topics) : all_of(fetch->group);
    if (const auto* const remove = std::get_if<DeleteOffsetsRequest>(&request))
        return keys_of(remove->group, remove->topics);
    if (const auto* const remove = std::get_if<DeleteGroupRequest>(&request))
        return all_of(remove->group);
    return {};
}

/// One decision at a time: the records of the last one are applied, or were not appended.
void GroupsInMemory::decided() {
    INVARIANT(records_to_apply_ == 0 && !table_.last_sequel,
              "a decision before the last one is in the log");
}

GroupStep GroupsInMemory::ask(Ticket ticket, const GroupRequest& request,
                              std::span<const RecordView> stored, const GroupTime& time) {
    decided();
    Decision decision(table_, time);
    decide(decision, ticket, request, stored);
    GroupStep step = decision.take();
    records_to_apply_ = step.records.size();
    return step;
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
    } else if (const auto about = read_other_group(*type, record.key)) {
        note_other(*type, record, *about);
    }
    if (records_to_apply_ == 0 && table_.last_sequel) {
        Sequel sequel = *std::exchange(table_.last_sequel, std::nullopt);
        sequel.offset = record.offset;
        table_.sequels.push_back(std::move(sequel));
    }
}

GroupStep GroupsInMemory::append_failed(ErrorCode why, const GroupTime& time) {
    records_to_apply_ = 0;
    Decision decision(table_, time);
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

GroupStep GroupsInMemory::tick(const GroupTime& time) {
    decided();
    Decision decision(table_, time);
    if (deadline() <= time.now) {
        const Due due = table_.due.begin()->second;
        on_due(decision, due);
    }
    GroupStep step = decision.take();
    records_to_apply_ = step.records.size();
    return step;
}

GroupFigures GroupsInMemory::figures() const {
    GroupFigures figures;
    figures.groups = table_.classic.size() + table_.others.size();
    for (const auto& [name, group] : table_.classic) {
        switch (group.state()) {
            case GroupState::preparing_rebalance: ++figures.preparing_rebalance; break;
            case GroupState::completing_rebalance: ++figures.completing_rebalance; break;
            case GroupState::stable: ++figures.stable; break;
            case GroupState::dead: ++figures.dead; break;
            case GroupState::empty: ++figures.empty; break;
        }
    }
    figures.rebalances = table_.rebalances;
    figures.pending_offsets = table_.offsets.count();
    return figures;
}

}  // namespace

std::unique_ptr<Groups> Groups::make(GroupOptions options, env::Random& random) {
    return std::make_unique<GroupsInMemory>(options, random);
}

}  // namespace milena::coordinator
