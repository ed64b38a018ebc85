// SPDX-License-Identifier: Apache-2.0
// Only segments that can't be written: their pages are as the file has them, so nothing is lost.
#include "startup_pages.h"

#include <cstdint>

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace milena::cli {
namespace {

int forget_segments(dl_phdr_info* program, std::size_t, void*) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (int i = 0; i < program->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = program->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
        // Whole pages of it: a neighbour may have the rest of the first and of the last.
        const std::uintptr_t begin = program->dlpi_addr + segment.p_vaddr + page - 1;
        const std::uintptr_t first = begin - begin % page;
        const std::uintptr_t end = program->dlpi_addr + segment.p_vaddr + segment.p_filesz;
        const std::uintptr_t last = end - end % page;
        if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    }
    return 1;  // the first is the program itself
}

}  // namespace

void forget_startup_pages() {
    ::dl_iterate_phdr(&forget_segments, nullptr);
}

}  // namespace milena::cli
