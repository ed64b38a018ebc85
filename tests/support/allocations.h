// SPDX-License-Identifier: Apache-2.0
// How often memory is taken: what a piece of work costs, whatever the machine is doing besides.
// Only under a sanitizer, whose hooks tell of every allocation.
#pragma once

#include <cstddef>

extern "C" {
// Of the sanitizers' runtime (sanitizer/allocator_interface.h); not there in other builds.
[[gnu::weak]] int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void*, std::size_t),
    void (*free_hook)(const volatile void*));
}

namespace milena::support {

/// Of the thread that asks.
class Allocations {
public:
    /// False if nobody tells.
    static bool can_be_counted() {
        static const bool installed = __sanitizer_install_malloc_and_free_hooks != nullptr &&
                                      __sanitizer_install_malloc_and_free_hooks(&note, &ignore) > 0;
        return installed;
    }

    template <class Work>
    static std::size_t of(const Work& work) {
        const std::size_t before = count_;
        work();
        return count_ - before;
    }

private:
    static void note(const volatile void*, std::size_t) { ++count_; }
    static void ignore(const volatile void*) {}

    static inline thread_local std::size_t count_ = 0;
};

}  // namespace milena::support
