// SPDX-License-Identifier: Apache-2.0
// Writing everything that has a length.
#include "writer.h"

#include <bit>

namespace milena::protocol {

void Writer::put_tag_head(const Field& field, std::size_t size) {
    writer_.write_unsigned_varint(static_cast<std::uint32_t>(field.tag));
    writer_.write_unsigned_varint(size);
}

void Writer::put_length(const Field& field, std::size_t size, std::size_t classic) {
    if (flexible_ && !field.never_flexible) {
        writer_.write_unsigned_varint(size + 1);
    } else if (classic == sizeof(std::int16_t)) {
        writer_.write(static_cast<std::int16_t>(size));
    } else {
        writer_.write(static_cast<std::int32_t>(size));
    }
}

/// A null is length −1, which is 0 where lengths are one more than they are.
void Writer::put_null(const Field& field, std::size_t classic) {
    put_length(field, static_cast<std::size_t>(-1), classic);
}

void Writer::put_presence(const Field& field, bool has_value) {
    if (field.nullable(version_)) writer_.write(static_cast<std::int8_t>(has_value ? 1 : -1));
}

void Writer::put(const Field&, const double& value) {
    writer_.write(std::bit_cast<std::uint64_t>(value));
}

void Writer::put(const Field&, const Uuid& value) {
    writer_.write(value.high);
    writer_.write(value.low);
}

void Writer::put(const Field& field, const std::string_view& value) {
    put_length(field, value.size(), sizeof(std::int16_t));
    writer_.write_bytes(as_bytes(value));
}

void Writer::put(const Field& field, const NullableString& value) {
    value.has_value() ? put(field, *value) : put_null(field, sizeof(std::int16_t));
}

void Writer::put(const Field& field, const Bytes& value) {
    put_length(field, value.size(), sizeof(std::int32_t));
    writer_.write_bytes(value);
}

void Writer::put(const Field& field, const NullableBytes& value) {
    value.has_value() ? put(field, *value) : put_null(field, sizeof(std::int32_t));
}

void Writer::put(const Field& field, const Records& value) {
    if (!value.has_value()) return put_null(field, sizeof(std::int32_t));
    put_length(field, value.size(), sizeof(std::int32_t));
    if (!value.is_external()) return writer_.write_bytes(value.bytes());
    INVARIANT(splices_ != nullptr, "external records and nowhere to note them");
    splices_->push_back(
        {.position = writer_.position(), .size = value.size(), .index = value.index()});
}

void Writer::put_structs(const Field& field, const ArrayBase& array, const StructType& type) {
    if (!array.has_value()) return put_null(field, sizeof(std::int32_t));
    put_length(field, array.size(), sizeof(std::int32_t));
    const auto* const elements = static_cast<const std::byte*>(array.address());
    for (std::size_t i = 0; i < array.size(); ++i) type.write(*this, elements + i * type.size);
}

template <class T>
void Writer::put_leaves(const Field& field, const Array<T>& array) {
    if (!array.has_value()) return put_null(field, sizeof(std::int32_t));
    put_length(field, array.size(), sizeof(std::int32_t));
    for (const T& element : array) put(field, element);
}
template void Writer::put_leaves(const Field&, const Array<std::int8_t>&);
template void Writer::put_leaves(const Field&, const Array<std::int16_t>&);
template void Writer::put_leaves(const Field&, const Array<std::int32_t>&);
template void Writer::put_leaves(const Field&, const Array<std::int64_t>&);
template void Writer::put_leaves(const Field&, const Array<Uuid>&);
template void Writer::put_leaves(const Field&, const Array<std::string_view>&);
template void Writer::put_leaves(const Field&, const Array<Bytes>&);

}  // namespace milena::protocol
