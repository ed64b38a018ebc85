// SPDX-License-Identifier: Apache-2.0
// The visitor that writes a message whose Sizer found nothing to refuse.
#pragma once

#include <bit>
#include <vector>

#include "milena/base/bytes.h"
#include "sizer.h"
#include "walk.h"

namespace milena::protocol {

class Writer {
public:
    Writer(ByteWriter& writer, std::int16_t version, bool flexible, std::vector<Splice>* splices)
        : writer_(writer), splices_(splices), version_(version), flexible_(flexible) {}

    template <class T, class Default>
    [[gnu::always_inline]] void field(const Field& field, const T& member, const Default&) {
        if (field.exists(version_)) put(field, member);
    }

    /// One turn that counts the tags to write, then, if there are any, one that writes them.
    class Tags {
    public:
        explicit Tags(Writer& writer) : writer_(writer) {}
        [[gnu::always_inline]] bool next() {
            if (turn_ == 0) {
                turn_ = 1;
                return writer_.flexible_;
            }
            if (turn_ == 2) return false;
            turn_ = 2;
            writer_.writer_.write_unsigned_varint(count_);
            return count_ > 0;
        }

    private:
        friend Writer;
        Writer& writer_;
        std::uint32_t count_ = 0;
        int turn_ = 0;
    };
    Tags tags() { return Tags(*this); }

    template <class T, class Default>
    [[gnu::always_inline]] void tagged(Tags& tags, const Field& field, const T& member, const Default& fallback) {
        if (!field.exists(version_) || is_default(member, fallback)) return;
        if (tags.turn_ == 1) {
            ++tags.count_;
            return;
        }
        Sizer sizer(version_, flexible_);
        sizer.add(field, member);
        writer_.write_unsigned_varint(static_cast<std::uint32_t>(field.tag));
        writer_.write_unsigned_varint(sizer.size());
        put(field, member);
    }

    template <Structure T>
    [[gnu::noinline]] void put_struct(const T& value) {
        Walk<T>::fields(*this, value);
    }

private:
    template <std::integral Classic>
    [[gnu::always_inline]] void put_length(const Field& field, std::size_t size) {
        if (flexible_ && !field.never_flexible) {
            writer_.write_unsigned_varint(size + 1);
        } else {
            writer_.write(static_cast<Classic>(size));
        }
    }
    template <std::integral Classic>
    [[gnu::always_inline]] void put_null(const Field& field) {
        if (flexible_ && !field.never_flexible) {
            writer_.write(std::uint8_t{0});
        } else {
            writer_.write(Classic{-1});
        }
    }

    template <class T>
    [[gnu::always_inline]] void put(const Field& field, const T& value) {
        if constexpr (std::same_as<T, bool>) {
            writer_.write(static_cast<std::int8_t>(value));
        } else if constexpr (std::integral<T>) {
            writer_.write(value);
        } else if constexpr (std::same_as<T, double>) {
            writer_.write(std::bit_cast<std::uint64_t>(value));
        } else if constexpr (std::same_as<T, Uuid>) {
            writer_.write(value.high);
            writer_.write(value.low);
        } else if constexpr (std::same_as<T, std::string_view>) {
            put_length<std::int16_t>(field, value.size());
            writer_.write_bytes(as_bytes(value));
        } else if constexpr (std::same_as<T, Bytes>) {
            put_length<std::int32_t>(field, value.size());
            writer_.write_bytes(value);
        } else if constexpr (std::same_as<T, NullableString>) {
            value.has_value() ? put(field, *value) : put_null<std::int16_t>(field);
        } else if constexpr (std::same_as<T, NullableBytes>) {
            value.has_value() ? put(field, *value) : put_null<std::int32_t>(field);
        } else if constexpr (std::same_as<T, Records>) {
            put_records(field, value);
        } else if constexpr (AnyArray<T>) {
            put_array(field, value);
        } else if constexpr (Structure<T>) {
            put_struct(value);
        } else {  // a struct that may be null
            if (field.nullable(version_)) writer_.write(static_cast<std::int8_t>(value.has_value() ? 1 : -1));
            if (value.has_value()) put_struct(*value);
        }
    }

    [[gnu::noinline]] void put_records(const Field& field, const Records& records) {
        if (!records.has_value()) return put_null<std::int32_t>(field);
        put_length<std::int32_t>(field, records.size());
        if (!records.is_external()) return writer_.write_bytes(records.bytes());
        INVARIANT(splices_ != nullptr, "external records and nowhere to note them");
        splices_->push_back({.position = writer_.position(), .size = records.size(), .index = records.index()});
    }

    template <AnyArray A>
    [[gnu::always_inline]] void put_array(const Field& field, const A& array) {
        if constexpr (requires { array.has_value(); }) {
            if (!array.has_value()) return put_null<std::int32_t>(field);
        }
        put_length<std::int32_t>(field, array.size());
        put_elements(field, static_cast<const Array<Element<A>>&>(array));
    }
    template <class T>
    [[gnu::noinline]] void put_elements(const Field& field, const Array<T>& array) {
        for (const T& element : array) {
            if constexpr (Structure<T>) {
                Walk<T>::fields(*this, element);
            } else {
                put(field, element);
            }
        }
    }

    ByteWriter& writer_;
    std::vector<Splice>* splices_;
    std::int16_t version_;
    bool flexible_;
};

}  // namespace milena::protocol
