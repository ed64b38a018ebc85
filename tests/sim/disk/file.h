// SPDX-License-Identifier: Apache-2.0
// The open file of the simulated disk.
#pragma once

#include "sim/disk/files.h"

namespace milena::sim {

/// An open file of a simulated node; dead once the process that opened it has ended.
class SimFile final : public env::File {
public:
    SimFile(SimFileSystem& files, std::string path, std::shared_ptr<Inode> inode, bool is_writable);

    const std::string& path() const override { return path_; }
    Result<std::size_t> read_at(std::uint64_t position, MutableBytes into) const override;
    Result<void> write_at(std::uint64_t position, std::span<const BytesView> pieces) override;
    using File::write_at;
    Result<void> truncate(std::uint64_t size) override;
    Result<std::uint64_t> size() const override;
    Result<void> sync() override;
    void start_writeback(std::uint64_t, std::uint64_t) override {}
    bool is_cached(std::uint64_t) const override { return true; }

private:
    bool is_open() const { return life_ == files_.life_; }
    Result<void> admit(std::string_view call, bool writes) const;
    std::unexpected<Error> failed(std::string_view call, int error_number) const;

    SimFileSystem& files_;
    std::string path_;
    std::shared_ptr<Inode> inode_;
    bool is_writable_;
    std::uint64_t life_;
};

}  // namespace milena::sim
