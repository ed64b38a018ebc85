// SPDX-License-Identifier: Apache-2.0
// Sizes of everything that has a length, and what is refused on the way.
#include "sizer.h"

#include "milena/protocol/codec.h"

namespace milena::protocol {

void Sizer::refuse(const Field& field, Refusal why) {
    if (refusal_ != Refusal::none) return;
    refusal_ = why;
    refused_at_ = &field;
}

void Sizer::add_tag_head(const Field& field, std::size_t size) {
    size_ +=
        unsigned_varint_size(static_cast<std::uint32_t>(field.tag)) + unsigned_varint_size(size);
}

[[gnu::always_inline]] inline std::size_t Sizer::length_size(const Field& field, std::size_t size,
                                                             std::size_t classic) const {
    if (!flexible_ || field.never_flexible) return classic;
    return size < 127 ? 1 : unsigned_varint_size(size + 1);
}

void Sizer::add_null(const Field& field, std::size_t classic) {
    if (!field.nullable(version_)) [[unlikely]]
        refuse(field, Refusal::null_in_version);
    size_ += length_size(field, 0, classic);
}

void Sizer::add_presence(const Field& field, bool has_value) {
    if (field.nullable(version_)) {
        size_ += sizeof(std::int8_t);
    } else if (!has_value) {
        refuse(field, Refusal::null_in_version);
    }
}

void Sizer::add(const Field& field, std::string_view value) {
    if (value.size() > kStringBytesMax) [[unlikely]]
        refuse(field, Refusal::too_long);
    size_ += length_size(field, value.size(), sizeof(std::int16_t)) + value.size();
}

void Sizer::add(const Field& field, const NullableString& value) {
    value.has_value() ? add(field, *value) : add_null(field, sizeof(std::int16_t));
}

void Sizer::add(const Field& field, const Bytes& value) {
    if (value.size() > INT32_MAX) [[unlikely]]
        refuse(field, Refusal::too_long);
    size_ += length_size(field, value.size(), sizeof(std::int32_t)) + value.size();
}

void Sizer::add(const Field& field, const NullableBytes& value) {
    value.has_value() ? add(field, *value) : add_null(field, sizeof(std::int32_t));
}

void Sizer::add(const Field& field, const Records& value) {
    if (!value.has_value()) return add_null(field, sizeof(std::int32_t));
    size_ += length_size(field, value.size(), sizeof(std::int32_t)) +
             (value.is_external() ? 0 : value.size());
}

void Sizer::add_scalars(const Field& field, const ArrayBase& array, std::size_t element_bytes) {
    if (!array.has_value()) return add_null(field, sizeof(std::int32_t));
    if (array.size() > INT32_MAX) [[unlikely]]
        refuse(field, Refusal::too_long);
    size_ += length_size(field, array.size(), sizeof(std::int32_t)) + array.size() * element_bytes;
}

void Sizer::add_structs(const Field& field, const ArrayBase& array, const StructType& type) {
    add_scalars(field, array, 0);
    const auto* const elements = static_cast<const std::byte*>(array.address());
    for (std::size_t i = 0; i < array.size(); ++i) type.size_up(*this, elements + i * type.size);
}

void Sizer::add_views(const Field& field, const Array<std::string_view>& array) {
    add_scalars(field, array, 0);
    for (const std::string_view element : array) add(field, element);
}

void Sizer::add_views(const Field& field, const Array<Bytes>& array) {
    add_scalars(field, array, 0);
    for (const Bytes& element : array) add(field, element);
}

}  // namespace milena::protocol
