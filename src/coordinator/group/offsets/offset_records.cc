// SPDX-License-Identifier: Apache-2.0
// Keys by hand, since they are made and taken apart for each partition of each commit; values by
// their schema.
#include "offset_records.h"

#include "milena/base/invariant.h"
#include "milena/protocol/records/group.h"

namespace milena::coordinator {
namespace {

using protocol::OffsetCommitValue;

constexpr std::int16_t kVersion = 4;
constexpr std::int16_t kVersionWithExpiration = 1;

std::size_t text_size(std::string_view text) {
    return sizeof(std::int16_t) + text.size();
}

void write_text(ByteWriter& writer, std::string_view text) {
    INVARIANT(text.size() <= protocol::kStringBytesMax, "a name longer than a string may be");
    writer.write(static_cast<std::int16_t>(text.size()));
    writer.write_bytes(as_bytes(text));
}

std::string_view read_text(ByteReader& reader) {
    const auto length = reader.read<std::int16_t>();
    if (length < 0) reader.fail();
    return as_text(reader.read_bytes(length < 0 ? 0 : static_cast<std::size_t>(length)));
}

}  // namespace

std::vector<std::byte> offset_prefix(std::string_view group) {
    std::vector<std::byte> bytes(sizeof kOffsetType + text_size(group));
    ByteWriter writer(bytes);
    writer.write(kOffsetType);
    write_text(writer, group);
    return bytes;
}

std::vector<std::byte> offset_key(const OffsetKey& key) {
    std::vector<std::byte> bytes(sizeof kOffsetType + text_size(key.group) + text_size(key.topic) +
                                 sizeof(std::int32_t));
    ByteWriter writer(bytes);
    writer.write(kOffsetType);
    write_text(writer, key.group);
    write_text(writer, key.topic);
    writer.write(key.partition.value);
    return bytes;
}

Record offset_record(const OffsetKey& key, const OffsetValue& value) {
    OffsetCommitValue written;
    written.offset = value.offset.value;
    written.leader_epoch = value.leader_epoch.value;
    written.metadata = value.metadata;
    written.commit_timestamp = value.commit_ms;
    written.expire_timestamp = value.expire_ms;
    written.topic_id = value.topic_id;
    const std::int16_t version = value.expire_ms < 0 ? kVersion : kVersionWithExpiration;
    Record record{.key = offset_key(key), .value = std::vector<std::byte>(sizeof version)};
    store(record.value->data(), version);
    const auto appended = protocol::append(written, version, *record.value);
    INVARIANT(appended.has_value(), "an offset that can't be written");
    return record;
}

Record offset_tombstone(const OffsetKey& key) {
    return {.key = offset_key(key), .value = {}};
}

Result<OffsetKey> read_offset_key(BytesView key) {
    ByteReader reader(key);
    const auto type = reader.read<std::int16_t>();
    OffsetKey read;
    read.group = read_text(reader);
    read.topic = read_text(reader);
    read.partition = PartitionIndex(reader.read<std::int32_t>());
    if (!reader.ok() || !is_offset_type(type))
        return fail(ErrorCode::corrupt_message, "this is no key of an offset");
    return read;
}

Result<OffsetValue> read_offset_value(BytesView value, protocol::Arena& arena) {
    TRY(const auto read, decode_after_number<OffsetCommitValue>(value, arena));
    return OffsetValue{.offset = Offset(read.offset),
                       .leader_epoch = LeaderEpoch(read.leader_epoch),
                       .metadata = read.metadata,
                       .commit_ms = read.commit_timestamp,
                       .expire_ms = read.expire_timestamp,
                       .topic_id = read.topic_id};
}

Result<Offset> read_committed_offset(BytesView value) {
    protocol::Arena arena;
    TRY(const auto read, read_offset_value(value, arena));
    return read.offset;
}

}  // namespace milena::coordinator
