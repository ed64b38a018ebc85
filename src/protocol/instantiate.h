// SPDX-License-Identifier: Apache-2.0
// Bodies of the function templates in codec.h and inspector.h. Only generated sources include this, each for its own
// messages, with MILENA_INSTANTIATE after their walks.
#pragma once

#include <type_traits>

#include "decoder.h"
#include "message_failure.h"
#include "milena/protocol/codec.h"
#include "milena/protocol/message_type.h"
#include "show.h"
#include "sizer.h"
#include "writer.h"

namespace milena::protocol {

template <class T>
constexpr bool is_flexible(std::int16_t version) {
    return version >= T::kFirstFlexibleVersion;
}
template <class T>
constexpr bool has_version(std::int16_t version) {
    return T::kMinVersion <= version && version <= T::kMaxVersion;
}

template <class T>
Result<T> decode(ByteReader& reader, std::int16_t version, Arena& arena) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    Result<T> message;
    if (!has_version<T>(version)) [[unlikely]] {
        message = no_such_version(T::kName, version);
        return message;
    }
    const std::size_t size = reader.remaining();
    Decoder decoder(reader, version, is_flexible<T>(version), arena);
    Walk<T>::fields(decoder, *message);
    if (!decoder.ok()) [[unlikely]] message = malformed(T::kName, version, decoder.failed_at(), size);
    return message;
}

template <class T>
Result<std::size_t> encoded_size(const T& message, std::int16_t version) {
    if (!has_version<T>(version)) [[unlikely]] return no_such_version(T::kName, version);
    Sizer sizer(version, is_flexible<T>(version));
    Walk<T>::fields(sizer, message);
    if (sizer.refusal() != Sizer::Refusal::none) [[unlikely]] {
        return refused(T::kName, version, *sizer.refused_at(), sizer.refusal());
    }
    return sizer.size();
}

template <class T>
void write(const T& message, std::int16_t version, ByteWriter& bytes, std::vector<Splice>* splices) {
    INVARIANT(has_version<T>(version), "a message written in a version it does not have");
    Writer writer(bytes, version, is_flexible<T>(version), splices);
    Walk<T>::fields(writer, message);
}

template <class T>
void inspect(T& message, Inspector& inspector) {
    Show show(inspector);
    Walk<T>::fields(show, message);
}

template <class T>
std::string to_json(const T& message, std::int16_t version) {
    // The printer changes nothing.
    return print_json(version, [&](Inspector& printer) { inspect(const_cast<T&>(message), printer); });
}

/// The row of a message in message_types().
template <class T>
constexpr MessageType message_type(MessageKind kind, std::int16_t key) {
    return {
        .name = T::kName,
        .kind = kind,
        .key = key,
        .min_version = T::kMinVersion,
        .max_version = T::kMaxVersion,
        .first_flexible_version = T::kFirstFlexibleVersion,
        .make = [](Arena& arena) -> void* { return &arena.make<T>(); },
        .decode = [](ByteReader& reader, std::int16_t version, Arena& arena) -> Result<void*> {
            TRY(const T message, protocol::decode<T>(reader, version, arena));
            T& kept = arena.make<T>();
            kept = message;
            return &kept;
        },
        .encode = [](const void* message, std::int16_t version) {
            return protocol::encode(*static_cast<const T*>(message), version);
        },
        .inspect = [](void* message, Inspector& inspector) { protocol::inspect(*static_cast<T*>(message), inspector); },
        .equal = [](const void* a, const void* b) { return *static_cast<const T*>(a) == *static_cast<const T*>(b); },
    };
}

}  // namespace milena::protocol

#define MILENA_INSTANTIATE(T)                                                                     \
    template Result<T> decode<T>(ByteReader&, std::int16_t, Arena&);                              \
    template Result<std::size_t> encoded_size<T>(const T&, std::int16_t);                         \
    template void write<T>(const T&, std::int16_t, ByteWriter&, std::vector<Splice>*);            \
    template void inspect<T>(T&, Inspector&);                                                     \
    template std::string to_json<T>(const T&, std::int16_t)
