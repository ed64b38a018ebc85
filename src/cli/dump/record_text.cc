// SPDX-License-Identifier: Apache-2.0
// Control records, metadata records and those of coordinators are messages of the schema, so their
// text is its JSON.
#include "dump/record_text.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "milena/metadata/records.h"
#include "milena/protocol/message_type.h"
#include "text/coordinator_records.h"
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

/// What is wrong with the frame of a metadata record, in Kafka's words; nothing if it is right.
std::optional<std::string> frame_fault(record::NullableBytes value) {
    if (!value || value->empty()) return "Error while reading frame version";
    const auto version = ByteReader(*value).read_unsigned_varint();
    if (version == 1) return std::nullopt;
    return fmt::format(
        "Could not deserialize metadata record due to unknown frame version {}(only frame version "
        "1 is supported)",
        version);
}

std::string metadata_text(const record::RecordView& record) {
    const auto skipped = [&record](std::string_view why) {
        return fmt::format(" payload: Error at {}, skipping. {}", record.offset, why);
    };
    if (const auto fault = frame_fault(record.value)) return skipped(*fault);
    const auto framed = metadata::read_frame(*record.value);
    if (!framed) return skipped(framed.error().why);
    const auto* const type = metadata_type(framed->type);
    if (type == nullptr) return skipped(fmt::format("Unknown metadata id {}", framed->type));
    return fmt::format(R"( payload: {{"type":"{}","version":{},"data":{}}})", type_text(type->name),
                       framed->version, json_of(*type, framed->body, framed->version));
}

/// Records of remote segments have the frame of metadata records, and types of their own.
std::string remote_log_text(const record::RecordView& record) {
    constexpr std::array<std::string_view, 4> kTypes{
        "RemoteLogSegmentMetadataRecord", "RemoteLogSegmentMetadataUpdateRecord",
        "RemotePartitionDeleteMetadataRecord", "RemoteLogSegmentMetadataSnapshotRecord"};
    const auto skipped = [&record](std::string_view why) {
        return fmt::format(" payload: Error at offset {}, skipping. {}", record.offset, why);
    };
    if (const auto fault = frame_fault(record.value)) return skipped(*fault);
    const auto framed = metadata::read_frame(*record.value);
    if (!framed) return skipped(framed.error().why);
    const auto at = static_cast<std::size_t>(framed->type);
    const auto* const type = at < kTypes.size() ? protocol::find_message_type(kTypes[at]) : nullptr;
    if (type == nullptr) return skipped(fmt::format("Unknown metadata id {}", framed->type));
    return fmt::format(R"( payload: {{"type":"{}","version":{},"data":{}}})", type->name,
                       framed->version, json_of(*type, framed->body, framed->version));
}

Result<std::string> coordinator_text(const record::RecordView& record, Coordinator coordinator) {
    using protocol::MessageKind;
    if (!record.key) {
        return fail(ErrorCode::corrupt_message,
                    fmt::format("Failed to decode message at offset {} using the specified decoder "
                                "(message had a missing key)",
                                record.offset));
    }
    const auto skipped = [&record](std::string_view why) {
        return fmt::format(" key: Error at offset {}, skipping. {}", record.offset, why);
    };
    const auto type = leading_number(*record.key);
    if (!type) return skipped("the key has no type");
    const auto* const key = coordinator_message(coordinator, MessageKind::coordinator_key, *type);
    if (key == nullptr) {
        return fmt::format(" key: Unknown record type {} at offset {}, skipping.", *type,
                           record.offset);
    }
    const auto key_json = coordinator_json(*key, record.key->subspan(sizeof *type), 0);
    if (!key_json) return skipped(key_json.error().why);
    std::string text = fmt::format(R"( key: {{"type":"{}","data":{}}})", *type, *key_json);
    if (!record.value) return text + " payload: <DELETE>";
    const auto version = leading_number(*record.value);
    const auto* const value =
        coordinator_message(coordinator, MessageKind::coordinator_value, *type);
    if (!version || value == nullptr) return skipped("the value has no version");
    const auto json = readable_value_json(*value, record.value->subspan(sizeof *version), *version);
    if (!json) return skipped(json.error().why);
    return text + fmt::format(R"( payload: {{"version":"{}","data":{}}})", *version, *json);
}

Result<std::string> part_text(BytesView bytes, PartDecoder decoder) {
    const std::size_t needed = decoder == PartDecoder::int32   ? sizeof(std::int32_t)
                               : decoder == PartDecoder::int64 ? sizeof(std::int64_t)
                                                               : 0;
    if (bytes.size() < needed) {
        return fail(ErrorCode::corrupt_message,
                    fmt::format("{} bytes are no number of {}", bytes.size(), needed));
    }
    switch (decoder) {
        case PartDecoder::int32: return std::to_string(load<std::int32_t>(bytes.data()));
        case PartDecoder::int64: return std::to_string(load<std::int64_t>(bytes.data()));
        case PartDecoder::text: break;
    }
    return utf8_text(bytes);
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

Result<PartDecoder> parse_decoder_class(std::string_view name) {
    constexpr std::array kClasses{std::pair(std::string_view("StringDecoder"), PartDecoder::text),
                                  std::pair(std::string_view("DefaultDecoder"), PartDecoder::text),
                                  std::pair(std::string_view("IntegerDecoder"), PartDecoder::int32),
                                  std::pair(std::string_view("LongDecoder"), PartDecoder::int64)};
    constexpr std::string_view kPackage = "org.apache.kafka.tools.api.";
    for (const auto& [known, decoder] : kClasses) {
        if (name == fmt::format("{}{}", kPackage, known)) return decoder;
    }
    return fail(ErrorCode::invalid_request,
                fmt::format("Failed to load decoder class {}: there are {}StringDecoder, "
                            "IntegerDecoder, LongDecoder and DefaultDecoder",
                            name, kPackage));
}

Result<std::string> contents_text(const record::RecordView& record, const Contents& contents) {
    switch (contents.are) {
        case Contents::Are::cluster_metadata: return metadata_text(record);
        case Contents::Are::remote_log_metadata: return remote_log_text(record);
        case Contents::Are::groups: return coordinator_text(record, Coordinator::group);
        case Contents::Are::transactions: return coordinator_text(record, Coordinator::transaction);
        case Contents::Are::share_groups: return coordinator_text(record, Coordinator::share);
        case Contents::Are::parts: break;
    }
    std::string text;
    if (record.key) {
        TRY(const auto key, part_text(*record.key, contents.key));
        text += " key: " + key;
    }
    if (record.value) {
        TRY(const auto value, part_text(*record.value, contents.value));
        text += " payload: " + value;
    }
    return text;
}

}  // namespace milena::cli
