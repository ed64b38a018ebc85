// SPDX-License-Identifier: Apache-2.0
// How an inspector reaches values, nested structs and elements whose types it does not know.
#include "show.h"

namespace milena::protocol {

void Show::show_leaf(const Field& field, Leaf place, bool has_default) {
    if (field.exists(inspector_.version()) && inspector_.wants(field, has_default))
        inspector_.leaf(field, place);
}

void Show::show_object(const Field& field, Object place, bool has_default) {
    if (field.exists(inspector_.version()) && inspector_.wants(field, has_default))
        inspector_.object(field, place);
}

void Show::show_list(const Field& field, ArrayBase& array, const List::ElementType& type,
                     bool has_default) {
    if (!field.exists(inspector_.version()) || !inspector_.wants(field, has_default)) return;
    inspector_.list(field, List(array, type));
}

void Object::assign(bool present) {
    INVARIANT(present || has_value_ != nullptr, "null for a struct that is never null");
    if (has_value_ != nullptr) *has_value_ = present;
    type_.make(value_, 1);
}

void Object::inspect(Inspector& inspector) {
    INVARIANT(has_value(), "the fields of a null");
    Show show(inspector);
    type_.show(show, value_);
}

void List::assign(std::optional<std::size_t> count, Arena& arena) {
    array_.data_ = nullptr;
    array_.size_ = static_cast<std::uint32_t>(count.value_or(0));
    array_.has_value_ = count.has_value();
    if (!count) return;
    void* const elements = arena.make_memory(*count * type_.size, alignof(std::max_align_t));
    type_.make(elements, *count);
    array_.data_ = elements;
}

void List::inspect(std::size_t index, const Field& field, Inspector& inspector) {
    INVARIANT(index < array_.size(), "array index out of range");
    // An inspector that changes elements has made them itself, in an arena, where they are not
    // const.
    auto* const elements = static_cast<std::byte*>(const_cast<void*>(array_.address()));
    type_.inspect(elements + index * type_.size, field, inspector);
}

}  // namespace milena::protocol
