// SPDX-License-Identifier: Apache-2.0
// The slow way to look at a message: its fields one by one, by name, without knowing its type. Printing, inventing
// random messages and reading JSON are Inspectors; what has to be fast (decode, size, write) is compiled per message.
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
    std::int32_t tag = -1;  // −1: not a tagged field
    bool ignorable = false;       // a version without the field may drop its value silently
    bool never_flexible = false;  // keeps the classic length even in flexible versions

    constexpr bool exists(std::int16_t version) const { return within(version, first, last); }
    constexpr bool nullable(std::int16_t version) const { return within(version, null_first, null_last); }
    constexpr bool is_tagged() const { return tag >= 0; }

private:
    // The bounds are constants where this is used: a bound that always holds costs nothing.
    static constexpr bool within(std::int16_t version, std::int16_t low, std::int16_t high) {
        return (low == 0 || version >= low) && (high == kNoVersion || version <= high);
    }
};

/// The place of a plain value.
using Leaf = std::variant<bool*, std::int8_t*, std::int16_t*, std::uint16_t*, std::int32_t*, std::uint32_t*,
                          std::int64_t*, double*, Uuid*, std::string_view*, NullableString*, Bytes*, NullableBytes*,
                          Records*>;

class Inspector;

/// The place of a nested struct.
class Object {
public:
    struct Operations {
        bool (*has_value)(const void* self);
        void (*assign)(void* self, bool present);
        void (*inspect)(void* self, Inspector& inspector);
    };
    Object(void* self, const Operations& operations) : self_(self), operations_(&operations) {}

    bool has_value() const { return operations_->has_value(self_); }
    /// Makes it null or an object with defaults; null only where Field::nullable.
    void assign(bool present) { operations_->assign(self_, present); }
    /// Shows its fields; it must not be null.
    void inspect(Inspector& inspector) { operations_->inspect(self_, inspector); }

private:
    void* self_;
    const Operations* operations_;
};

/// The place of an array.
class List {
public:
    struct Operations {
        std::optional<std::size_t> (*size)(const void* self);
        void (*assign)(void* self, std::optional<std::size_t> count, Arena& arena);
        void (*inspect)(void* self, std::size_t index, const Field& field, Inspector& inspector);
    };
    List(void* self, const Operations& operations) : self_(self), operations_(&operations) {}

    /// Nothing if it is null.
    std::optional<std::size_t> size() const { return operations_->size(self_); }
    /// Makes it null or `count` elements with defaults; null only where Field::nullable.
    void assign(std::optional<std::size_t> count, Arena& arena) { operations_->assign(self_, count, arena); }
    /// Shows one element, as a leaf or an object of the given field.
    void inspect(std::size_t index, const Field& field, Inspector& inspector) {
        operations_->inspect(self_, index, field, inspector);
    }

private:
    void* self_;
    const Operations* operations_;
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

/// Shows the fields of a message to an inspector, in the inspector's version.
template <class T>
void inspect(T& message, Inspector& inspector);

}  // namespace milena::protocol
