// SPDX-License-Identifier: Apache-2.0
// Makes the walk of a struct into its StructType: four functions, one for each visitor. Only
// generated sources include this, each for its own structs.
#pragma once

#include <memory>
#include <type_traits>

#include "decoder.h"
#include "milena/protocol/message_type.h"
#include "show.h"
#include "sizer.h"
#include "struct_type.h"
#include "writer.h"

namespace milena::protocol {

template <class T>
struct Instance {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                  "messages are views");

    static void make(void* memory, std::size_t count) {
        std::uninitialized_value_construct_n(static_cast<T*>(memory), count);
    }
    static void read(Decoder& decoder, void* memory) {
        Walk<T>::fields(decoder, *::new (memory) T{});
    }
    static void size_up(Sizer& sizer, const void* value) {
        Walk<T>::fields(sizer, *static_cast<const T*>(value));
    }
    static void write(Writer& writer, const void* value) {
        Walk<T>::fields(writer, *static_cast<const T*>(value));
    }
    static void show(Show& show, void* value) { Walk<T>::fields(show, *static_cast<T*>(value)); }
    static bool equal(const void* a, const void* b) {
        return *static_cast<const T*>(a) == *static_cast<const T*>(b);
    }
};

template <class T>
constexpr StructType kStructType{
    .size = sizeof(T),
    .wire_bytes_min = Walk<T>::kWireBytesMin,
    .make = Instance<T>::make,
    .read = Instance<T>::read,
    .size_up = Instance<T>::size_up,
    .write = Instance<T>::write,
    .show = Instance<T>::show,
    .equal = Instance<T>::equal,
};

/// T's row in message_types().
template <class T>
constexpr MessageType message_type(std::string_view name, MessageKind kind, std::int16_t key) {
    return {.name = name,
            .kind = kind,
            .key = key,
            .min_version = T::kMinVersion,
            .max_version = T::kMaxVersion,
            .first_flexible_version = T::kFirstFlexibleVersion,
            .body = &kStructType<T>};
}

}  // namespace milena::protocol
