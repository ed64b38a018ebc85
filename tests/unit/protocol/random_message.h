// SPDX-License-Identifier: Apache-2.0
// Invents messages: the inspector that fills one with random values which its version can carry.
#pragma once

#include <cstdint>
#include <random>

#include "milena/protocol/inspector.h"
#include "milena/protocol/message_type.h"

namespace milena::protocol {

class RandomMessage final : public Inspector {
public:
    RandomMessage(std::int16_t version, std::uint64_t seed, Arena& arena);

    bool wants(const Field& field, bool has_default) override;
    void leaf(const Field& field, Leaf place) override;
    void list(const Field& field, List place) override;
    void object(const Field& field, Object place) override;

private:
    bool one_in(unsigned count) { return random_() % count == 0; }
    std::string_view text(std::size_t size_max);
    /// Mostly short, sometimes long enough for a length of two or three bytes.
    std::size_t size();

    void invent(const Field& field, bool& value);
    template <class T>
        requires std::is_integral_v<T>
    void invent(const Field& field, T& value);
    void invent(const Field& field, double& value);
    void invent(const Field& field, Uuid& value);
    void invent(const Field& field, std::string_view& value);
    void invent(const Field& field, Bytes& value);
    template <class T>
    void invent(const Field& field, T& nullable);

    std::mt19937_64 random_;
    Arena& arena_;
    unsigned depth_ = 0;
};

/// A random message of the type in the arena.
void* random_message(const MessageType& type, std::int16_t version, std::uint64_t seed,
                     Arena& arena);

}  // namespace milena::protocol
