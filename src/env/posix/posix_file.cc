// SPDX-License-Identifier: Apache-2.0
// Reads and writes go on where the system stopped early, and repeat what a signal interrupted.
#include "posix/posix_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cerrno>
#include <utility>

#include "io_pieces.h"

namespace milena::env {
namespace {

/// Repeats a call that a signal interrupted.
template <class Call>
auto uninterrupted(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

}  // namespace

/// Who writes to a file that has lost something is told so: nobody else may have asked.
Result<DescriptorLease> PosixFile::lease_for_writing() {
    if (file_->has_lost()) return std::unexpected(file_->loss());
    return lease();
}

Result<std::size_t> PosixFile::read_at(std::uint64_t position, MutableBytes into) const {
    TRY(const auto open, lease());
    std::size_t done = 0;
    while (done < into.size()) {
        const ssize_t count = uninterrupted([&] {
            return ::pread(open.number(), into.data() + done, into.size() - done,
                           static_cast<off_t>(position + done));
        });
        if (count < 0) return failed("pread");
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

Result<void> PosixFile::write_at(std::uint64_t position, std::span<const BytesView> pieces) {
    TRY(const auto open, lease_for_writing());
    IoPieces left(pieces);
    while (!left.empty()) {
        const auto next = left.next();
        const ssize_t count = uninterrupted([&] {
            return ::pwritev(open.number(), next.data(), static_cast<int>(next.size()),
                             static_cast<off_t>(position));
        });
        if (count < 0) return failed("pwritev");
        file_->note_written();
        left.advance(static_cast<std::size_t>(count));
        position += static_cast<std::size_t>(count);
    }
    return ok();
}

Result<void> PosixFile::truncate(std::uint64_t size) {
    const auto open = lease_for_writing();
    if (!open) {
        // A write that got no descriptor has written nothing, so that nothing needs to be cut.
        if (!file_->has_lost() && cache_.size_by_name(*file_) == size) return ok();
        return std::unexpected(open.error());
    }
    if (uninterrupted([&] { return ::ftruncate(open->number(), static_cast<off_t>(size)); }) < 0)
        return failed("ftruncate");
    file_->note_written();
    return ok();
}

Result<std::uint64_t> PosixFile::size() const {
    TRY(const auto open, lease());
    struct ::stat status{};
    if (::fstat(open.number(), &status) < 0) return failed("fstat");
    return static_cast<std::uint64_t>(status.st_size);
}

Result<void> PosixFile::sync() {
    // Others may have written through another handle, so a closed file is synced too.
    TRY(const auto open, lease_for_writing());
    return file_->sync();
}

void PosixFile::start_writeback(std::uint64_t position, std::uint64_t length) {
    // A hint: what goes wrong here comes back from sync(). A closed file was synced before.
    if (!file_->take_lease()) return;
    const DescriptorLease open(*file_);
    ::sync_file_range(open.number(), static_cast<off_t>(position), static_cast<off_t>(length),
                      SYNC_FILE_RANGE_WRITE);
}

bool PosixFile::is_cached(std::uint64_t position) const {
    const auto open = lease();
    if (!open) return true;  // the read that follows tells what is wrong
    std::byte byte{};
    ::iovec piece{&byte, 1};
    const ssize_t count =
        ::preadv2(open->number(), &piece, 1, static_cast<off_t>(position), RWF_NOWAIT);
    return count >= 0 || errno != EAGAIN;
}

}  // namespace milena::env
