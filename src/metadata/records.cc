// SPDX-License-Identifier: Apache-2.0
// The frame around a record, and which record versions a metadata.version allows.
#include "milena/metadata/records.h"

#include <fmt/format.h>

namespace milena::metadata {

static constexpr std::uint32_t kFrameVersion = 1;

Result<FramedRecord> read_frame(BytesView value) {
    ByteReader reader(value);
    const std::uint32_t frame_version = reader.read_unsigned_varint();
    const std::uint32_t type = reader.read_unsigned_varint();
    const std::uint32_t version = reader.read_unsigned_varint();
    if (!reader.ok() || frame_version != kFrameVersion || type > INT16_MAX || version > INT16_MAX) {
        return fail(ErrorCode::corrupt_message,
                    fmt::format("metadata record of {} bytes has no valid frame", value.size()));
    }
    return FramedRecord{static_cast<std::int16_t>(type), static_cast<std::int16_t>(version),
                        value.subspan(reader.position())};
}

void append_frame(std::vector<std::byte>& value, std::int16_t type, std::int16_t version) {
    const auto number = [](std::int16_t n) { return static_cast<std::uint64_t>(n); };
    const std::size_t before = value.size();
    value.resize(before + unsigned_varint_size(kFrameVersion) + unsigned_varint_size(number(type)) +
                 unsigned_varint_size(number(version)));
    ByteWriter writer(MutableBytes(value).subspan(before));
    writer.write_unsigned_varint(kFrameVersion);
    writer.write_unsigned_varint(number(type));
    writer.write_unsigned_varint(number(version));
}

RecordVersions::RecordVersions(std::int16_t level)
    : register_broker(level >= 30   ? 4
                      : level >= 17 ? 3
                      : level >= 8  ? 2
                                    : 1),
      partition(level >= 23   ? 2
                : level >= 17 ? 1
                              : 0),
      partition_change(partition),
      transactions(level >= 13),
      controller_registration(level >= 15),
      log_directories(level >= 17),
      eligible_leader_replicas(level >= 23),
      cordoned_log_directories(level >= 30),
      controller_unregistration(level >= 33) {}

std::vector<std::int32_t> numbers(std::span<const BrokerId> brokers) {
    std::vector<std::int32_t> result;
    result.reserve(brokers.size());
    for (const BrokerId broker : brokers) result.push_back(broker.value);
    return result;
}

std::vector<BrokerId> broker_ids(protocol::Array<std::int32_t> numbers) {
    std::vector<BrokerId> result;
    result.reserve(numbers.size());
    for (const std::int32_t number : numbers) result.emplace_back(number);
    return result;
}

}  // namespace milena::metadata
