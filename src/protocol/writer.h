// SPDX-License-Identifier: Apache-2.0
// The visitor that writes a message whose Sizer found nothing to refuse.
#pragma once

#include <vector>

#include "milena/base/bytes.h"
#include "sizer.h"
#include "struct_type.h"
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
            if (turn_ == 2 || !writer_.flexible_) return false;
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
    [[gnu::always_inline]] void tagged(Tags& tags, const Field& field, const T& member,
                                       const Default& fallback) {
        if (!field.exists(version_) || is_default(member, fallback)) return;
        if (tags.turn_ == 1) {
            ++tags.count_;
            return;
        }
        Sizer sizer(version_, flexible_);
        sizer.add(field, member);
        put_tag_head(field, sizer.size());
        put(field, member);
    }

private:
    template <std::integral T>
    [[gnu::always_inline]] void put(const Field&, const T& value) {
        if constexpr (std::same_as<T, bool>) {
            writer_.write(static_cast<std::int8_t>(value));
        } else {
            writer_.write(value);
        }
    }
    void put(const Field& field, const double& value);
    void put(const Field& field, const Uuid& value);
    void put(const Field& field, const std::string_view& value);
    void put(const Field& field, const NullableString& value);
    void put(const Field& field, const Bytes& value);
    void put(const Field& field, const NullableBytes& value);
    void put(const Field& field, const Records& value);

    template <class T>
    [[gnu::always_inline]] void put(const Field& field, const Array<T>& array) {
        if constexpr (Structure<T>) {
            put_structs(field, array, kStructType<T>);
        } else {
            put_leaves<T>(field, array);
        }
    }
    template <class T>
    void put_leaves(const Field& field,
                    const Array<T>& array);  // instantiated in writer.cc for the types of the wire

    template <Structure T>
    [[gnu::always_inline]] void put(const Field&, const T& value) {
        kStructType<T>.write(*this, &value);
    }
    template <Structure T>
    void put(const Field& field, const Nullable<T>& value) {
        put_presence(field, value.has_value());
        if (value.has_value()) kStructType<T>.write(*this, &*value);
    }

    void put_tag_head(const Field& field, std::size_t size);
    void put_length(const Field& field, std::size_t size, std::size_t classic);
    void put_null(const Field& field, std::size_t classic);
    void put_presence(const Field& field, bool has_value);
    void put_structs(const Field& field, const ArrayBase& array, const StructType& type);

    ByteWriter& writer_;
    std::vector<Splice>* splices_;
    std::int16_t version_;
    bool flexible_;
};

}  // namespace milena::protocol
