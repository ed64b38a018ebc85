// SPDX-License-Identifier: Apache-2.0
// Bytes in Kafka's encodings: big-endian integers, and the two variable-length ones, unsigned
// (flexible versions, KIP-482) and zig-zag (record batches). Views only: nothing here owns memory.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "milena/base/invariant.h"

namespace milena {

using BytesView = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

inline BytesView as_bytes(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string_view as_text(BytesView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <std::integral T>
constexpr T big_endian(T number) {
    return std::endian::native == std::endian::little ? std::byteswap(number) : number;
}

/// The big-endian number at `at`, which has sizeof(T) bytes.
template <std::integral T>
T load(const std::byte* at) {
    T number;
    std::memcpy(&number, at, sizeof number);
    return big_endian(number);
}

/// Writes `number` big-endian to the sizeof(T) bytes at `at`.
template <std::integral T>
void store(std::byte* at, T number) {
    number = big_endian(number);
    std::memcpy(at, &number, sizeof number);
}

/// Reads bytes from an untrusted source, front to back. A read beyond the end, or a malformed
/// number, fails the reader for good: it and every later read give zero or nothing, and ok() is
/// false. Check ok() before you use what you read to take memory, and once at the end.
class ByteReader {
public:
    ByteReader() = default;
    explicit ByteReader(BytesView bytes)
        : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

    bool ok() const { return !failed_; }
    std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
    std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }
    void fail() {
        failed_ = true;
        at_ = end_;
    }

    template <std::integral T>
    T read() {
        if (remaining() < sizeof(T)) [[unlikely]] {
            fail();
            return T{};
        }
        const T number = load<T>(at_);
        at_ += sizeof(T);
        return number;
    }

    /// Unsigned varint of at most 32 bits (five bytes).
    std::uint32_t read_unsigned_varint() { return read_base128<std::uint32_t, 5>(); }
    /// Zig-zag varint of at most 32 bits.
    std::int32_t read_varint() { return unzigzag<std::int32_t>(read_base128<std::uint32_t, 5>()); }
    /// Zig-zag varint of at most 64 bits (ten bytes).
    std::int64_t read_varlong() {
        return unzigzag<std::int64_t>(read_base128<std::uint64_t, 10>());
    }

    /// The next `count` bytes, as a view into the source; fails if there are fewer.
    BytesView read_bytes(std::size_t count) {
        if (remaining() < count) [[unlikely]] {
            fail();
            return {};
        }
        const BytesView bytes(at_, count);
        at_ += count;
        return bytes;
    }
    void skip(std::size_t count) { read_bytes(count); }

private:
    template <class U, int kBytesMax>
    U read_base128() {
        if (at_ != end_ && static_cast<std::uint8_t>(*at_) < 0x80) [[likely]] {
            return static_cast<U>(static_cast<std::uint8_t>(*at_++));
        }
        return read_base128_long<U, kBytesMax>();
    }

    template <class U, int kBytesMax>
    U read_base128_long() {
        U number = 0;
        for (int byte = 0; byte < kBytesMax && at_ != end_; ++byte) {
            const auto digit = static_cast<std::uint8_t>(*at_++);
            const int shift = 7 * byte;
            // The last byte may hold only the bits that are left of the number, as Kafka's own
            // reader has it.
            if (byte == kBytesMax - 1 &&
                (digit >> (sizeof(U) * 8 - static_cast<unsigned>(shift))) != 0)
                break;
            number |= static_cast<U>(digit & 0x7F) << shift;
            if (digit < 0x80) return number;
        }
        fail();
        return 0;
    }

    template <class S, class U>
    static S unzigzag(U number) {
        return static_cast<S>((number >> 1) ^ (~(number & 1) + 1));
    }

    const std::byte* begin_ = nullptr;
    const std::byte* at_ = nullptr;
    const std::byte* end_ = nullptr;
    bool failed_ = false;
};

/// Length in bytes of an unsigned varint.
constexpr std::size_t unsigned_varint_size(std::uint64_t number) {
    return (static_cast<std::size_t>(std::bit_width(number | 1)) + 6) / 7;
}
constexpr std::uint64_t zigzag(std::int64_t number) {
    return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}
/// Length in bytes of a zig-zag varint or varlong (they agree where both can hold the number).
constexpr std::size_t varint_size(std::int64_t number) {
    return unsigned_varint_size(zigzag(number));
}

/// Writes front to back into a region whose size was computed before; writing past its end is a bug
/// of ours.
class ByteWriter {
public:
    explicit ByteWriter(MutableBytes region)
        : begin_(region.data()), at_(begin_), end_(begin_ + region.size()) {}

    std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }
    std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }

    template <std::integral T>
    void write(T number) {
        store(take(sizeof(T)), number);
    }
    void write_bytes(BytesView bytes) {
        if (!bytes.empty()) std::memcpy(take(bytes.size()), bytes.data(), bytes.size());
    }
    void write_unsigned_varint(std::uint64_t number) {
        for (; number >= 0x80; number >>= 7) *take(1) = static_cast<std::byte>(number | 0x80);
        *take(1) = static_cast<std::byte>(number);
    }
    /// Zig-zag; the same bytes for a varint and a varlong.
    void write_varint(std::int64_t number) { write_unsigned_varint(zigzag(number)); }

private:
    std::byte* take(std::size_t count) {
        INVARIANT(remaining() >= count, "write past the end of a sized buffer");
        std::byte* const here = at_;
        at_ += count;
        return here;
    }

    std::byte* begin_;
    std::byte* at_;
    std::byte* end_;
};

}  // namespace milena
