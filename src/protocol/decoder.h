// SPDX-License-Identifier: Apache-2.0
// The visitor that reads a message from untrusted bytes. It stops at the first thing that does not
// fit and remembers the field. Depth is bounded by the schema, which has no struct inside itself.
#pragma once

#include "milena/base/bytes.h"
#include "milena/protocol/arena.h"
#include "struct_type.h"
#include "walk.h"

namespace milena::protocol {

class Decoder {
public:
    Decoder(ByteReader& reader, std::int16_t version, bool flexible, Arena& arena)
        : reader_(reader), arena_(arena), version_(version), flexible_(flexible) {}

    bool ok() const { return reader_.ok(); }
    /// The field that did not fit; null if it was a tag section.
    const Field* failed_at() const { return failed_at_; }

    template <class T, class Default>
    [[gnu::always_inline]] void field(const Field& field, T& member, const Default&) {
        if (field.exists(version_)) read(field, member);
    }

    /// Takes one tag at a time off the section; tagged() claims it or it is skipped. As in
    /// Kafka 4.4, tags may come in any order and the last of a repeated one counts; unlike there, a
    /// field must fill exactly the size it states.
    class Tags {
    public:
        explicit Tags(Decoder& decoder) : decoder_(decoder) {}
        [[gnu::always_inline]] bool next() {
            if (begun_ || decoder_.flexible_) return next_tag();
            return false;
        }

    private:
        friend Decoder;
        bool next_tag();

        Decoder& decoder_;
        std::size_t left_ = 0;
        std::size_t end_ = 0;  // reader position behind the open tag
        std::uint32_t tag_ = 0;
        bool begun_ = false;
        bool open_ = false;
        bool claimed_ = false;
    };
    Tags tags() { return Tags(*this); }

    template <class T, class Default>
    [[gnu::always_inline]] void tagged(Tags& tags, const Field& field, T& member, const Default&) {
        if (tags.tag_ != static_cast<std::uint32_t>(field.tag) || !field.exists(version_)) return;
        tags.claimed_ = true;
        read(field, member);
    }

private:
    void fail(const Field& field);

    template <std::integral T>
    [[gnu::always_inline]] void read(const Field& field, T& value) {
        if (reader_.remaining() < sizeof(T)) [[unlikely]]
            return fail(field);
        if constexpr (std::same_as<T, bool>) {
            value = reader_.read<std::int8_t>() != 0;
        } else {
            value = reader_.read<T>();
        }
    }
    void read(const Field& field, double& value);
    void read(const Field& field, Uuid& value);
    void read(const Field& field, std::string_view& value);
    void read(const Field& field, NullableString& value);
    void read(const Field& field, Bytes& value);
    void read(const Field& field, NullableBytes& value);
    void read(const Field& field, Records& value);

    template <class T>
    [[gnu::always_inline]] void read(const Field& field, Array<T>& array) {
        if constexpr (Structure<T>) {
            read_structs(field, array, kStructType<T>);
        } else {
            read_leaves<T>(field, array);
        }
    }
    void read_structs(const Field& field, ArrayBase& array, const StructType& type);
    template <class T>
    void read_leaves(const Field& field,
                     ArrayBase& array);  // instantiated in decoder.cc for the types of the wire

    template <Structure T>
    [[gnu::always_inline]] void read(const Field&, T& value) {
        kStructType<T>.read(*this, &value);
    }
    template <Structure T>
    void read(const Field& field, Nullable<T>& value) {
        value = std::nullopt;
        if (read_presence(field)) kStructType<T>.read(*this, &value.emplace());
    }

    std::int64_t read_length(const Field& field, std::size_t classic_bytes);
    BytesView read_counted(const Field& field, std::size_t classic_bytes, std::size_t size_max,
                           bool& is_null);
    std::size_t read_count(const Field& field, ArrayBase& array, std::size_t element_bytes_min);
    bool read_presence(const Field& field);

    ByteReader& reader_;
    Arena& arena_;
    const Field* failed_at_ = nullptr;
    std::int16_t version_;
    bool flexible_;
};

}  // namespace milena::protocol
