// SPDX-License-Identifier: Apache-2.0
// Control records through the generated codec, data records through the batch builder and reader.
#include "milena/raft/batches.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "milena/protocol/codec.h"
#include "milena/protocol/records/raft_control.h"
#include "milena/record/records.h"

namespace milena::raft {

namespace {

enum class ControlType : std::int16_t {
    leader_change = 2,
    snapshot_header = 3,
    snapshot_footer = 4,
    kraft_version = 5,
    kraft_voters = 6,
};

constexpr std::size_t kKeyBytes = 4;

/// The type and the value of a control record. All are written in version 0, as 4.4 does.
struct Encoded {
    ControlType type;
    std::vector<std::byte> value;
};

template <class Message>
Encoded encoded(ControlType type, const Message& message) {
    Result<std::vector<std::byte>> bytes = protocol::encode(message, 0);
    INVARIANT(bytes.has_value(), "a control record of ours that can't be encoded");
    return {type, *std::move(bytes)};
}

protocol::Array<protocol::LeaderChangeMessage::Voter> leader_change_voters(
    const std::vector<BrokerId>& ids, protocol::Arena& arena) {
    const auto voters = arena.make_array<protocol::LeaderChangeMessage::Voter>(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) voters[i].voter_id = ids[i].value;
    return voters;
}

struct Encode {
    protocol::Arena& arena;

    Encoded operator()(const LeaderChangeRecord& record) const {
        protocol::LeaderChangeMessage message;
        message.leader_id = record.leader.value;
        message.voters = leader_change_voters(record.voters, arena);
        message.granting_voters = leader_change_voters(record.granting_voters, arena);
        return encoded(ControlType::leader_change, message);
    }
    Encoded operator()(const KRaftVersionRecord& record) const {
        protocol::KRaftVersionRecord message;
        message.k_raft_version = record.version;
        return encoded(ControlType::kraft_version, message);
    }
    Encoded operator()(const VotersRecord& record) const {
        using Wire = protocol::VotersRecord;
        const auto voters = arena.make_array<Wire::Voter>(record.voters.size());
        std::size_t at = 0;
        for (const auto& [id, voter] : record.voters.by_id()) {
            const auto endpoints = arena.make_array<Wire::Endpoint>(voter.endpoints.size());
            for (std::size_t i = 0; i < voter.endpoints.size(); ++i) {
                const VoterEndpoint& endpoint = voter.endpoints[i];
                endpoints[i] = {endpoint.listener, endpoint.host, endpoint.port};
            }
            Wire::Voter& wire = voters[at++];
            wire.voter_id = id.value;
            wire.voter_directory_id = voter.key.directory;
            wire.endpoints = endpoints;
            wire.k_raft_version_feature = {voter.kraft_version_min, voter.kraft_version_max};
        }
        Wire message;
        message.voters = voters;
        return encoded(ControlType::kraft_voters, message);
    }
    Encoded operator()(const SnapshotHeader& record) const {
        protocol::SnapshotHeaderRecord message;
        message.last_contained_log_timestamp = record.last_contained_timestamp.value;
        return encoded(ControlType::snapshot_header, message);
    }
    Encoded operator()(const SnapshotFooter&) const {
        return encoded(ControlType::snapshot_footer, protocol::SnapshotFooterRecord());
    }
};

/// Decodes a value whose first field is its version; what a later version adds is not looked at.
template <class Message>
Result<Message> decoded(BytesView value, protocol::Arena& arena) {
    ByteReader reader(value);
    const auto version = reader.read<std::int16_t>();
    if (!reader.ok() || version < 0)
        return fail(ErrorCode::corrupt_message, "a control record without a version");
    auto message = protocol::decode<Message>(value, std::min(version, Message::kMaxVersion), arena);
    if (!message) return fail(ErrorCode::corrupt_message, message.error().why);
    return message;
}

Result<VotersRecord> decode_voters(BytesView value, protocol::Arena& arena) {
    TRY(const auto message, decoded<protocol::VotersRecord>(value, arena));
    std::vector<Voter> voters;
    for (const auto& wire : message.voters) {
        Voter voter{.key = {BrokerId(wire.voter_id), wire.voter_directory_id},
                    .endpoints = {},
                    .kraft_version_min = wire.k_raft_version_feature.min_supported_version,
                    .kraft_version_max = wire.k_raft_version_feature.max_supported_version};
        for (const auto& endpoint : wire.endpoints) {
            voter.endpoints.push_back(
                {std::string(endpoint.name), std::string(endpoint.host), endpoint.port});
        }
        for (const Voter& other : voters) {
            if (other.key.id == voter.key.id) {
                return fail(ErrorCode::corrupt_message,
                            fmt::format("voter {} stands twice in a set", voter.key.id));
            }
        }
        voters.push_back(std::move(voter));
    }
    return VotersRecord{VoterSet(std::move(voters))};
}

Result<LeaderChangeRecord> decode_leader_change(BytesView value, protocol::Arena& arena) {
    TRY(const auto message, decoded<protocol::LeaderChangeMessage>(value, arena));
    LeaderChangeRecord record{
        .leader = BrokerId(message.leader_id), .voters = {}, .granting_voters = {}};
    for (const auto& voter : message.voters) record.voters.push_back(BrokerId(voter.voter_id));
    for (const auto& voter : message.granting_voters)
        record.granting_voters.push_back(BrokerId(voter.voter_id));
    return record;
}

Result<std::optional<AnyControlRecord>> decode_one(const record::RecordView& record,
                                                   protocol::Arena& arena) {
    if (!record.key || record.key->size() < kKeyBytes || !record.value) {
        return fail(ErrorCode::corrupt_message, "a control record without a key or a value");
    }
    switch (static_cast<ControlType>(load<std::int16_t>(record.key->data() + 2))) {
        case ControlType::leader_change: return decode_leader_change(*record.value, arena);
        case ControlType::kraft_voters: return decode_voters(*record.value, arena);
        case ControlType::kraft_version: {
            TRY(const auto message, decoded<protocol::KRaftVersionRecord>(*record.value, arena));
            return KRaftVersionRecord{message.k_raft_version};
        }
        case ControlType::snapshot_header: {
            TRY(const auto message, decoded<protocol::SnapshotHeaderRecord>(*record.value, arena));
            return SnapshotHeader{Timestamp(message.last_contained_log_timestamp)};
        }
        case ControlType::snapshot_footer: return SnapshotFooter{};
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::byte> encode_control_batch(Offset base_offset, LeaderEpoch epoch, Timestamp now,
                                            std::span<const AnyControlRecord> records) {
    record::BatchBuilder builder(
        {.base_offset = base_offset, .leader_epoch = epoch, .timestamp = now, .is_control = true});
    protocol::Arena arena;
    for (const AnyControlRecord& record : records) {
        const Encoded one = std::visit(Encode{arena}, record);
        std::array<std::byte, kKeyBytes> key{};
        store(key.data() + 2, static_cast<std::int16_t>(one.type));
        builder.append(BytesView(key), BytesView(one.value));
    }
    return std::move(builder).finish();
}

std::vector<std::byte> encode_data_batch(Offset base_offset, LeaderEpoch epoch, Timestamp now,
                                         std::span<const std::vector<std::byte>> values) {
    record::BatchBuilder builder(
        {.base_offset = base_offset, .leader_epoch = epoch, .timestamp = now});
    for (const std::vector<std::byte>& value : values)
        builder.append(std::nullopt, BytesView(value));
    return std::move(builder).finish();
}

Result<std::vector<AnyControlRecord>> decode_control_batch(record::BatchView batch) {
    std::vector<AnyControlRecord> records;
    protocol::Arena arena;
    Result<void> bad = ok();
    TRY_VOID(record::for_each_record(batch, {}, [&](const record::RecordView& record) {
        Result<std::optional<AnyControlRecord>> one = decode_one(record, arena);
        if (!one) {
            bad = fail_at(fmt::format("control record at {}", record.offset), one.error());
            return false;
        }
        if (*one) records.push_back(**std::move(one));
        return true;
    }));
    TRY_VOID(std::move(bad));
    return records;
}

Result<Batch> describe(record::BatchView batch) {
    if (!batch.check_crc()) {
        return fail(ErrorCode::corrupt_message,
                    fmt::format("the batch at {} has a wrong CRC", batch.base_offset()));
    }
    Batch described{.base_offset = batch.base_offset(),
                    .last_offset = batch.last_offset(),
                    .epoch = batch.leader_epoch(),
                    .control = {},
                    .bytes = nullptr};
    if (!batch.is_control()) return described;
    TRY(const auto records, decode_control_batch(batch));
    for (const AnyControlRecord& record : records) {
        if (const auto* leader = std::get_if<LeaderChangeRecord>(&record))
            described.control.push_back(*leader);
        if (const auto* version = std::get_if<KRaftVersionRecord>(&record))
            described.control.push_back(*version);
        if (const auto* voters = std::get_if<VotersRecord>(&record))
            described.control.push_back(*voters);
    }
    return described;
}

Result<RecordValues> decode_values(record::BatchView batch) {
    RecordValues decoded;
    std::vector<std::size_t> ends;
    if (batch.codec() == record::Codec::none) decoded.bytes.reserve(batch.payload().size());
    TRY_VOID(record::for_each_record(batch, {}, [&](const record::RecordView& record) {
        if (record.value)
            decoded.bytes.insert(decoded.bytes.end(), record.value->begin(), record.value->end());
        ends.push_back(decoded.bytes.size());
        return true;
    }));
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        decoded.values.push_back(BytesView(decoded.bytes).subspan(begin, end - begin));
        begin = end;
    }
    return decoded;
}

}  // namespace milena::raft
