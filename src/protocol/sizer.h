// SPDX-License-Identifier: Apache-2.0
// The visitor that counts the bytes of a message before they are written. It is also where a
// message that its version can't carry is found, so that the Writer needs no errors.
#pragma once

#include "milena/base/bytes.h"
#include "struct_type.h"
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
    [[gnu::always_inline]] void field(const Field& field, const T& member,
                                      const Default& fallback) {
        if (field.exists(version_)) {
            add(field, member);
        } else if (!field.ignorable && !is_default(member, fallback)) [[unlikely]] {
            refuse(field, Refusal::absent_from_version);
        }
    }

    /// One turn that adds up the tags, and the count at its end. It also turns in versions without
    /// tags, where values that can't be carried must be found.
    class Tags {
    public:
        explicit Tags(Sizer& sizer) : sizer_(sizer) {}
        [[gnu::always_inline]] bool next() {
            if (!begun_) return begun_ = true;
            if (sizer_.flexible_) sizer_.size_ += count_ == 0 ? 1 : unsigned_varint_size(count_);
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
    [[gnu::always_inline]] void tagged(Tags& tags, const Field& field, const T& member,
                                       const Default& fallback) {
        if (is_default(member, fallback)) return;
        if (field.exists(version_)) {
            const std::size_t before = size_;
            add(field, member);
            add_tag_head(field, size_ - before);
            ++tags.count_;
        } else if (!field.ignorable) [[unlikely]] {
            refuse(field, Refusal::absent_from_version);
        }
    }

    template <Scalar T>
    [[gnu::always_inline]] void add(const Field&, const T&) {
        size_ += kScalarBytes<T>;
    }
    void add(const Field& field, std::string_view value);
    void add(const Field& field, const NullableString& value);
    void add(const Field& field, const Bytes& value);
    void add(const Field& field, const NullableBytes& value);
    void add(const Field& field, const Records& value);

    template <class T>
    [[gnu::always_inline]] void add(const Field& field, const Array<T>& array) {
        if constexpr (Structure<T>) {
            add_structs(field, array, kStructType<T>);
        } else if constexpr (Scalar<T>) {
            add_scalars(field, array, kScalarBytes<T>);
        } else {
            add_views(field, array);
        }
    }
    template <Structure T>
    [[gnu::always_inline]] void add(const Field&, const T& value) {
        kStructType<T>.size_up(*this, &value);
    }
    template <Structure T>
    void add(const Field& field, const Nullable<T>& value) {
        add_presence(field, value.has_value());
        if (value.has_value()) kStructType<T>.size_up(*this, &*value);
    }

private:
    void refuse(const Field& field, Refusal why);
    void add_tag_head(const Field& field, std::size_t size);
    std::size_t length_size(const Field& field, std::size_t size, std::size_t classic) const;
    void add_null(const Field& field, std::size_t classic);
    void add_presence(const Field& field, bool has_value);
    void add_structs(const Field& field, const ArrayBase& array, const StructType& type);
    void add_scalars(const Field& field, const ArrayBase& array, std::size_t element_bytes);
    void add_views(const Field& field, const Array<std::string_view>& array);
    void add_views(const Field& field, const Array<Bytes>& array);

    std::size_t size_ = 0;
    const Field* refused_at_ = nullptr;
    Refusal refusal_ = Refusal::none;
    std::int16_t version_;
    bool flexible_;
};

}  // namespace milena::protocol
