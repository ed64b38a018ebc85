// SPDX-License-Identifier: Apache-2.0
// A buffer that grows only to a length that the file has.
#include "cleaner/batch_reader.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace milena::storage {

std::unexpected<Error> BatchReader::bad(std::string_view why) const {
    return fail(ErrorCode::corrupt_message,
                fmt::format("{} at {}: {}", file_->path(), read_ - buffered(), why));
}

/// As much as `wanted` in the buffer, or all that is left.
Result<void> BatchReader::fill(std::size_t wanted) {
    if (buffered() >= wanted || read_ == end_) return ok();
    const std::uint64_t most = end_ - read_ + buffered();
    const std::size_t size =
        std::min<std::uint64_t>(std::max<std::uint64_t>(wanted, read_bytes_), most);
    if (at_ > 0) std::memmove(buffer_.data(), buffer_.data() + at_, buffered());
    filled_ = buffered();
    at_ = 0;
    if (buffer_.size() < size) buffer_.resize(size);
    const MutableBytes into = MutableBytes(buffer_).subspan(filled_, size - filled_);
    TRY(const std::size_t count, file_->read_at(read_, into));
    if (count < into.size()) return bad("the file is shorter than it was");
    filled_ += count;
    read_ += count;
    return ok();
}

Result<std::optional<record::BatchView>> BatchReader::next() {
    TRY_VOID(fill(record::kBatchHeaderBytes));
    if (buffered() == 0) return std::nullopt;
    const auto size = record::announced_size(BytesView(buffer_).subspan(at_, buffered()));
    if (!size) return bad(size.error().why);
    if (!*size || **size > end_ - read_ + buffered()) return bad("a batch is cut off");
    TRY_VOID(fill(**size));
    const auto batch = record::first_batch(BytesView(buffer_).subspan(at_, buffered()));
    if (!batch) return bad(batch.error().why);
    if (!*batch || (*batch)->last_offset_delta() < 0) return bad("it is no whole batch");
    if (!(*batch)->check_crc()) return bad("its checksum does not match");
    at_ += (*batch)->size();
    return **batch;
}

}  // namespace milena::storage
