// SPDX-License-Identifier: Apache-2.0
// Memory for the arrays of a message: taken by moving a pointer, given back all at once. An arena
// belongs to one request at a time; reset() makes it ready for the next without giving its first
// chunk back. Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>

#include "milena/base/bytes.h"

namespace milena::protocol {

class Arena {
public:
    /// What decoding may take from an arena unless its owner says otherwise. A frame that asks for
    /// more is malformed: an element takes at most about 100 bytes of memory for a byte of frame.
    static constexpr std::size_t kDecodedBytesMax = 64UZ << 20;
    /// Memory that reset() keeps.
    static constexpr std::size_t kKeptBytesMax = 64UZ << 10;

    /// `decoded_bytes_max` bounds what try_take hands out between two resets, that is, what a peer
    /// can make us take; what we build ourselves (make_array, copy) has the bounds of what it is
    /// built from.
    explicit Arena(std::size_t decoded_bytes_max = kDecodedBytesMax)
        : decoded_bytes_left_(decoded_bytes_max), decoded_bytes_max_(decoded_bytes_max) {}
    ~Arena() { free_chunks(nullptr); }
    Arena(Arena&& other) noexcept { swap(other); }
    Arena& operator=(Arena&& other) noexcept {
        swap(other);
        return *this;
    }

    /// Forgets everything that was made; views into the arena are dead from here on.
    void reset();

    /// `count` fresh elements, for a message that we build.
    template <class T>
    std::span<T> make_array(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
        T* const elements = static_cast<T*>(make_memory(count * sizeof(T), alignof(T)));
        std::uninitialized_value_construct_n(elements, count);
        return {elements, count};
    }
    /// One fresh element.
    template <class T>
    T& make() {
        return make_array<T>(1)[0];
    }
    /// Raw memory. The alignment is at most that of std::max_align_t.
    void* make_memory(std::size_t bytes, std::size_t alignment) {
        const auto at = (reinterpret_cast<std::uintptr_t>(at_) + alignment - 1) & ~(alignment - 1);
        if (at + bytes > reinterpret_cast<std::uintptr_t>(end_)) [[unlikely]]
            return take_from_new_chunk(bytes);
        at_ = reinterpret_cast<std::byte*>(at + bytes);
        bytes_used_ += bytes;
        return reinterpret_cast<void*>(at);
    }
    /// The same for a decoder: null when the bound of this arena is reached.
    void* try_take(std::size_t bytes, std::size_t alignment) {
        if (bytes > decoded_bytes_left_) [[unlikely]]
            return nullptr;
        decoded_bytes_left_ -= bytes;
        return make_memory(bytes, alignment);
    }

    /// A copy that lives as long as the arena's other contents.
    std::string_view copy(std::string_view text);
    BytesView copy(BytesView bytes);

    /// Bytes handed out since the last reset.
    std::size_t bytes_used() const { return bytes_used_; }

private:
    struct Chunk {
        Chunk* next;
        std::size_t size;  // of the memory that follows this header
    };

    void* take_from_new_chunk(std::size_t bytes);
    void free_chunks(Chunk* kept);
    void use(Chunk* chunk);
    void swap(Arena& other) noexcept;

    Chunk* chunks_ = nullptr;  // newest first
    std::byte* at_ = nullptr;
    std::byte* end_ = nullptr;
    std::size_t bytes_used_ = 0;
    std::size_t decoded_bytes_left_ = kDecodedBytesMax;
    std::size_t decoded_bytes_max_ = kDecodedBytesMax;
};

}  // namespace milena::protocol
