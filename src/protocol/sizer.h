// SPDX-License-Identifier: Apache-2.0
// The visitor that counts the bytes of a message before they are written. It is also where a message that its version
// can't carry is found, so that the Writer needs no errors.
#pragma once

#include "milena/base/bytes.h"
#include "milena/protocol/codec.h"
#include "walk.h"

namespace milena::protocol {

class Sizer {
public:
    enum class Refusal { none, absent_from_version, null_in_version, too_long };

    Sizer(std::int16_t version, bool flexible) : version_(version), flexible_(flexible) {}

    std::size_t size() const { return size_; }
    Refusal refusal() const { return refusal_; }
    const Field* refused_at() const { return refused_at_; }

    template <class T, class Default>
    [[gnu::always_inline]] void field(const Field& field, const T& member, const Default& fallback) {
        if (field.exists(version_)) {
            add(field, member);
        } else if (!field.ignorable && !is_default(member, fallback)) [[unlikely]] {
            refuse(field, Refusal::absent_from_version);
        }
    }

    /// One turn that adds up the tags, and the count at its end. It also turns in versions without tags, where values
    /// that can't be carried must be found.
    class Tags {
    public:
        explicit Tags(Sizer& sizer) : sizer_(sizer) {}
        [[gnu::always_inline]] bool next() {
            if (!begun_) return begun_ = true;
            if (sizer_.flexible_) sizer_.size_ += unsigned_varint_size(count_);
            return false;
        }

    private:
        friend Sizer;
        Sizer& sizer_;
        std::size_t count_ = 0;
        bool begun_ = false;
    };
    Tags tags() { return Tags(*this); }

    template <class T, class Default>
    [[gnu::always_inline]] void tagged(Tags& tags, const Field& field, const T& member, const Default& fallback) {
        if (is_default(member, fallback)) return;
        if (field.exists(version_)) {
            const std::size_t before = size_;
            add(field, member);
            size_ += unsigned_varint_size(size_ - before) + unsigned_varint_size(static_cast<std::uint32_t>(field.tag));
            ++tags.count_;
        } else if (!field.ignorable) [[unlikely]] {
            refuse(field, Refusal::absent_from_version);
        }
    }

    template <class T>
    [[gnu::always_inline]] void add(const Field& field, const T& value) {
        if constexpr (std::same_as<T, Uuid>) {
            size_ += 16;
        } else if constexpr (Scalar<T>) {
            size_ += sizeof(T);
        } else if constexpr (std::same_as<T, std::string_view>) {
            if (value.size() > kStringBytesMax) [[unlikely]] refuse(field, Refusal::too_long);
            size_ += length_size(field, value.size(), sizeof(std::int16_t)) + value.size();
        } else if constexpr (std::same_as<T, Bytes>) {
            if (value.size() > INT32_MAX) [[unlikely]] refuse(field, Refusal::too_long);
            size_ += length_size(field, value.size(), sizeof(std::int32_t)) + value.size();
        } else if constexpr (std::same_as<T, NullableString>) {
            value.has_value() ? add(field, *value) : add_null(field, sizeof(std::int16_t));
        } else if constexpr (std::same_as<T, NullableBytes>) {
            value.has_value() ? add(field, *value) : add_null(field, sizeof(std::int32_t));
        } else if constexpr (std::same_as<T, Records>) {
            if (!value.has_value()) return add_null(field, sizeof(std::int32_t));
            size_ += length_size(field, value.size(), sizeof(std::int32_t)) + (value.is_external() ? 0 : value.size());
        } else if constexpr (AnyArray<T>) {
            add_array(field, value);
        } else if constexpr (Structure<T>) {
            add_struct(value);
        } else {  // a struct that may be null
            const bool nullable = field.nullable(version_);
            if (nullable) ++size_;
            if (value.has_value()) {
                add_struct(*value);
            } else if (!nullable) [[unlikely]] {
                refuse(field, Refusal::null_in_version);
            }
        }
    }
    template <Structure T>
    [[gnu::noinline]] void add_struct(const T& value) {
        Walk<T>::fields(*this, value);
    }

private:
    [[gnu::cold, gnu::noinline]] void refuse(const Field& field, Refusal why) {
        if (refusal_ != Refusal::none) return;
        refusal_ = why;
        refused_at_ = &field;
    }

    [[gnu::always_inline]] std::size_t length_size(const Field& field, std::size_t size, std::size_t classic) const {
        return flexible_ && !field.never_flexible ? unsigned_varint_size(size + 1) : classic;
    }
    [[gnu::always_inline]] void add_null(const Field& field, std::size_t classic) {
        if (!field.nullable(version_)) [[unlikely]] refuse(field, Refusal::null_in_version);
        size_ += flexible_ && !field.never_flexible ? 1 : classic;
    }

    template <AnyArray A>
    [[gnu::always_inline]] void add_array(const Field& field, const A& array) {
        using T = Element<A>;
        if constexpr (requires { array.has_value(); }) {
            if (!array.has_value()) return add_null(field, sizeof(std::int32_t));
        }
        size_ += length_size(field, array.size(), sizeof(std::int32_t));
        if constexpr (Scalar<T>) {
            size_ += array.size() * wire_bytes_min<T>();
        } else {
            add_elements(field, static_cast<const Array<T>&>(array));
        }
    }
    template <class T>
    [[gnu::noinline]] void add_elements(const Field& field, const Array<T>& array) {
        if (array.size() > INT32_MAX) [[unlikely]] refuse(field, Refusal::too_long);
        for (const T& element : array) {
            if constexpr (Structure<T>) {
                Walk<T>::fields(*this, element);
            } else {
                add(field, element);
            }
        }
    }

    std::size_t size_ = 0;
    const Field* refused_at_ = nullptr;
    Refusal refusal_ = Refusal::none;
    std::int16_t version_;
    bool flexible_;
};

}  // namespace milena::protocol
