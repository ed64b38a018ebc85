// SPDX-License-Identifier: Apache-2.0
// The visitor that hands a message to an Inspector. It forgets the types at once, so each message
// pays for it with one small walk, and every inspector is compiled a single time.
#pragma once

#include "struct_type.h"
#include "walk.h"

namespace milena::protocol {

class Show {
public:
    explicit Show(Inspector& inspector) : inspector_(inspector) {}

    template <class T, class Default>
    [[gnu::always_inline]] void field(const Field& field, T& member, const Default&) {
        show(field, member, /*has_default=*/false);
    }

    class Tags {
    public:
        bool next() { return !std::exchange(turned_, true); }

    private:
        bool turned_ = false;
    };
    Tags tags() { return {}; }

    template <class T, class Default>
    [[gnu::always_inline]] void tagged(Tags&, const Field& field, T& member,
                                       const Default& fallback) {
        show(field, member, is_default(member, fallback));
    }

    template <class T>
    static void show_element(void* element, const Field& field, Inspector& inspector) {
        Show(inspector).show(field, *static_cast<T*>(element), false);
    }

private:
    template <class T>
    [[gnu::always_inline]] void show(const Field& field, T& member, bool has_default) {
        if constexpr (std::is_base_of_v<ArrayBase, T>) {
            show_list(field, member, kElementType<typename T::value_type>, has_default);
        } else if constexpr (kIsNullableStructure<T>) {
            show_object(
                field,
                Object(&member.value_, &member.has_value_, kStructType<typename T::value_type>),
                has_default);
        } else if constexpr (Structure<T>) {
            show_object(field, Object(&member, nullptr, kStructType<T>), has_default);
        } else {
            show_leaf(field, Leaf(&member), has_default);
        }
    }
    void show_leaf(const Field& field, Leaf place, bool has_default);
    void show_object(const Field& field, Object place, bool has_default);
    void show_list(const Field& field, ArrayBase& array, const List::ElementType& type,
                   bool has_default);

    template <class T>
    static void make(void* elements, std::size_t count) {
        std::uninitialized_value_construct_n(static_cast<T*>(elements), count);
    }
    template <class T>
    static constexpr List::ElementType kElementType{
        .size = sizeof(T), .make = make<T>, .inspect = show_element<T>};

    Inspector& inspector_;
};

}  // namespace milena::protocol
