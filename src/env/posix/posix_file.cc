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

std::unexpected<Error> failed(std::string_view call, const std::string& path) {
    return std::unexpected<Error>(storage_error(call, path, errno));
}

}  // namespace

Descriptor::~Descriptor() {
    if (number_ >= 0) ::close(number_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    if (this != &other) {
        if (number_ >= 0) ::close(number_);
        number_ = other.release();
    }
    return *this;
}

int Descriptor::release() {
    return std::exchange(number_, -1);
}

Result<std::size_t> PosixFile::read_at(std::uint64_t position, MutableBytes into) const {
    std::size_t done = 0;
    while (done < into.size()) {
        const ssize_t count = uninterrupted([&] {
            return ::pread(descriptor(), into.data() + done, into.size() - done,
                           static_cast<off_t>(position + done));
        });
        if (count < 0) return failed("pread", path_);
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

Result<void> PosixFile::write_at(std::uint64_t position, std::span<const BytesView> pieces) {
    IoPieces left(pieces);
    while (!left.empty()) {
        const auto next = left.next();
        const ssize_t count = uninterrupted([&] {
            return ::pwritev(descriptor(), next.data(), static_cast<int>(next.size()),
                             static_cast<off_t>(position));
        });
        if (count < 0) return failed("pwritev", path_);
        left.advance(static_cast<std::size_t>(count));
        position += static_cast<std::size_t>(count);
    }
    return ok();
}

Result<void> PosixFile::truncate(std::uint64_t size) {
    if (uninterrupted([&] { return ::ftruncate(descriptor(), static_cast<off_t>(size)); }) < 0) {
        return failed("ftruncate", path_);
    }
    return ok();
}

Result<std::uint64_t> PosixFile::size() const {
    struct ::stat status{};
    if (::fstat(descriptor(), &status) < 0) return failed("fstat", path_);
    return static_cast<std::uint64_t>(status.st_size);
}

Result<void> PosixFile::sync() {
    // EINTR is no exception: the second call would report what is left, not what the first lost.
    if (::fdatasync(descriptor()) < 0) return failed("fdatasync", path_);
    return ok();
}

void PosixFile::start_writeback(std::uint64_t position, std::uint64_t length) {
    // A hint: what goes wrong here comes back from sync().
    ::sync_file_range(descriptor(), static_cast<off_t>(position), static_cast<off_t>(length),
                      SYNC_FILE_RANGE_WRITE);
}

bool PosixFile::is_cached(std::uint64_t position) const {
    std::byte byte{};
    ::iovec piece{&byte, 1};
    const ssize_t count =
        ::preadv2(descriptor(), &piece, 1, static_cast<off_t>(position), RWF_NOWAIT);
    return count >= 0 || errno != EAGAIN;
}

}  // namespace milena::env
