// SPDX-License-Identifier: Apache-2.0
// Values lean to the edges of their types, and lengths to where their encoding grows.
#include "random_message.h"

#include <limits>

namespace milena::protocol {

RandomMessage::RandomMessage(std::int16_t version, std::uint64_t seed, Arena& arena)
    : Inspector(version), random_(seed), arena_(arena) {}

bool RandomMessage::wants(const Field& field, bool) {
    return !field.is_tagged() || one_in(2);
}

void RandomMessage::leaf(const Field& field, Leaf place) {
    std::visit([&](auto* value) { invent(field, *value); }, place);
}

void RandomMessage::list(const Field& field, List place) {
    if (field.nullable(version()) && one_in(4)) return place.assign(std::nullopt, arena_);
    const std::size_t count = depth_ == 0 && one_in(20) ? 200 : random_() % 4;
    place.assign(count, arena_);
    ++depth_;
    for (std::size_t i = 0; i < count; ++i) place.inspect(i, field, *this);
    --depth_;
}

void RandomMessage::object(const Field& field, Object place) {
    const bool present = !place.may_be_null() || !field.nullable(version()) || !one_in(4);
    place.assign(present);
    if (present) place.inspect(*this);
}

std::size_t RandomMessage::size() {
    const std::size_t bound = one_in(50) ? 20'000 : one_in(10) ? 300 : 12;
    return random_() % bound;
}

std::string_view RandomMessage::text(std::size_t size_max) {
    std::string bytes(std::min(size(), size_max), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random_());
    return arena_.copy(std::string_view(bytes));
}

void RandomMessage::invent(const Field&, bool& value) {
    value = one_in(2);
}

template <class T>
    requires std::is_integral_v<T>
void RandomMessage::invent(const Field&, T& value) {
    const T edges[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T{0},
                       static_cast<T>(-1), T{1}};
    value = one_in(3) ? edges[random_() % std::size(edges)] : static_cast<T>(random_());
}

void RandomMessage::invent(const Field&, double& value) {
    value = static_cast<double>(static_cast<std::int64_t>(random_())) / 1024;
}

void RandomMessage::invent(const Field&, Uuid& value) {
    if (!one_in(4)) value = {random_(), random_()};
}

void RandomMessage::invent(const Field&, std::string_view& value) {
    value = text(32'767);
}

void RandomMessage::invent(const Field&, Bytes& value) {
    value = as_bytes(text(SIZE_MAX));
}

template <class T>
void RandomMessage::invent(const Field& field, T& nullable) {
    nullable = std::nullopt;
    if (field.nullable(version()) && one_in(4)) return;
    if constexpr (std::is_same_v<T, NullableString>) {
        nullable = text(32'767);
    } else {
        nullable = as_bytes(text(SIZE_MAX));
    }
}

void* random_message(const MessageType& type, std::int16_t version, std::uint64_t seed,
                     Arena& arena) {
    void* const message = make_message(type, arena);
    RandomMessage inventor(version, seed, arena);
    inspect_message(type, message, inventor);
    return message;
}

}  // namespace milena::protocol
