// SPDX-License-Identifier: Apache-2.0
// One function for each kind of reply.
#include "script_text.h"

#include <fmt/format.h>

#include "milena/protocol/records/group.h"

namespace milena::coordinator::test {
namespace {

template <class... Cases>
struct Each : Cases... {
    using Cases::operator()...;
};

std::string bytes_text(BytesView bytes) {
    std::string out;
    for (const char c : as_text(bytes)) {
        if (c >= ' ' && c < 127) out += c;
    }
    return out;
}

std::string head(const char* what, ErrorCode code) {
    return code == ErrorCode::none ? what : fmt::format("{} {}", what, error_name(code));
}

std::string or_none(const std::optional<std::string>& text) {
    return text ? *text : "-";
}

std::string text_of(const JoinReply& reply, const NameOf& name_of) {
    std::string out = head("joined", reply.code);
    if (!reply.member_id.empty()) out += fmt::format(" as {}", name_of(reply.member_id));
    if (reply.generation < 0) return out;
    out += fmt::format(" generation={} protocol={} leader={}", reply.generation,
                       or_none(reply.protocol_name), name_of(reply.leader));
    if (reply.skip_assignment) out += " skip";
    for (const auto& member : reply.members) {
        out += fmt::format(" {}", name_of(member.member_id));
        if (member.instance_id) out += fmt::format("({})", *member.instance_id);
    }
    return out;
}

std::string text_of(const SyncReply& reply) {
    std::string out = head("synced", reply.code);
    if (reply.code == ErrorCode::none) out += fmt::format(" [{}]", bytes_text(reply.assignment));
    return out;
}

std::string text_of(const LeaveReply& reply) {
    std::string out = head("left", reply.code);
    for (const ErrorCode code : reply.members) out += fmt::format(" {}", error_name(code));
    return out;
}

template <class Reply>
std::string codes_text(const char* what, const Reply& reply) {
    std::string out = head(what, reply.code);
    for (const auto& topic : reply.topics) {
        for (const ErrorCode code : topic) out += fmt::format(" {}", error_name(code));
    }
    return out;
}

std::string text_of(const FetchOffsetsReply& reply) {
    std::string out = head("fetched", reply.code);
    for (const auto& topic : reply.topics) {
        for (const auto& part : topic.partitions) {
            out += fmt::format(" {}:{}={}", topic.name, part.partition, part.offset);
            if (!part.metadata.empty()) out += fmt::format(",{}", part.metadata);
        }
    }
    return out;
}

std::string text_of(const DescribeGroupReply& reply, const NameOf& name_of) {
    if (reply.facts) return fmt::format("is {}{}", reply.state, facts_text(*reply.facts, name_of));
    std::string out = head("is", reply.code);
    out += fmt::format(" {} type={} protocol={}", reply.state, reply.protocol_type, reply.protocol);
    for (const auto& member : reply.members)
        out += fmt::format(" {}[{}]", name_of(member.member_id), bytes_text(member.assignment));
    return out;
}

std::string text_of(const ListGroupsReply& reply) {
    std::string out = "listed";
    for (const auto& group : reply.groups) {
        out +=
            fmt::format(" {}({},{},{})", group.group, group.type, group.protocol_type, group.state);
    }
    return out;
}

std::string reply_text(const GroupReply& reply, const NameOf& name_of, const TopicOf& topic_of) {
    return std::visit(
        Each{[&](const JoinReply& r) { return text_of(r, name_of); },
             [](const SyncReply& r) { return text_of(r); },
             [](const HeartbeatReply& r) { return head("beat", r.code); },
             [](const LeaveReply& r) { return text_of(r); },
             [](const CommitReply& r) { return codes_text("committed", r); },
             [](const FetchOffsetsReply& r) { return text_of(r); },
             [](const DeleteOffsetsReply& r) { return codes_text("forgot", r); },
             [&](const DescribeGroupReply& r) { return text_of(r, name_of); },
             [](const ListGroupsReply& r) { return text_of(r); },
             [](const DeleteGroupReply& r) { return head("deleted", r.code); },
             [](const ExpireOffsetsReply&) { return std::string("looked at a page"); },
             [](const ForgetTopicsReply&) { return std::string("looked at a page"); },
             [&](const ConsumerHeartbeatReply& r) { return test::text_of(r, topic_of); },
             [&](const DescribeConsumerGroupReply& r) {
                 return test::text_of(r, name_of, topic_of);
             }},
        reply);
}

std::string offset_text(const Record& record, protocol::Arena& arena) {
    const auto key = decode_after_number<protocol::OffsetCommitKey>(record.key, arena);
    const std::string name = fmt::format("{} {}:{}", key->group, key->topic, key->partition);
    if (!record.value) return fmt::format("log: offset {} is gone", name);
    const auto value = decode_after_number<protocol::OffsetCommitValue>(*record.value, arena);
    return fmt::format("log: offset {}={} v{}", name, value->offset,
                       *leading_number(*record.value));
}

std::string group_text(const Record& record, const NameOf& name_of, protocol::Arena& arena) {
    const auto key = decode_after_number<protocol::GroupMetadataKey>(record.key, arena);
    if (!record.value) return fmt::format("log: group {} is gone", key->group);
    const auto value = decode_after_number<protocol::GroupMetadataValue>(*record.value, arena);
    std::string out = fmt::format("log: group {} v{} generation={} type={} protocol={}", key->group,
                                  *leading_number(*record.value), value->generation,
                                  value->protocol_type, value->protocol.value_or("-"));
    if (value->leader) out += fmt::format(" leader={}", name_of(std::string(*value->leader)));
    for (const auto& member : value->members) {
        out += fmt::format(" {}[{}]", name_of(std::string(member.member_id)),
                           bytes_text(member.assignment));
    }
    return out;
}

}  // namespace

std::string told_text(const Told& told, const NameOf& name_of, const TopicOf& topic_of) {
    if (!told.reply) return fmt::format("{}: refused {}", told.ticket, error_name(told.refused));
    return fmt::format("{}: {}", told.ticket, reply_text(*told.reply, name_of, topic_of));
}

std::string record_text(const Record& record, const NameOf& name_of, const TopicOf& topic_of) {
    protocol::Arena arena;
    switch (leading_number(record.key).value_or(-1)) {
        case 1: return offset_text(record, arena);
        case 2: return group_text(record, name_of, arena);
        case 3:
        case 5:
        case 6:
        case 7:
        case 8:
        case 16: return consumer_record_text(record, name_of, topic_of);
        default:
            return fmt::format("log: type {}{}", leading_number(record.key).value_or(-1),
                               record.value ? "" : " is gone");
    }
}

}  // namespace milena::coordinator::test
