// SPDX-License-Identifier: Apache-2.0
// The visitor that hands a message to an Inspector. It forgets the types at once, so each message pays for it with one
// small walk, and every inspector is compiled a single time.
#pragma once

#include "walk.h"

namespace milena::protocol {

class Show {
public:
    explicit Show(Inspector& inspector) : inspector_(inspector) {}

    template <class T, class Default>
    void field(const Field& field, T& member, const Default& fallback) {
        if (field.exists(inspector_.version()) && inspector_.wants(field, is_default(member, fallback))) {
            show(field, member, inspector_);
        }
    }

    class Tags {
    public:
        bool next() { return !std::exchange(turned_, true); }

    private:
        bool turned_ = false;
    };
    Tags tags() { return {}; }

    template <class T, class Default>
    void tagged(Tags&, const Field& which, T& member, const Default& fallback) {
        field(which, member, fallback);
    }

private:
    template <class T>
    static void show(const Field& field, T& member, Inspector& inspector) {
        if constexpr (AnyArray<T>) {
            inspector.list(field, List(&member, kListOperations<T>));
        } else if constexpr (std::is_constructible_v<Leaf, T*>) {
            inspector.leaf(field, Leaf(&member));
        } else {
            inspector.object(field, Object(&member, kObjectOperations<T>));
        }
    }

    template <class T>
    static constexpr bool kIsNullable = false;
    template <class T>
    static constexpr bool kIsNullable<Nullable<T>> = true;

    template <class T>
    static void assign_object(void* self, bool present) {
        T& value = *static_cast<T*>(self);
        if constexpr (kIsNullable<T>) {
            if (present) {
                value.emplace();
            } else {
                value = std::nullopt;
            }
        } else {
            INVARIANT(present, "null for a struct that is never null");
            value = T{};
        }
    }
    template <class T>
    static void inspect_object(void* self, Inspector& inspector) {
        Show show(inspector);
        if constexpr (kIsNullable<T>) {
            T& value = *static_cast<T*>(self);
            Walk<typename T::value_type>::fields(show, value.get());
        } else {
            Walk<T>::fields(show, *static_cast<T*>(self));
        }
    }
    template <class T>
    static bool object_has_value(const void* self) {
        if constexpr (kIsNullable<T>) return static_cast<const T*>(self)->has_value();
        return true;
    }
    template <class T>
    static constexpr Object::Operations kObjectOperations{
        .has_value = object_has_value<T>, .assign = assign_object<T>, .inspect = inspect_object<T>};

    template <class A>
    static std::optional<std::size_t> list_size(const void* self) {
        const A& array = *static_cast<const A*>(self);
        if constexpr (requires { array.has_value(); }) {
            if (!array.has_value()) return std::nullopt;
        }
        return array.size();
    }
    template <class A>
    static void assign_list(void* self, std::optional<std::size_t> count, Arena& arena) {
        A& array = *static_cast<A*>(self);
        if (count) {
            array = arena.make_array<Element<A>>(*count);
        } else if constexpr (std::is_constructible_v<A, std::nullopt_t>) {
            array = std::nullopt;
        } else {
            INVARIANT(false, "null for an array that is never null");
        }
    }
    template <class A>
    static void inspect_element(void* self, std::size_t index, const Field& field, Inspector& inspector) {
        // An inspector that changes elements has made them itself, in an arena, where they are not const.
        show(field, const_cast<Element<A>&>((*static_cast<const A*>(self))[index]), inspector);
    }
    template <class A>
    static constexpr List::Operations kListOperations{
        .size = list_size<A>, .assign = assign_list<A>, .inspect = inspect_element<A>};

    Inspector& inspector_;
};

}  // namespace milena::protocol
