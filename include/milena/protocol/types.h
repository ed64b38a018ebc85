// SPDX-License-Identifier: Apache-2.0
// What the members of a message are made of. Everything here is a view of 16 or 24 bytes, trivially
// copied and never the owner: of a decoded message the text and bytes lie in the frame it came from
// and the arrays in the Arena that was given to decode(); of a message that we build, wherever its
// maker put them, until it is encoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "milena/base/bytes.h"
#include "milena/base/invariant.h"
#include "milena/base/uuid.h"

namespace milena::protocol {

/// No version of a message is above this one; as a first flexible version it says "never flexible".
inline constexpr std::int16_t kNoVersion = std::numeric_limits<std::int16_t>::max();

/// A view of bytes that compares by content.
class Bytes : public BytesView {
public:
    constexpr Bytes() = default;
    constexpr Bytes(BytesView bytes) : BytesView(bytes) {}
    friend bool operator==(Bytes a, Bytes b) {
        return a.size() == b.size() &&
               (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
    }
};

/// Text that may be null, in the manner of std::optional but in 16 bytes.
class NullableString {
public:
    constexpr NullableString() = default;
    constexpr NullableString(std::nullopt_t) {}
    template <class From>
        requires(std::is_convertible_v<const From&, std::string_view> &&
                 !std::is_same_v<From, NullableString>)
    constexpr NullableString(const From& from) : text_(from) {
        // An empty view that came without an address gets one: no address is what null looks like.
        if (text_.data() == nullptr) text_ = "";
    }

    constexpr bool has_value() const { return text_.data() != nullptr; }
    constexpr explicit operator bool() const { return has_value(); }
    constexpr const std::string_view& operator*() const {
        INVARIANT(has_value(), "the text of a null");
        return text_;
    }
    constexpr const std::string_view* operator->() const { return &**this; }
    constexpr std::string_view value_or(std::string_view other) const {
        return has_value() ? text_ : other;
    }

    friend constexpr bool operator==(const NullableString& a, const NullableString& b) {
        return a.has_value() == b.has_value() && a.text_ == b.text_;
    }

private:
    std::string_view text_;
};

/// Bytes that may be null.
class NullableBytes {
public:
    constexpr NullableBytes() = default;
    constexpr NullableBytes(std::nullopt_t) {}
    constexpr NullableBytes(BytesView bytes) : bytes_(bytes), has_value_(true) {}

    constexpr bool has_value() const { return has_value_; }
    constexpr explicit operator bool() const { return has_value_; }
    constexpr const Bytes& operator*() const {
        INVARIANT(has_value_, "the value of a null");
        return bytes_;
    }
    constexpr const Bytes* operator->() const { return &**this; }
    bool operator==(const NullableBytes&) const = default;

private:
    Bytes bytes_;
    bool has_value_ = false;
};

/// What all arrays have in common, so that code which is compiled once can handle any of them.
class ArrayBase {
public:
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    /// Of an array that is never null: always true.
    constexpr bool has_value() const { return has_value_; }
    /// The first element, of the type of the array.
    constexpr const void* address() const { return data_; }

protected:
    friend class Decoder;
    friend class List;

    constexpr explicit ArrayBase(bool has_value) : has_value_(has_value) {}
    constexpr ArrayBase(const void* data, std::size_t size) : data_(data), has_value_(true) {
        INVARIANT(size <= std::numeric_limits<std::uint32_t>::max(), "array too long");
        size_ = static_cast<std::uint32_t>(size);
    }

    const void* data_ = nullptr;
    std::uint32_t size_ = 0;
    bool has_value_;
};

/// A view of elements that lie elsewhere. Fill a std::span<T> (Arena::make_array) or a
/// std::vector<T>, then assign it.
template <class T>
class Array : public ArrayBase {
public:
    using value_type = T;

    constexpr Array() : ArrayBase(true) {}
    template <std::ranges::contiguous_range Range>
        requires(std::is_same_v<std::ranges::range_value_t<Range>, T> &&
                 !std::is_base_of_v<ArrayBase, Range>)
    constexpr Array(const Range& elements)
        : ArrayBase(std::ranges::data(elements), std::ranges::size(elements)) {}

    constexpr const T* data() const { return static_cast<const T*>(data_); }
    constexpr const T* begin() const { return data(); }
    constexpr const T* end() const { return data() + size_; }
    constexpr const T& operator[](std::size_t index) const {
        INVARIANT(index < size_, "array index out of range");
        return data()[index];
    }

    friend bool operator==(const Array& a, const Array& b) {
        if (a.size_ != b.size_ || a.has_value_ != b.has_value_) return false;
        for (std::uint32_t i = 0; i < a.size_; ++i) {
            if (!(a.data()[i] == b.data()[i])) return false;
        }
        return true;
    }

protected:
    constexpr explicit Array(std::nullopt_t) : ArrayBase(false) {}
};

/// An array that may be null. Read through it without asking and a null is empty.
template <class T>
class NullableArray : public Array<T> {
public:
    constexpr NullableArray() : Array<T>(std::nullopt) {}
    constexpr NullableArray(std::nullopt_t) : NullableArray() {}
    constexpr NullableArray(const Array<T>& elements) : Array<T>(elements) {}
    template <std::ranges::contiguous_range Range>
        requires(std::is_same_v<std::ranges::range_value_t<Range>, T> &&
                 !std::is_base_of_v<ArrayBase, Range>)
    constexpr NullableArray(const Range& elements) : Array<T>(elements) {}
};

/// A nested struct that may be null. (std::optional asks questions about T that a struct inside a
/// struct can't answer yet.)
template <class T>
class Nullable {
public:
    using value_type = T;

    constexpr Nullable() = default;
    constexpr Nullable(std::nullopt_t) {}
    constexpr Nullable(const T& value) : value_(value), has_value_(true) {}

    constexpr bool has_value() const { return has_value_; }
    constexpr explicit operator bool() const { return has_value_; }
    constexpr const T& operator*() const {
        INVARIANT(has_value_, "the value of a null");
        return value_;
    }
    constexpr const T* operator->() const { return &**this; }
    /// Makes it a value with defaults, to be filled.
    constexpr T& emplace() {
        value_ = T{};
        has_value_ = true;
        return value_;
    }
    friend bool operator==(const Nullable& a, const Nullable& b) {
        return a.has_value_ == b.has_value_ && (!a.has_value_ || a.value_ == b.value_);
    }

private:
    friend class Show;

    T value_;
    bool has_value_ = false;
};

/// Record batches inside a message: null, bytes at hand, or (in what we send) bytes that follow
/// from elsewhere, such as a file: then the encoder writes only their length and notes in a Splice
/// where they belong.
class Records {
public:
    constexpr Records() = default;
    constexpr Records(std::nullopt_t) {}
    constexpr Records(BytesView bytes)
        : data_(bytes.data()), size_(checked(bytes.size())), kind_(Kind::bytes) {}
    /// `size` bytes that the sender will put in; `index` is its own name for them.
    static constexpr Records external(std::size_t size, std::uint32_t index) {
        Records records;
        records.size_ = checked(size);
        records.index_ = index;
        records.kind_ = Kind::external;
        return records;
    }

    constexpr bool has_value() const { return kind_ != Kind::null; }
    constexpr bool is_external() const { return kind_ == Kind::external; }
    constexpr std::size_t size() const { return size_; }
    constexpr std::uint32_t index() const { return index_; }
    /// The bytes at hand; a null has none.
    constexpr BytesView bytes() const {
        INVARIANT(!is_external(), "the bytes of records that are elsewhere");
        return {data_, size_};
    }

    friend bool operator==(const Records& a, const Records& b) {
        if (a.kind_ != b.kind_ || a.size_ != b.size_) return false;
        return a.is_external() ? a.index_ == b.index_ : Bytes(a.bytes()) == Bytes(b.bytes());
    }

private:
    enum class Kind : std::uint8_t { null, bytes, external };

    static constexpr std::uint32_t checked(std::size_t size) {
        INVARIANT(size <= std::numeric_limits<std::int32_t>::max(),
                  "records longer than their length field can say");
        return static_cast<std::uint32_t>(size);
    }

    const std::byte* data_ = nullptr;
    std::uint32_t size_ = 0;
    std::uint32_t index_ = 0;
    Kind kind_ = Kind::null;
};

/// `size` external bytes belong into the encoding between its bytes `position - 1` and `position`.
/// Splices come in ascending position, and positions count encoded bytes only, not those of earlier
/// splices.
struct Splice {
    std::size_t position = 0;
    std::size_t size = 0;
    std::uint32_t index = 0;

    bool operator==(const Splice&) const = default;
};

}  // namespace milena::protocol
