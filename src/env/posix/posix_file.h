// SPDX-License-Identifier: Apache-2.0
// An open file of the operating system, whose descriptor the cache keeps open or opens when it is
// needed. The network needs to know it for sendfile, nobody else does.
#pragma once

#include "milena/env/files.h"
#include "posix/descriptor_cache.h"

namespace milena::env {

class PosixFile final : public File {
public:
    /// `file` is one that `cache` has opened.
    PosixFile(DescriptorCache& cache, std::shared_ptr<CachedFile> file)
        : cache_(cache), file_(std::move(file)) {}
    ~PosixFile() override { cache_.forget(*file_); }

    /// Its descriptor for as long as the lease lives.
    Result<DescriptorLease> lease() const { return cache_.lease(*file_); }
    /// Descriptors are scarce: who waits gives his lease back meanwhile.
    bool should_lend() const { return cache_.is_full(); }

    const std::string& path() const override { return file_->path(); }
    Result<std::size_t> read_at(std::uint64_t position, MutableBytes into) const override;
    Result<void> write_at(std::uint64_t position, std::span<const BytesView> pieces) override;
    using File::write_at;
    Result<void> truncate(std::uint64_t size) override;
    Result<std::uint64_t> size() const override;
    Result<void> sync() override;
    void start_writeback(std::uint64_t position, std::uint64_t length) override;
    bool is_cached(std::uint64_t position) const override;

private:
    Result<DescriptorLease> lease_for_writing();
    std::unexpected<Error> failed(std::string_view call) const {
        return std::unexpected<Error>(storage_error(call, path(), errno));
    }

    DescriptorCache& cache_;
    const std::shared_ptr<CachedFile> file_;
};

}  // namespace milena::env
