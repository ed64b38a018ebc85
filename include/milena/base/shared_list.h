// SPDX-License-Identifier: Apache-2.0
// A short list that is never changed, for state of which there is much and of which many copies are
// made: a copy is a pointer and a count. An empty list has no memory of its own.
//
//   SharedList [ * ] --> | references | size | item 0 | item 1 | ...
//
// Assign another list to change one. Lists are plain values; any number of threads may read and
// copy the same items.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "milena/base/invariant.h"

namespace milena {

template <class T>
class SharedList {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::uint64_t));

public:
    using value_type = T;
    using const_iterator = const T*;
    using iterator = const T*;

    SharedList() = default;
    SharedList(std::span<const T> items) : block_(make(items)) {}
    SharedList(const std::vector<T>& items) : SharedList(std::span<const T>(items)) {}
    SharedList(std::initializer_list<T> items)
        : SharedList(std::span<const T>(items.begin(), items.size())) {}

    SharedList(const SharedList& other) : block_(other.block_) {
        if (block_ != nullptr) block_->references.fetch_add(1, std::memory_order_relaxed);
    }
    SharedList(SharedList&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    SharedList& operator=(SharedList other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~SharedList() {
        if (block_ == nullptr) return;
        if (block_->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
            ::operator delete(static_cast<void*>(block_));
    }

    const T* data() const { return block_ == nullptr ? nullptr : items(block_); }
    std::size_t size() const { return block_ == nullptr ? 0 : block_->size; }
    bool empty() const { return block_ == nullptr; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size(); }
    const T& operator[](std::size_t index) const {
        INVARIANT(index < size(), "an index behind the end of a list");
        return data()[index];
    }
    const T& front() const { return (*this)[0]; }

    std::vector<T> to_vector() const { return {begin(), end()}; }

    friend bool operator==(const SharedList& a, const SharedList& b) {
        return a.block_ == b.block_ || std::ranges::equal(a, b);
    }

private:
    struct Block {
        std::atomic<std::uint32_t> references;
        std::uint32_t size;
    };
    static_assert(sizeof(Block) == sizeof(std::uint64_t));

    static T* items(Block* block) { return reinterpret_cast<T*>(block + 1); }

    static Block* make(std::span<const T> from) {
        if (from.empty()) return nullptr;
        INVARIANT(from.size() <= UINT32_MAX, "a list that is not short");
        void* const memory = ::operator new(sizeof(Block) + from.size_bytes());
        auto* const block = new (memory) Block{1, static_cast<std::uint32_t>(from.size())};
        std::uninitialized_copy(from.begin(), from.end(), items(block));
        return block;
    }

    Block* block_ = nullptr;
};

}  // namespace milena
