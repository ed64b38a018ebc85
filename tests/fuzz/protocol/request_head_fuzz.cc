// SPDX-License-Identifier: Apache-2.0
// A frame as a broker gets it: the header, then the body of whatever request it announces.
#include <cstddef>
#include <cstdint>

#include "milena/protocol/codec.h"
#include "milena/protocol/header.h"

namespace {

using namespace milena;
using namespace milena::protocol;

const MessageType* request_type(const Api& api) {
    for (const MessageType* type : message_types()) {
        if (type->kind == MessageKind::request && type->key == static_cast<std::int16_t>(api.key))
            return type;
    }
    return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ByteReader reader(std::as_bytes(std::span(data, size)));
    const auto head = read_request_head(reader);
    if (!head || !head->has_supported_version()) return 0;
    const MessageType* const type = request_type(*head->api);
    INVARIANT(type != nullptr, "an API without its request");
    Arena arena(16U << 20);
    (void)decode_message(*type, reader, head->version(), arena, make_message(*type, arena));
    return 0;
}
