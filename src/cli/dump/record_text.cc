// SPDX-License-Identifier: Apache-2.0
// Control records and metadata records are messages of the schema, so their text is its JSON.
#include "dump/record_text.h"

#include <fmt/format.h>

#include "milena/metadata/records.h"
#include "milena/protocol/message_type.h"
#include "text/utf8.h"

namespace milena::cli {
namespace {

/// Types of control records, which their key holds behind a version.
enum class ControlType : std::int16_t {
    abort = 0,
    commit = 1,
    leader_change = 2,
    snapshot_header = 3,
    snapshot_footer = 4,
    kraft_version = 5,
    kraft_voters = 6,
};

/// A message of the schema as JSON; a text that says so if the bytes are none.
std::string json_of(const protocol::MessageType& type, BytesView bytes, std::int16_t version) {
    protocol::Arena arena;
    void* const message = protocol::make_message(type, arena);
    ByteReader reader(bytes);
    const auto decoded = protocol::decode_message(type, reader, version, arena, message);
    if (!decoded) return fmt::format("(unreadable: {})", decoded.error().why);
    return protocol::message_to_json(type, message, version);
}

/// Control records of the quorum begin with their own version.
std::string quorum_record(std::string_view label, std::string_view type_name, BytesView value) {
    const auto* const type = protocol::find_message_type(type_name);
    if (type == nullptr || value.size() < sizeof(std::int16_t)) return "";
    return fmt::format(" {} {}", label, json_of(*type, value, load<std::int16_t>(value.data())));
}

std::string marker_text(std::string_view name, BytesView value) {
    constexpr std::size_t kMarkerBytes = 6;
    if (value.size() < kMarkerBytes) return "";
    return fmt::format(" endTxnMarker: {} coordinatorEpoch: {}", name,
                       load<std::int32_t>(value.data() + 2));
}

/// FeatureLevelRecord is FEATURE_LEVEL_RECORD.
std::string type_text(std::string_view name) {
    std::string text;
    for (const char c : name) {
        const bool is_upper = c >= 'A' && c <= 'Z';
        if (is_upper && !text.empty()) text += '_';
        text += is_upper || (c >= '0' && c <= '9') ? c : static_cast<char>(c - 'a' + 'A');
    }
    return text;
}

const protocol::MessageType* metadata_type(std::int16_t key) {
    for (const auto* const type : protocol::message_types()) {
        if (type->kind == protocol::MessageKind::metadata && type->key == key) return type;
    }
    return nullptr;
}

std::string metadata_text(BytesView value) {
    const auto framed = metadata::read_frame(value);
    if (!framed) return fmt::format("Error at {}, skipping. {}", value.size(), framed.error().why);
    const auto* const type = metadata_type(framed->type);
    if (type == nullptr) return fmt::format("unknown record type {}", framed->type);
    return fmt::format(R"({{"type":"{}","version":{},"data":{}}})", type_text(type->name),
                       framed->version, json_of(*type, framed->body, framed->version));
}

}  // namespace

std::string header_keys(const record::RecordView& record) {
    std::string text;
    ByteReader reader(record.headers);
    for (std::int32_t i = 0; i < record.header_count; ++i) {
        if (i != 0) text += ',';
        text += utf8_text(reader.read_bytes(static_cast<std::size_t>(reader.read_varint())));
        const std::int32_t size = reader.read_varint();
        if (size > 0) reader.skip(static_cast<std::size_t>(size));
    }
    return text;
}

std::string control_text(const record::RecordView& record) {
    constexpr std::size_t kKeyBytes = 4;
    if (!record.key || record.key->size() < kKeyBytes || !record.value) return "";
    const auto id = load<std::int16_t>(record.key->data() + 2);
    switch (static_cast<ControlType>(id)) {
        case ControlType::abort: return marker_text("ABORT", *record.value);
        case ControlType::commit: return marker_text("COMMIT", *record.value);
        case ControlType::leader_change:
            return quorum_record("LeaderChange:", "LeaderChangeMessage", *record.value);
        case ControlType::snapshot_header:
            return quorum_record("SnapshotHeader", "SnapshotHeaderRecord", *record.value);
        case ControlType::snapshot_footer:
            return quorum_record("SnapshotFooter", "SnapshotFooterRecord", *record.value);
        case ControlType::kraft_version:
            return quorum_record("KRaftVersion", "KRaftVersionRecord", *record.value);
        case ControlType::kraft_voters:
            return quorum_record("KRaftVoters", "VotersRecord", *record.value);
    }
    return fmt::format(" controlType: UNKNOWN({})", id);
}

std::string contents_text(const record::RecordView& record, bool cluster_metadata) {
    std::string text;
    if (record.key) text += fmt::format(" key: {}", utf8_text(*record.key));
    if (record.value) {
        text += " payload: ";
        text += cluster_metadata ? metadata_text(*record.value) : utf8_text(*record.value);
    }
    return text;
}

}  // namespace milena::cli
