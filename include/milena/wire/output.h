// SPDX-License-Identifier: Apache-2.0
// What is to be sent: bytes that were encoded, with ranges of files between them that go out by
// sendfile.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "milena/base/bytes.h"
#include "milena/env/files.h"

namespace milena::wire {

/// Bytes of a file that are sent after the first `position` bytes of the output they belong to.
struct FileSlice {
    std::size_t position = 0;
    std::shared_ptr<const env::File> file;
    std::uint64_t file_position = 0;
    std::uint64_t length = 0;
};

/// One frame or more, in order. Kept and reused: clear() frees no memory but what a rare large
/// answer took.
class Output {
public:
    /// `count` bytes at the end, to be written by the caller before anything else happens to this.
    MutableBytes extend(std::size_t count);
    /// The range goes out after the bytes that are there now.
    void add_file(std::shared_ptr<const env::File> file, std::uint64_t position,
                  std::uint64_t length);
    /// The range goes out after the first `at` bytes; ranges come in the order of `at`.
    void add_file_at(std::size_t at, std::shared_ptr<const env::File> file, std::uint64_t position,
                     std::uint64_t length);

    BytesView bytes() const { return {bytes_.get(), size_}; }
    const std::vector<FileSlice>& files() const { return files_; }
    bool empty() const { return size_ == 0; }
    void clear();

private:
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    std::vector<FileSlice> files_;
};

}  // namespace milena::wire
