// SPDX-License-Identifier: Apache-2.0
// Sanitizers have a hook for it; elsewhere this program's own malloc stands in front of the C
// library's.
#include "allocations.h"

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MILENA_SANITIZED_HEAP 1
#endif
#endif

namespace {
thread_local std::uint64_t count = 0;
}

#ifdef MILENA_SANITIZED_HEAP
#include <sanitizer/allocator_interface.h>

namespace {
const int hooked = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++count; }, [](const volatile void*) {});
}  // namespace
#else
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
    ++count;
    return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    ++count;
    return __libc_memalign(alignment, size);
}
}
#endif

namespace milena::env {

std::uint64_t allocations_of_this_thread() {
    return count;
}

}  // namespace milena::env
