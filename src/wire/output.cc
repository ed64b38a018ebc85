// SPDX-License-Identifier: Apache-2.0
// The buffer behind an answer, and the files between its bytes.
#include "milena/wire/output.h"

#include <algorithm>

namespace milena::wire {
namespace {

/// An output that grew beyond this gives its memory back when it was sent.
constexpr std::size_t kKeptBytesMax = 64 * 1024;
constexpr std::size_t kFirstBytes = 512;

}  // namespace

MutableBytes Output::extend(std::size_t count) {
    if (capacity_ - size_ < count) {
        const std::size_t capacity = std::max({capacity_ * 2, size_ + count, kFirstBytes});
        auto bytes = std::make_unique_for_overwrite<std::byte[]>(capacity);
        std::copy_n(bytes_.get(), size_, bytes.get());
        bytes_ = std::move(bytes);
        capacity_ = capacity;
    }
    const MutableBytes region(bytes_.get() + size_, count);
    size_ += count;
    return region;
}

void Output::add_file(std::shared_ptr<const env::File> file, std::uint64_t position,
                      std::uint64_t length) {
    add_file_at(size_, std::move(file), position, length);
}

void Output::add_file_at(std::size_t at, std::shared_ptr<const env::File> file,
                         std::uint64_t position, std::uint64_t length) {
    INVARIANT(at <= size_ && (files_.empty() || files_.back().position <= at),
              "file ranges out of order");
    files_.push_back({at, std::move(file), position, length});
}

void Output::clear() {
    size_ = 0;
    files_.clear();
    if (capacity_ > kKeptBytesMax) {
        bytes_.reset();
        capacity_ = 0;
    }
}

}  // namespace milena::wire
