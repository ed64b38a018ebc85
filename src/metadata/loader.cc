// SPDX-License-Identifier: Apache-2.0
// One delta at a time on the newest whole image; a transaction keeps its own until it ends.
#include "milena/metadata/loader.h"

#include <fmt/format.h>

#include "milena/protocol/records/metadata.h"

namespace milena::metadata {

Loader::Loader(std::shared_ptr<const Image> image, bool in_transaction)
    : published_(std::move(image)),
      current_(published_),
      end_(published_->provenance),
      in_transaction_(in_transaction) {
    if (in_transaction_) delta_.emplace(current_);
}

Result<void> Loader::apply(std::span<const BytesView> values, const Provenance& end) {
    for (std::size_t index = 0; index < values.size(); ++index) {
        const Offset offset =
            end.last_offset.next() + -static_cast<std::int64_t>(values.size() - index);
        if (const Result<void> applied = apply_record(values[index], offset, end); !applied) {
            return fail_at(fmt::format("metadata record at offset {}", offset), applied.error());
        }
    }
    if (!in_transaction_) end_ = end;
    return ok();
}

Result<void> Loader::apply_record(BytesView value, Offset offset, const Provenance& end) {
    TRY(const FramedRecord framed, read_frame(value));
    switch (framed.type) {
        case protocol::BeginTransactionRecord::kKey: return begin_transaction(offset, end);
        case protocol::EndTransactionRecord::kKey: return end_transaction(true);
        case protocol::AbortTransactionRecord::kKey: return end_transaction(false);
        default: break;
    }
    if (!delta_) delta_.emplace(current_);
    return delta_->apply(value);
}

void Loader::settle() {
    if (!delta_) return;
    changes_.add(delta_->changes());
    current_ = std::move(*delta_).finish(end_);
    delta_.reset();
}

Result<void> Loader::begin_transaction(Offset offset, const Provenance& end) {
    if (in_transaction_)
        return fail(ErrorCode::invalid_record, "a transaction begins inside another");
    // What came before it in the same batch is whole, and shows.
    if (offset.value - 1 > end_.last_offset.value)
        end_ = {Offset(offset.value - 1), end.last_epoch, end.timestamp_ms};
    settle();
    delta_.emplace(current_);
    in_transaction_ = true;
    return ok();
}

Result<void> Loader::end_transaction(bool keep) {
    if (!in_transaction_)
        return fail(ErrorCode::invalid_record, "a transaction ends that has not begun");
    in_transaction_ = false;
    if (keep) settle();
    delta_.reset();
    return ok();
}

Result<void> Loader::load_snapshot(std::span<const BytesView> values, const Provenance& end) {
    delta_.emplace(Image::empty());
    in_transaction_ = false;
    TRY_VOID(apply(values, end));
    current_ = std::move(*delta_).finish(end);
    delta_.reset();
    changes_ = difference(*published_, *current_);
    return ok();
}

std::optional<Update> Loader::take() {
    if (!in_transaction_) settle();
    if (end_ == published_->provenance && changes_.empty()) return std::nullopt;
    if (current_->provenance != end_) {
        auto moved = std::make_shared<Image>(*current_);
        moved->provenance = end_;
        current_ = std::move(moved);
    }
    Update update{published_, current_, std::exchange(changes_, {})};
    published_ = current_;
    return update;
}

}  // namespace milena::metadata
