// SPDX-License-Identifier: Apache-2.0
// What the schema compiler's walks are written in. For each struct of a message it generates
//
//   template <> struct Walk<S> {
//       static constexpr std::size_t kWireBytesMin = …;      smallest encoding of an S in any version
//       static constexpr Field kFields[] = {…};
//       template <class V, class M> static void fields(V& v, M& m) {
//           v.field(kFields[0], m.name, default);            in wire order
//           for (auto tags = v.tags(); tags.next();) {
//               v.tagged(tags, kFields[1], m.other, default);
//           }
//       }
//   };
//
// and a visitor V makes of it what it is for: Decoder, Sizer, Writer, Show. How often the tag loop turns is the
// visitor's affair.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

#include "milena/protocol/inspector.h"
#include "milena/protocol/types.h"

namespace milena::protocol {

template <class T>
struct Walk;

/// Default of arrays, bytes and structs: nothing in it.
struct Empty {};

template <class T>
concept Scalar = std::is_arithmetic_v<T> || std::same_as<T, Uuid>;

template <class T>
struct ElementOf;
template <class T>
struct ElementOf<Array<T>> {
    using type = T;
};
template <class T>
struct ElementOf<NullableArray<T>> {
    using type = T;
};
template <class A>
using Element = ElementOf<A>::type;

template <class T>
concept AnyArray = requires { typename ElementOf<T>::type; };
template <class T>
concept Structure = requires { Walk<T>::kWireBytesMin; };

template <class T>
constexpr std::size_t wire_bytes_min() {
    if constexpr (Structure<T>) {
        return Walk<T>::kWireBytesMin;
    } else if constexpr (std::same_as<T, Uuid>) {
        return 16;
    } else if constexpr (std::is_arithmetic_v<T>) {
        return sizeof(T);
    } else {
        return 1;
    }
}

template <class T>
    requires std::is_arithmetic_v<T>
constexpr bool is_default(T value, T fallback) {
    return value == fallback;
}
constexpr bool is_default(const Uuid& value, Empty) { return value.is_zero(); }
constexpr bool is_default(std::string_view value, std::string_view fallback) { return value == fallback; }
constexpr bool is_default(const NullableString& value, std::string_view fallback) {
    return value.has_value() && *value == fallback;
}
template <class T>
constexpr bool is_default(const T& value, std::nullopt_t) {
    return !value.has_value();
}
constexpr bool is_default(const Bytes& value, Empty) { return value.empty(); }
constexpr bool is_default(const NullableBytes& value, Empty) { return value.has_value() && value->empty(); }
constexpr bool is_default(const Records& value, Empty) { return value.has_value() && value.size() == 0; }
template <class T>
constexpr bool is_default(const Array<T>& value, Empty) {
    return value.empty();
}
template <class T>
constexpr bool is_default(const NullableArray<T>& value, Empty) {
    return value.has_value() && value.empty();
}
template <Structure T>
bool is_default(const T& value, Empty) {
    return value == T{};
}
template <Structure T>
bool is_default(const Nullable<T>& value, Empty) {
    return value.has_value() && *value == T{};
}

}  // namespace milena::protocol
