// SPDX-License-Identifier: Apache-2.0
// Consumer groups as lines of a script.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "group/consumer/records/records.h"
#include "script_text.h"

namespace milena::coordinator::test {
namespace {

std::string partitions_text(const std::vector<TopicPartitions>& topics, const TopicOf& topic_of) {
    std::vector<std::string> parts;
    for (const TopicPartitions& topic : topics) {
        std::vector<std::int32_t> indexes;
        for (const PartitionIndex index : topic.partitions) indexes.push_back(index.value);
        parts.push_back(fmt::format("{}:{}", topic_of(topic.topic), fmt::join(indexes, ",")));
    }
    return fmt::format("[{}]", fmt::join(parts, " "));
}

/// Since which epoch stands behind those that are not of the member's own.
std::string owned_text(const OwnedSet& owned, std::int32_t epoch, const TopicOf& topic_of) {
    std::vector<std::string> parts;
    for (const OwnedPartition& one : owned) {
        std::string text = fmt::format("{}:{}", topic_of(one.at.topic), one.at.index);
        if (one.since_epoch != epoch) text += fmt::format("@{}", one.since_epoch);
        parts.push_back(std::move(text));
    }
    return fmt::format("[{}]", fmt::join(parts, " "));
}

std::string_view state_text(MemberState state) {
    switch (state) {
        case MemberState::stable: return "stable";
        case MemberState::unrevoked: return "unrevoked";
        case MemberState::unreleased: return "unreleased";
        case MemberState::unknown: break;
    }
    return "unknown";
}

std::string metadata_text(const MemberMetadata& member) {
    std::string out = fmt::format("topics={}", fmt::join(member.topics, ","));
    if (!member.regex.empty()) out += fmt::format(" regex={}", member.regex);
    if (member.instance_id) out += fmt::format(" instance={}", *member.instance_id);
    if (member.rack_id) out += fmt::format(" rack={}", *member.rack_id);
    if (member.assignor) out += fmt::format(" assignor={}", *member.assignor);
    if (member.classic) out += " classic";
    return out + fmt::format(" rebalance={}", member.rebalance_timeout_ms);
}

struct Texts {
    const NameOf& name_of;
    const TopicOf& topic_of;

    std::string operator()(const GroupEpochChange& change) const {
        return change.value ? fmt::format("epoch {}", change.value->epoch) : "epoch is gone";
    }
    std::string operator()(const AssignmentEpochChange& change) const {
        return change.value ? fmt::format("assigned {}", change.value->epoch) : "assigned is gone";
    }
    std::string operator()(const PartitionMetadataChange&) const { return "partitions is gone"; }
    std::string operator()(const MetadataChange& change) const {
        return fmt::format("member {} {}", name_of(change.member_id),
                           change.value ? metadata_text(*change.value) : "is gone");
    }
    std::string operator()(const TargetChange& change) const {
        return fmt::format(
            "target {} {}", name_of(change.member_id),
            change.value ? partitions_text(by_topic(*change.value), topic_of) : "is gone");
    }
    std::string operator()(const CurrentChange& change) const {
        const std::string head = fmt::format("current {}", name_of(change.member_id));
        if (!change.value) return head + " is gone";
        const MemberCurrent& current = *change.value;
        std::string out = fmt::format("{} {}<-{} {} {}", head, current.epoch,
                                      current.previous_epoch, state_text(current.state),
                                      owned_text(current.assigned, current.epoch, topic_of));
        if (!current.revoking.empty())
            out += " revoking " + owned_text(current.revoking, current.epoch, topic_of);
        return out;
    }
    std::string operator()(const RegexChange& change) const {
        return fmt::format(
            "regex {} {}", change.regex,
            change.value ? fmt::format("{}", fmt::join(change.value->topics, ",")) : "is gone");
    }
};

}  // namespace

std::string text_of(const ConsumerHeartbeatReply& reply, const TopicOf& topic_of) {
    if (reply.code != ErrorCode::none)
        return fmt::format("heard {}: {}", error_name(reply.code), reply.why);
    std::string out = fmt::format("heard {}@{}", reply.member_id.value_or("-"), reply.member_epoch);
    if (reply.assignment) out += " " + partitions_text(*reply.assignment, topic_of);
    return out;
}

std::string text_of(const DescribeConsumerGroupReply& reply, const NameOf& name_of,
                    const TopicOf& topic_of) {
    if (reply.facts) return fmt::format("is {}{}", reply.state, facts_text(*reply.facts, name_of));
    if (reply.code != ErrorCode::none)
        return fmt::format("is {}: {}", error_name(reply.code), reply.why);
    std::string out = fmt::format("is {} {}/{} {}", reply.state, reply.assignment_epoch,
                                  reply.group_epoch, reply.assignor);
    for (const auto& member : reply.members) {
        out += fmt::format(" {}{}@{}{}", name_of(member.member_id),
                           member.is_classic ? "(classic)" : "", member.member_epoch,
                           partitions_text(member.assignment, topic_of));
        if (member.target != member.assignment)
            out += "->" + partitions_text(member.target, topic_of);
    }
    return out;
}

std::string consumer_record_text(const Record& record, const NameOf& name_of,
                                 const TopicOf& topic_of) {
    std::optional<BytesView> value;
    if (record.value) value = BytesView(*record.value);
    const auto read = read_consumer_record({.key = record.key, .value = value, .offset = {}});
    if (!read) return "log: " + read.error().why;
    return fmt::format("log: {} {}", read->group,
                       std::visit(Texts{name_of, topic_of}, read->change));
}

}  // namespace milena::coordinator::test
