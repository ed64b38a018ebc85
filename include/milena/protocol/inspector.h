// SPDX-License-Identifier: Apache-2.0
// The slow way to look at a message: its fields one by one, by name, without knowing its type.
// Printing, inventing random messages and reading JSON are Inspectors; what has to be fast (decode,
// size, write) is compiled per message.
//
// An Inspector may change what it is shown, so it can fill a message as well as read one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "milena/base/uuid.h"
#include "milena/protocol/arena.h"
#include "milena/protocol/types.h"

namespace milena::protocol {

/// What the schema says about a field. Ranges are inclusive; first > last is the empty range.
struct Field {
    const char* name = "";  // as the schema spells it
    std::int16_t first = 0;
    std::int16_t last = kNoVersion;
    std::int16_t null_first = kNoVersion;
    std::int16_t null_last = 0;
    std::int32_t tag = -1;        // −1: not a tagged field
    bool ignorable = false;       // a version without the field may drop its value silently
    bool never_flexible = false;  // keeps the classic length even in flexible versions

    constexpr bool exists(std::int16_t version) const { return within(version, first, last); }
    constexpr bool nullable(std::int16_t version) const {
        return within(version, null_first, null_last);
    }
    constexpr bool is_tagged() const { return tag >= 0; }

private:
    // The bounds are constants where this is used: a bound that always holds costs nothing.
    static constexpr bool within(std::int16_t version, std::int16_t low, std::int16_t high) {
        return (low == 0 || version >= low) && (high == kNoVersion || version <= high);
    }
};

/// The place of a plain value.
using Leaf = std::variant<bool*, std::int8_t*, std::int16_t*, std::uint16_t*, std::int32_t*,
                          std::uint32_t*, std::int64_t*, double*, Uuid*, std::string_view*,
                          NullableString*, Bytes*, NullableBytes*, Records*>;

class Inspector;
struct StructType;

/// The place of a nested struct, which may be null.
class Object {
public:
    /// `has_value` is null for a struct that never is.
    Object(void* value, bool* has_value, const StructType& type)
        : value_(value), has_value_(has_value), type_(type) {}

    bool has_value() const { return has_value_ == nullptr || *has_value_; }
    /// Whether the struct can be null at all; whether in this version, Field::nullable says.
    bool may_be_null() const { return has_value_ != nullptr; }
    /// Makes it null or an object with defaults.
    void assign(bool present);
    /// Shows its fields; it must not be null.
    void inspect(Inspector& inspector);

private:
    void* value_;
    bool* has_value_;
    const StructType& type_;
};

/// The place of an array.
class List {
public:
    /// How to handle elements without knowing their type.
    struct ElementType {
        std::size_t size;
        void (*make)(void* elements, std::size_t count);
        void (*inspect)(void* element, const Field& field, Inspector& inspector);
    };
    List(ArrayBase& array, const ElementType& type) : array_(array), type_(type) {}

    /// Nothing if it is null.
    std::optional<std::size_t> size() const {
        return array_.has_value() ? std::optional(array_.size()) : std::nullopt;
    }
    /// Makes it null or `count` elements with defaults; null only where Field::nullable.
    void assign(std::optional<std::size_t> count, Arena& arena);
    /// Shows one element, as a leaf or an object of the given field.
    void inspect(std::size_t index, const Field& field, Inspector& inspector);

private:
    ArrayBase& array_;
    const ElementType& type_;
};

/// Is shown the fields that a version has, in wire order, the tagged ones last.
class Inspector {
public:
    explicit Inspector(std::int16_t version) : version_(version) {}
    virtual ~Inspector() = default;
    Inspector(const Inspector&) = delete;
    Inspector& operator=(const Inspector&) = delete;

    std::int16_t version() const { return version_; }

    /// Whether to be shown this field at all.
    virtual bool wants(const Field& field, bool has_default) = 0;
    virtual void leaf(const Field& field, Leaf place) = 0;
    virtual void list(const Field& field, List place) = 0;
    virtual void object(const Field& field, Object place) = 0;

private:
    std::int16_t version_;
};

}  // namespace milena::protocol
