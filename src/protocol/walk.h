// SPDX-License-Identifier: Apache-2.0
// What the schema compiler's walks are written in. For each struct of a message it generates
//
//   template <> struct Walk<S> {
//       static constexpr std::size_t kWireBytesMin = …;      smallest encoding of an S in any
//       version static constexpr Field kFields[] = {…}; template <class V, class M> static void
//       fields(V& v, M& m) {
//           v.field(kFields[0], m.name, default);            in wire order
//           for (auto tags = v.tags(); tags.next();) {
//               v.tagged(tags, kFields[1], m.other, default);
//           }
//       }
//   };
//
// and a visitor V makes of it what it is for: Decoder, Sizer, Writer, Show. How often the tag loop
// turns is the visitor's affair. A visitor keeps in its header what is worth a copy in every walk
// (numbers) and the rest in its source: a walk is compiled four times for 600 structs, and that is
// the compile time of this library.
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
concept Structure = requires { Walk<T>::kWireBytesMin; };

template <class T>
inline constexpr bool kIsNullableStructure = false;
template <class T>
inline constexpr bool kIsNullableStructure<Nullable<T>> = true;

template <Scalar T>
inline constexpr std::size_t kScalarBytes = sizeof(T);

template <class T>
    requires std::is_arithmetic_v<T>
constexpr bool is_default(T value, T fallback) {
    return value == fallback;
}
constexpr bool is_default(const Uuid& value, Empty) {
    return value.is_zero();
}
constexpr bool is_default(std::string_view value, std::string_view fallback) {
    return value == fallback;
}
constexpr bool is_default(const NullableString& value, std::string_view fallback) {
    return value.has_value() && *value == fallback;
}
template <class T>
constexpr bool is_default(const T& value, std::nullopt_t) {
    return !value.has_value();
}
constexpr bool is_default(const Bytes& value, Empty) {
    return value.empty();
}
constexpr bool is_default(const NullableBytes& value, Empty) {
    return value.has_value() && value->empty();
}
constexpr bool is_default(const Records& value, Empty) {
    return value.has_value() && value.size() == 0;
}
constexpr bool is_default(const ArrayBase& value, Empty) {
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
