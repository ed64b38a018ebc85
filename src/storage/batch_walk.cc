// SPDX-License-Identifier: Apache-2.0
// Walking over batches in a file, by headers or whole.
#include "batch_walk.h"

#include <fmt/format.h>
#include <zlib.h>

#include "milena/base/crc32c.h"

namespace milena::storage {
namespace {

constexpr std::size_t kMagicEnd = 17;
/// A batch that begins behind it might have no next offset.
constexpr std::int64_t kBaseOffsetMax = INT64_MAX - INT32_MAX - 1;

std::unexpected<Error> bad_batch(const env::File& file, std::uint64_t position,
                                 std::string_view why) {
    return fail(ErrorCode::corrupt_message,
                fmt::format("{} at {}: {}", file.path(), position, why));
}

/// Size of the batch whose first bytes are `head`, of which kMagicEnd at least must be there.
Result<std::size_t> batch_size(const env::File& file, std::uint64_t position, BytesView head) {
    if (head.size() < kMagicEnd)
        return bad_batch(file, position, "the file ends inside a batch header");
    const auto magic = load<std::int8_t>(head.data() + kMagicEnd - 1);
    if (magic != record::kMagic) return bad_batch(file, position, fmt::format("magic {}", magic));
    if (load<std::int64_t>(head.data()) > kBaseOffsetMax)
        return bad_batch(file, position, "its offsets are beyond any log's");
    auto size = record::announced_size(head);
    if (!size) return bad_batch(file, position, size.error().why);
    return **size;
}

}  // namespace

Result<std::optional<FoundBatch>> HeaderWalk::next() {
    if (next_ >= end_) return std::nullopt;
    const std::uint64_t left = end_ - next_;
    const std::size_t wanted = std::min<std::uint64_t>(left, record::kBatchHeaderBytes);
    if (next_ < buffer_at_ || next_ + wanted > buffer_at_ + buffered_) {
        const MutableBytes into =
            MutableBytes(buffer_).first(std::min<std::uint64_t>(left, kBufferBytes));
        TRY(buffered_, file_.read_at(next_, into));
        buffer_at_ = next_;
    }
    const std::size_t skip = next_ - buffer_at_;
    const BytesView head = BytesView(buffer_).first(buffered_).subspan(std::min(skip, buffered_));
    TRY(const std::size_t size, batch_size(file_, next_, head));
    if (size > left || head.size() < record::kBatchHeaderBytes) {
        return bad_batch(file_, next_,
                         fmt::format("a batch of {} bytes, with {} left", size, left));
    }
    const FoundBatch found{next_, size, record::BatchView(head.first(record::kBatchHeaderBytes))};
    next_ += size;
    return found;
}

Result<void> CheckedWalk::fill(std::size_t wanted) {
    if (buffered() >= wanted || read_ == end_) return ok();
    if (buffer_.empty()) buffer_.resize(kBufferBytes);
    std::memmove(buffer_.data(), buffer_.data() + at_, buffered());
    filled_ = buffered();
    at_ = 0;
    const std::size_t free = buffer_.size() - filled_;
    const MutableBytes into =
        MutableBytes(buffer_).subspan(filled_, std::min<std::uint64_t>(free, end_ - read_));
    TRY(const std::size_t count, file_.read_at(read_, into));
    if (count < into.size()) return bad_batch(file_, read_, "the file is shorter than it was");
    filled_ += count;
    read_ += count;
    return ok();
}

Result<std::uint32_t> CheckedWalk::consume_crc(std::uint64_t size) {
    std::uint32_t crc = 0;
    while (size > 0) {
        TRY_VOID(fill(1));
        const std::size_t count = std::min<std::uint64_t>(size, buffered());
        crc = crc32c(BytesView(buffer_).subspan(at_, count), crc);
        at_ += count;
        size -= count;
    }
    return crc;
}

Result<std::optional<FoundBatch>> CheckedWalk::next() {
    TRY_VOID(fill(record::kBatchHeaderBytes));
    const std::uint64_t begin = position();
    if (begin == end_) return std::nullopt;
    const BytesView head = BytesView(buffer_).subspan(at_, buffered());
    TRY(const std::size_t size, batch_size(file_, begin, head));
    if (size > end_ - begin || head.size() < record::kBatchHeaderBytes) {
        return bad_batch(file_, begin,
                         fmt::format("a batch of {} bytes, with {} left", size, end_ - begin));
    }
    constexpr std::size_t kChecksummedAt = 21;
    std::ranges::copy(head.first(record::kBatchHeaderBytes), header_.begin());
    at_ += kChecksummedAt;
    TRY(const std::uint32_t crc, consume_crc(size - kChecksummedAt));
    const record::BatchView view(header_);
    if (crc != view.crc()) return bad_batch(file_, begin, "its checksum does not match");
    return FoundBatch{begin, size, view};
}

Result<record::BatchView> read_batch(const env::File& file, const FoundBatch& found,
                                     std::vector<std::byte>& memory) {
    if (memory.size() < found.size) memory.resize(found.size);
    const MutableBytes bytes = MutableBytes(memory).first(found.size);
    TRY(const std::size_t count, file.read_at(found.position, bytes));
    if (count != found.size)
        return bad_batch(file, found.position, "the file is shorter than it was");
    TRY(const auto batch, record::first_batch(bytes));
    if (!batch || batch->size() != found.size)
        return bad_batch(file, found.position, "the batch has changed");
    return *batch;
}

Result<bool> is_legacy_entry(const env::File& file, std::uint64_t position, std::uint64_t end) {
    constexpr std::size_t kLengthEnd = 12;
    constexpr std::size_t kChecksummedAt = 16;
    constexpr std::int32_t kLengthMin = 14;
    std::array<std::byte, kMagicEnd> head;
    TRY(const std::size_t count, file.read_at(position, head));
    const auto length = load<std::int32_t>(head.data() + 8);
    const auto magic = load<std::int8_t>(head.data() + kMagicEnd - 1);
    if (count < head.size() || magic < 0 || magic > 1 || length < kLengthMin) return false;
    if (static_cast<std::uint64_t>(length) + kLengthEnd > end - position) return false;
    std::vector<std::byte> checksummed(kLengthEnd + static_cast<std::size_t>(length) -
                                       kChecksummedAt);
    TRY(const std::size_t read, file.read_at(position + kChecksummedAt, checksummed));
    if (read < checksummed.size()) return false;
    const auto* const bytes = reinterpret_cast<const Bytef*>(checksummed.data());
    return crc32_z(0, bytes, checksummed.size()) == load<std::uint32_t>(head.data() + kLengthEnd);
}

}  // namespace milena::storage
