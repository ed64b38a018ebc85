// SPDX-License-Identifier: Apache-2.0
// Two rounds for each 8 bytes, four at the end of each half of the result.
#include "cleaner/key_hash.h"

#include <bit>

namespace milena::storage {
namespace {

constexpr std::size_t kWordBytes = 8;
constexpr int kRoundsAtEnd = 4;

/// Little-endian, as the algorithm counts.
std::uint64_t word_at(const std::byte* at) {
    return std::byteswap(load<std::uint64_t>(at));
}

class SipState {
public:
    explicit SipState(const std::array<std::uint64_t, 2>& secret)
        : v0_(secret[0] ^ 0x736F6D6570736575U),
          v1_(secret[1] ^ 0x646F72616E646F6DU ^ 0xEEU),
          v2_(secret[0] ^ 0x6C7967656E657261U),
          v3_(secret[1] ^ 0x7465646279746573U) {}

    void take(std::uint64_t word) {
        v3_ ^= word;
        round();
        round();
        v0_ ^= word;
    }
    KeyHash finish() {
        KeyHash hash;
        v2_ ^= 0xEEU;
        hash.low = half();
        v1_ ^= 0xDDU;
        hash.high = half();
        return hash;
    }

private:
    std::uint64_t half() {
        for (int i = 0; i < kRoundsAtEnd; ++i) round();
        return v0_ ^ v1_ ^ v2_ ^ v3_;
    }
    void round() {
        v0_ += v1_;
        v1_ = std::rotl(v1_, 13) ^ v0_;
        v0_ = std::rotl(v0_, 32);
        v2_ += v3_;
        v3_ = std::rotl(v3_, 16) ^ v2_;
        v0_ += v3_;
        v3_ = std::rotl(v3_, 21) ^ v0_;
        v2_ += v1_;
        v1_ = std::rotl(v1_, 17) ^ v2_;
        v2_ = std::rotl(v2_, 32);
    }

    std::uint64_t v0_;
    std::uint64_t v1_;
    std::uint64_t v2_;
    std::uint64_t v3_;
};

}  // namespace

KeyHash hash_key(const std::array<std::uint64_t, 2>& secret, BytesView key) {
    SipState state(secret);
    std::size_t at = 0;
    for (; key.size() - at >= kWordBytes; at += kWordBytes) state.take(word_at(key.data() + at));
    // What is left of the key, and its length in the last byte.
    std::array<std::byte, kWordBytes> last{};
    for (std::size_t i = 0; at + i < key.size(); ++i) last[i] = key[at + i];
    last[kWordBytes - 1] = static_cast<std::byte>(key.size() & 0xFFU);
    state.take(word_at(last.data()));
    return state.finish();
}

}  // namespace milena::storage
