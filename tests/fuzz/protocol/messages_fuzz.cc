// SPDX-License-Identifier: Apache-2.0
// Any bytes as any message: the first two choose the message, the third the version, the rest is
// its body. What decodes must encode again, and the encoding must decode to an equal message.
#include <cstddef>
#include <cstdint>

#include "milena/protocol/codec.h"

namespace {

using namespace milena;
using namespace milena::protocol;

void check(const MessageType& type, std::int16_t version, BytesView body) {
    Arena arena(16U << 20);
    ByteReader reader(body);
    void* const message = make_message(type, arena);
    if (!decode_message(type, reader, version, arena, message)) return;
    std::vector<std::byte> encoded;
    const auto appended = append_message(type, message, version, encoded, nullptr);
    INVARIANT(appended.has_value(), "what was decoded does not encode");
    INVARIANT(encoded.size() == *encoded_message_size(type, message, version),
              "the sizer is wrong");

    Arena second(64U << 20);
    ByteReader again(encoded);
    void* const copy = make_message(type, second);
    const auto decoded = decode_message(type, again, version, second, copy);
    INVARIANT(decoded.has_value() && again.remaining() == 0, "what was encoded does not decode");
    // Not-a-numbers differ from themselves; their encodings do not.
    std::vector<std::byte> twice;
    INVARIANT(append_message(type, copy, version, twice, nullptr).has_value(),
              "the copy does not encode");
    INVARIANT(encoded == twice, "the copy is another message");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    const auto types = message_types();
    const std::size_t choice = std::size_t{data[0]} << 8 | data[1];
    const MessageType& type = *types[choice % types.size()];
    if (type.max_version < type.min_version) return 0;
    const int versions = type.max_version - type.min_version + 1;
    const auto version = static_cast<std::int16_t>(type.min_version + data[2] % versions);
    check(type, version, std::as_bytes(std::span(data, size)).subspan(3));
    return 0;
}
