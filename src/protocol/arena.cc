// SPDX-License-Identifier: Apache-2.0
// Chunks: where an arena takes its memory from and what it keeps of it.
#include "milena/protocol/arena.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace milena::protocol {

namespace {
constexpr std::size_t kFirstChunkBytes = 4096;
constexpr std::size_t kChunkBytesMax = 1UZ << 20;
}  // namespace

void Arena::use(Chunk* chunk) {
    at_ = reinterpret_cast<std::byte*>(chunk + 1);
    end_ = at_ + chunk->size;
}

void* Arena::take_from_new_chunk(std::size_t bytes) {
    static_assert(sizeof(Chunk) % alignof(std::max_align_t) == 0, "chunks begin aligned");
    const std::size_t doubled =
        chunks_ ? std::min(chunks_->size * 2, kChunkBytesMax) : kFirstChunkBytes;
    const std::size_t size = std::max(doubled, bytes);
    void* const memory = ::operator new(sizeof(Chunk) + size);
    chunks_ = ::new (memory) Chunk{.next = chunks_, .size = size};
    use(chunks_);
    void* const here = at_;
    at_ += bytes;
    bytes_used_ += bytes;
    return here;
}

void Arena::free_chunks(Chunk* kept) {
    while (chunks_ != nullptr) {
        Chunk* const chunk = std::exchange(chunks_, chunks_->next);
        if (chunk != kept) ::operator delete(chunk);
    }
    chunks_ = kept;
    at_ = end_ = nullptr;
    if (kept != nullptr) {
        kept->next = nullptr;
        use(kept);
    }
}

void Arena::reset() {
    Chunk* largest = nullptr;
    for (Chunk* chunk = chunks_; chunk != nullptr; chunk = chunk->next) {
        if (chunk->size <= kKeptBytesMax && (largest == nullptr || chunk->size > largest->size))
            largest = chunk;
    }
    free_chunks(largest);
    bytes_used_ = 0;
    decoded_bytes_left_ = decoded_bytes_max_;
}

std::string_view Arena::copy(std::string_view text) {
    return as_text(copy(milena::as_bytes(text)));
}

BytesView Arena::copy(BytesView bytes) {
    const std::span<std::byte> target = make_array<std::byte>(bytes.size());
    if (!bytes.empty()) std::memcpy(target.data(), bytes.data(), bytes.size());
    return target;
}

void Arena::swap(Arena& other) noexcept {
    std::swap(chunks_, other.chunks_);
    std::swap(at_, other.at_);
    std::swap(end_, other.end_);
    std::swap(bytes_used_, other.bytes_used_);
    std::swap(decoded_bytes_left_, other.decoded_bytes_left_);
    std::swap(decoded_bytes_max_, other.decoded_bytes_max_);
}

}  // namespace milena::protocol
