// SPDX-License-Identifier: Apache-2.0
// What reading a message needs besides its walk: everything that has a length.
#include "decoder.h"

#include <bit>

#include "milena/protocol/codec.h"

namespace milena::protocol {

void Decoder::fail(const Field& field) {
    if (failed_at_ == nullptr) failed_at_ = &field;
    reader_.fail();
}

bool Decoder::Tags::next_tag() {
    ByteReader& reader = decoder_.reader_;
    if (!begun_) {
        begun_ = true;
        left_ = reader.read_unsigned_varint();
        if (left_ == 0) [[likely]]
            return false;
        if (left_ > kTagsMax) reader.fail();
    }
    if (open_) {
        if (!claimed_) reader.skip(end_ - reader.position());
        if (reader.position() != end_) reader.fail();
    }
    if (left_ == 0 || !reader.ok()) return false;
    --left_;
    tag_ = reader.read_unsigned_varint();
    const std::size_t size = reader.read_unsigned_varint();
    if (size > reader.remaining()) reader.fail();
    end_ = reader.position() + size;
    open_ = true;
    claimed_ = false;
    return reader.ok();
}

void Decoder::read(const Field& field, double& value) {
    std::uint64_t bits = 0;
    read(field, bits);
    value = std::bit_cast<double>(bits);
}

void Decoder::read(const Field& field, Uuid& value) {
    read(field, value.high);
    read(field, value.low);
}

/// The length before a value; any negative one is a null, as in Kafka.
std::int64_t Decoder::read_length(const Field& field, std::size_t classic_bytes) {
    if (flexible_ && !field.never_flexible) {
        const std::int64_t length = std::int64_t{reader_.read_unsigned_varint()} - 1;
        if (length < 0 && !reader_.ok()) [[unlikely]]
            fail(field);
        return length;
    }
    if (reader_.remaining() < classic_bytes) [[unlikely]] {
        fail(field);
        return -1;
    }
    return classic_bytes == sizeof(std::int16_t) ? reader_.read<std::int16_t>()
                                                 : reader_.read<std::int32_t>();
}

/// Length and bytes of a value that is no longer than the bytes at hand, or a null where that may
/// be.
[[gnu::always_inline]] inline BytesView Decoder::read_counted(const Field& field,
                                                              std::size_t classic_bytes,
                                                              std::size_t size_max, bool& is_null) {
    const std::int64_t length = read_length(field, classic_bytes);
    is_null = length < 0;
    if (is_null) {
        if (!field.nullable(version_)) [[unlikely]]
            fail(field);
        return {};
    }
    const auto size = static_cast<std::size_t>(length);
    if (size > size_max || size > reader_.remaining()) [[unlikely]] {
        fail(field);
        return {};
    }
    return reader_.read_bytes(size);
}

void Decoder::read(const Field& field, std::string_view& value) {
    bool is_null = false;
    value = as_text(read_counted(field, sizeof(std::int16_t), kStringBytesMax, is_null));
}

void Decoder::read(const Field& field, NullableString& value) {
    bool is_null = false;
    const BytesView text = read_counted(field, sizeof(std::int16_t), kStringBytesMax, is_null);
    value = is_null ? NullableString() : NullableString(as_text(text));
}

void Decoder::read(const Field& field, Bytes& value) {
    bool is_null = false;
    value = read_counted(field, sizeof(std::int32_t), INT32_MAX, is_null);
}

void Decoder::read(const Field& field, NullableBytes& value) {
    bool is_null = false;
    const BytesView bytes = read_counted(field, sizeof(std::int32_t), INT32_MAX, is_null);
    value = is_null ? NullableBytes() : NullableBytes(bytes);
}

void Decoder::read(const Field& field, Records& value) {
    bool is_null = false;
    const BytesView bytes = read_counted(field, sizeof(std::int32_t), INT32_MAX, is_null);
    value = is_null ? Records() : Records(bytes);
}

/// How many elements follow; the array is left null or empty. Each takes at least
/// `element_bytes_min` bytes.
std::size_t Decoder::read_count(const Field& field, ArrayBase& array,
                                std::size_t element_bytes_min) {
    const std::int64_t length = read_length(field, sizeof(std::int32_t));
    array.data_ = nullptr;
    array.size_ = 0;
    array.has_value_ = length >= 0;
    if (length < 0) {
        if (!field.nullable(version_)) [[unlikely]]
            fail(field);
        return 0;
    }
    const auto count = static_cast<std::size_t>(length);
    if (count > kArrayElementsMax || count * element_bytes_min > reader_.remaining()) [[unlikely]] {
        fail(field);
        return 0;
    }
    return count;
}

void Decoder::read_structs(const Field& field, ArrayBase& array, const StructType& type) {
    const std::size_t count = read_count(field, array, type.wire_bytes_min);
    if (count == 0) return;
    auto* const elements =
        static_cast<std::byte*>(arena_.try_take(count * type.size, alignof(std::max_align_t)));
    if (elements == nullptr) [[unlikely]]
        return fail(field);
    for (std::size_t i = 0; i < count; ++i) {
        type.read(*this, elements + i * type.size);
        if (!reader_.ok()) [[unlikely]]
            return;
    }
    array.data_ = elements;
    array.size_ = static_cast<std::uint32_t>(count);
}

template <class T>
void Decoder::read_leaves(const Field& field, ArrayBase& array) {
    std::size_t element_bytes_min = 1;
    if constexpr (Scalar<T>) element_bytes_min = kScalarBytes<T>;
    const std::size_t count = read_count(field, array, element_bytes_min);
    if (count == 0) return;
    auto* const elements = static_cast<T*>(arena_.try_take(count * sizeof(T), alignof(T)));
    if (elements == nullptr) [[unlikely]]
        return fail(field);
    for (std::size_t i = 0; i < count; ++i) {
        read(field, *::new (elements + i) T{});
        if (!reader_.ok()) [[unlikely]]
            return;
    }
    array.data_ = elements;
    array.size_ = static_cast<std::uint32_t>(count);
}
template void Decoder::read_leaves<std::int8_t>(const Field&, ArrayBase&);
template void Decoder::read_leaves<std::int16_t>(const Field&, ArrayBase&);
template void Decoder::read_leaves<std::int32_t>(const Field&, ArrayBase&);
template void Decoder::read_leaves<std::int64_t>(const Field&, ArrayBase&);
template void Decoder::read_leaves<Uuid>(const Field&, ArrayBase&);
template void Decoder::read_leaves<std::string_view>(const Field&, ArrayBase&);
template void Decoder::read_leaves<Bytes>(const Field&, ArrayBase&);

/// Of a struct: whether it follows or is null. Only where it may be null is there a byte that says
/// so; in a tagged field that byte is a number of flexible versions, and null is 0.
bool Decoder::read_presence(const Field& field) {
    if (!field.nullable(version_)) return true;
    std::int8_t presence = -1;
    read(field, presence);
    return field.is_tagged() ? presence > 0 : presence >= 0;
}

}  // namespace milena::protocol
