// SPDX-License-Identifier: Apache-2.0
// A call that fails may have done a part of its work; that part is drawn.
#include "sim/disk/file.h"

#include <algorithm>

namespace milena::sim {

SimFile::SimFile(SimFileSystem& files, std::string path, std::shared_ptr<Inode> inode,
                 bool is_writable)
    : files_(files),
      path_(std::move(path)),
      inode_(std::move(inode)),
      is_writable_(is_writable),
      life_(files.life_) {}

std::unexpected<Error> SimFile::failed(std::string_view call, int error_number) const {
    return std::unexpected<Error>(env::storage_error(call, path_, error_number));
}

Result<void> SimFile::admit(std::string_view call, bool writes) const {
    if (!is_open() || (writes && !is_writable_)) return failed(call, EBADF);
    return files_.admit(call, path_);
}

Result<std::size_t> SimFile::read_at(std::uint64_t position, MutableBytes into) const {
    TRY_VOID(admit("pread", false));
    const FileBytes& bytes = inode_->content.visible();
    if (position >= bytes.size()) return 0;
    const std::size_t count = std::min(into.size(), bytes.size() - position);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(position), count, into.begin());
    return count;
}

Result<void> SimFile::write_at(std::uint64_t position, std::span<const BytesView> pieces) {
    FileBytes together;
    for (const BytesView piece : pieces)
        together.insert(together.end(), piece.begin(), piece.end());
    files_.trace_.fold(position);
    files_.trace_.fold(together);
    const bool had_power = !files_.faults_.power_is_lost();
    if (Result<void> admitted = admit("pwritev", true); !admitted) {
        // A write that fails may have come a part of its way.
        if (is_open() && is_writable_ && had_power)
            files_.disk_.write_part(*inode_, position, together);
        return admitted;
    }

    // A full disk takes what fits before it fails.
    std::uint64_t fits = together.size();
    if (files_.disk_.has_capacity()) {
        const std::uint64_t end =
            std::max<std::uint64_t>(inode_->content.visible().size(), position);
        fits = std::min(fits, end - position + files_.disk_.free_bytes());
    }
    inode_->content.write(position, BytesView(together).first(fits));
    if (fits < together.size()) return failed("pwritev", ENOSPC);
    return ok();
}

Result<void> SimFile::truncate(std::uint64_t size) {
    TRY_VOID(admit("ftruncate", true));
    files_.trace_.fold(size);
    inode_->content.truncate(size);
    return ok();
}

Result<std::uint64_t> SimFile::size() const {
    TRY_VOID(admit("fstat", false));
    return inode_->content.visible().size();
}

Result<void> SimFile::sync() {
    const bool had_power = !files_.faults_.power_is_lost();
    Result<void> admitted = admit("fdatasync", false);
    if (admitted && files_.faults_.syncs_fail()) admitted = failed("fdatasync", EIO);
    if (admitted) {
        inode_->content.sync();
    } else if (is_open() && had_power) {
        files_.disk_.fail_sync(*inode_);
    }
    return admitted;
}

}  // namespace milena::sim
