// SPDX-License-Identifier: Apache-2.0
// An open file of the operating system. The network needs to know its descriptor for sendfile,
// nobody else does.
#pragma once

#include "milena/env/files.h"

namespace milena::env {

/// Owns one descriptor.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;

    int number() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }
    /// Gives the descriptor up to the caller.
    int release();

private:
    int number_ = -1;
};

class PosixFile final : public File {
public:
    PosixFile(std::string path, Descriptor descriptor)
        : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

    int descriptor() const { return descriptor_.number(); }

    const std::string& path() const override { return path_; }
    Result<std::size_t> read_at(std::uint64_t position, MutableBytes into) const override;
    Result<void> write_at(std::uint64_t position, std::span<const BytesView> pieces) override;
    using File::write_at;
    Result<void> truncate(std::uint64_t size) override;
    Result<std::uint64_t> size() const override;
    Result<void> sync() override;
    void start_writeback(std::uint64_t position, std::uint64_t length) override;
    bool is_cached(std::uint64_t position) const override;

private:
    std::string path_;
    Descriptor descriptor_;
};

}  // namespace milena::env
