// SPDX-License-Identifier: Apache-2.0
// The visitor that reads a message from untrusted bytes. It stops at the first thing that does not fit and remembers the
// field. Depth is bounded by the schema, which has no struct inside itself.
#pragma once

#include <bit>

#include "milena/base/bytes.h"
#include "milena/protocol/arena.h"
#include "milena/protocol/codec.h"
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

    /// Takes one tag at a time off the section; tagged() claims it or it is skipped.
    class Tags {
    public:
        explicit Tags(Decoder& decoder) : decoder_(decoder) {}
        [[gnu::always_inline]] bool next() {
            if (!begun_) {
                begun_ = true;
                if (!decoder_.flexible_) return false;
                left_ = decoder_.reader_.read_unsigned_varint();
                if (left_ == 0) [[likely]] return false;
            }
            return next_tag();
        }

    private:
        friend Decoder;
        [[gnu::noinline]] bool next_tag() {
            ByteReader& reader = decoder_.reader_;
            if (open_) {
                if (!claimed_) reader.skip(end_ - reader.position());
                if (reader.position() != end_) reader.fail();
            }
            if (left_ > kTagsMax) reader.fail();
            if (left_ == 0 || !reader.ok()) return false;
            --left_;
            tag_ = reader.read_unsigned_varint();
            const std::size_t size = reader.read_unsigned_varint();
            if (size > reader.remaining()) reader.fail();
            end_ = reader.position() + size;
            open_ = true;
            claimed_ = false;
            return reader.ok();
        }

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
    void tagged(Tags& tags, const Field& field, T& member, const Default&) {
        if (tags.tag_ != static_cast<std::uint32_t>(field.tag) || !field.exists(version_)) return;
        tags.claimed_ = true;
        read(field, member);
    }

    template <Structure T>
    [[gnu::noinline]] void read_struct(T& value) {
        Walk<T>::fields(*this, value);
    }

private:
    [[gnu::cold, gnu::noinline]] void fail(const Field& field) {
        if (failed_at_ == nullptr) failed_at_ = &field;
        reader_.fail();
    }

    template <std::integral T>
    [[gnu::always_inline]] void read(const Field& field, T& value) {
        if (reader_.remaining() < sizeof(T)) [[unlikely]] return fail(field);
        if constexpr (std::same_as<T, bool>) {
            value = reader_.read<std::int8_t>() != 0;
        } else {
            value = reader_.read<T>();
        }
    }
    void read(const Field& field, double& value) {
        if (reader_.remaining() < sizeof value) [[unlikely]] return fail(field);
        value = std::bit_cast<double>(reader_.read<std::uint64_t>());
    }
    [[gnu::always_inline]] void read(const Field& field, Uuid& value) {
        if (reader_.remaining() < 16) [[unlikely]] return fail(field);
        value.high = reader_.read<std::uint64_t>();
        value.low = reader_.read<std::uint64_t>();
    }

    /// The length before a value, −1 for null; any negative length is a null, as in Kafka. 2^31 − 1 is beyond any bound.
    template <std::integral Classic>
    [[gnu::always_inline]] std::int64_t read_length(const Field& field) {
        if (flexible_ && !field.never_flexible) {
            const std::int64_t length = std::int64_t{reader_.read_unsigned_varint()} - 1;
            if (length < 0 && !reader_.ok()) [[unlikely]] fail(field);
            return length;
        }
        if (reader_.remaining() < sizeof(Classic)) [[unlikely]] {
            fail(field);
            return -1;
        }
        return reader_.read<Classic>();
    }

    /// `size` bytes at hand, or nothing and failure.
    [[gnu::always_inline]] BytesView take(const Field& field, std::int64_t size, std::size_t size_max) {
        const auto count = static_cast<std::uint64_t>(size);  // a null that may not be is too long
        if (count > size_max || count > reader_.remaining()) [[unlikely]] {
            fail(field);
            return {};
        }
        return reader_.read_bytes(count);
    }

    [[gnu::always_inline]] void read(const Field& field, std::string_view& value) {
        value = as_text(take(field, read_length<std::int16_t>(field), kStringBytesMax));
    }
    [[gnu::always_inline]] void read(const Field& field, NullableString& value) {
        const std::int64_t length = read_length<std::int16_t>(field);
        if (length < 0 && field.nullable(version_)) {
            value = std::nullopt;
        } else {
            value = as_text(take(field, length, kStringBytesMax));
        }
    }
    [[gnu::always_inline]] void read(const Field& field, Bytes& value) {
        value = take(field, read_length<std::int32_t>(field), SIZE_MAX);
    }
    template <class T>
        requires(std::same_as<T, NullableBytes> || std::same_as<T, Records>)
    [[gnu::always_inline]] void read(const Field& field, T& value) {
        const std::int64_t length = read_length<std::int32_t>(field);
        if (length < 0 && field.nullable(version_)) {
            value = std::nullopt;
        } else {
            value = take(field, length, INT32_MAX);
        }
    }

    template <class T>
    [[gnu::always_inline]] void read(const Field& field, Array<T>& value) {
        const std::int64_t length = read_length<std::int32_t>(field);
        if (length < 0) [[unlikely]] return fail(field);
        value = read_elements<T>(field, static_cast<std::size_t>(length));
    }
    template <class T>
    [[gnu::always_inline]] void read(const Field& field, NullableArray<T>& value) {
        const std::int64_t length = read_length<std::int32_t>(field);
        if (length < 0) {
            if (!field.nullable(version_)) [[unlikely]] return fail(field);
            value = std::nullopt;
        } else {
            value = read_elements<T>(field, static_cast<std::size_t>(length));
        }
    }
    template <class T>
    [[gnu::noinline]] Array<T> read_elements(const Field& field, std::size_t count) {
        if (count == 0) return {};
        if (count > kArrayElementsMax || count * wire_bytes_min<T>() > reader_.remaining()) [[unlikely]] {
            fail(field);
            return {};
        }
        T* const elements = arena_.try_make_array<T>(count);
        if (elements == nullptr) [[unlikely]] {
            fail(field);
            return {};
        }
        for (std::size_t i = 0; i < count; ++i) {
            if constexpr (Structure<T>) {
                Walk<T>::fields(*this, elements[i]);
            } else {
                read(field, elements[i]);
            }
            if (!reader_.ok()) [[unlikely]] return {};
        }
        return std::span<const T>(elements, count);
    }

    template <Structure T>
    void read(const Field&, T& value) {
        read_struct(value);
    }
    template <Structure T>
    void read(const Field& field, Nullable<T>& value) {
        if (field.nullable(version_)) {
            if (reader_.remaining() < 1) [[unlikely]] return fail(field);
            if (reader_.read<std::int8_t>() < 0) {
                value = std::nullopt;
                return;
            }
        }
        read_struct(value.emplace());
    }

    ByteReader& reader_;
    Arena& arena_;
    const Field* failed_at_ = nullptr;
    std::int16_t version_;
    bool flexible_;
};

}  // namespace milena::protocol
