// SPDX-License-Identifier: Apache-2.0
// Finding a batch at the front of some bytes, its checksum, and the few header fields that a leader
// writes in place.
#include "milena/record/batch.h"

#include <fmt/format.h>

#include "milena/base/crc32c.h"

namespace milena::record {
namespace {

constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kLeaderEpochAt = 12;
constexpr std::size_t kMagicAt = 16;
constexpr std::size_t kCrcAt = 17;
constexpr std::size_t kAttributesAt = 21;  // where the checksummed part begins
constexpr std::size_t kMaxTimestampAt = 35;
constexpr std::uint16_t kLogAppendTimeBit = 0x08;
/// Bits with a meaning, but for the timestamp type's.
constexpr std::uint16_t kKeptBits = 0x77;

}  // namespace

bool BatchView::check_crc() const {
    return crc32c(bytes_.subspan(kAttributesAt)) == crc();
}

Result<std::optional<std::size_t>> announced_size(BytesView bytes) {
    if (bytes.size() < kBatchLengthEnd) return std::nullopt;
    const auto length = load<std::int32_t>(bytes.data() + kLengthAt);
    if (length < static_cast<std::int32_t>(kBatchHeaderBytes - kBatchLengthEnd)) {
        return fail(ErrorCode::corrupt_message,
                    fmt::format("batch length {} is below a batch header's", length));
    }
    return kBatchLengthEnd + static_cast<std::size_t>(length);
}

Result<std::optional<BatchView>> first_batch(BytesView bytes) {
    TRY(const std::optional<std::size_t> size, announced_size(bytes));
    if (!size) return std::nullopt;
    // The magic is looked at as soon as it is there: what is not a batch must not make a reader
    // wait for more.
    if (bytes.size() > kMagicAt) {
        const auto magic = load<std::int8_t>(bytes.data() + kMagicAt);
        if (magic != kMagic) {
            return fail(ErrorCode::corrupt_message,
                        fmt::format("batch has magic {}, not 2", magic));
        }
    }
    if (bytes.size() < *size) return std::nullopt;
    return BatchView(bytes.first(*size));
}

void stamp(MutableBytes batch, Offset base_offset, LeaderEpoch leader_epoch) {
    INVARIANT(batch.size() >= kBatchHeaderBytes, "stamp needs a whole batch");
    store(batch.data(), base_offset.value);
    store(batch.data() + kLeaderEpochAt, leader_epoch.value);
}

void stamp_timestamps(MutableBytes batch, TimestampType type, Timestamp max_timestamp) {
    const BatchView view(batch);
    if (view.timestamp_type() == type && view.max_timestamp() == max_timestamp) return;
    const auto attributes = static_cast<std::uint16_t>(view.attributes());
    const std::uint16_t bit = type == TimestampType::log_append ? kLogAppendTimeBit : 0;
    store(batch.data() + kAttributesAt, static_cast<std::uint16_t>((attributes & kKeptBits) | bit));
    store(batch.data() + kMaxTimestampAt, max_timestamp.value);
    store(batch.data() + kCrcAt, crc32c(BytesView(batch).subspan(kAttributesAt)));
}

void stamp_log_append_time(MutableBytes batch, Timestamp now) {
    stamp_timestamps(batch, TimestampType::log_append, now);
}

}  // namespace milena::record
