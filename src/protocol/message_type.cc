// SPDX-License-Identifier: Apache-2.0
// The codec for a message whose type is a value: each function is one visitor on one walk.
#include "milena/protocol/message_type.h"

#include <algorithm>

#include "decoder.h"
#include "json_printer.h"
#include "message_failure.h"
#include "message_types.h"
#include "show.h"
#include "sizer.h"
#include "writer.h"

namespace milena::protocol {

namespace {
std::vector<const MessageType*> joined() {
    std::vector<const MessageType*> all;
    for (const auto group : message_type_groups())
        all.insert(all.end(), group.begin(), group.end());
    return all;
}
}  // namespace

std::span<const MessageType* const> message_types() {
    static const std::vector<const MessageType*> kAll = joined();
    return kAll;
}

const MessageType* find_message_type(std::string_view name) {
    const auto all = message_types();
    const auto found = std::ranges::find(all, name, &MessageType::name);
    return found == all.end() ? nullptr : *found;
}

void* make_message(const MessageType& type, Arena& arena) {
    void* const message = arena.make_memory(type.body->size, alignof(std::max_align_t));
    type.body->make(message, 1);
    return message;
}

bool messages_equal(const MessageType& type, const void* a, const void* b) {
    return type.body->equal(a, b);
}

void inspect_message(const MessageType& type, void* message, Inspector& inspector) {
    Show show(inspector);
    type.body->show(show, message);
}

Result<void> decode_message(const MessageType& type, ByteReader& reader, std::int16_t version,
                            Arena& arena, void* message) {
    if (!type.has_version(version)) [[unlikely]]
        return no_such_version(type.name, version);
    const std::size_t size = reader.remaining();
    Decoder decoder(reader, version, type.is_flexible(version), arena);
    type.body->read(decoder, message);
    if (!decoder.ok()) [[unlikely]]
        return malformed(type.name, version, decoder.failed_at(), size);
    return ok();
}

Result<std::size_t> encoded_message_size(const MessageType& type, const void* message,
                                         std::int16_t version) {
    if (!type.has_version(version)) [[unlikely]]
        return no_such_version(type.name, version);
    Sizer sizer(version, type.is_flexible(version));
    type.body->size_up(sizer, message);
    if (sizer.refusal() != Sizer::Refusal::none) [[unlikely]] {
        return refused(type.name, version, *sizer.refused_at(), sizer.refusal());
    }
    return sizer.size();
}

void write_message(const MessageType& type, const void* message, std::int16_t version,
                   ByteWriter& bytes, std::vector<Splice>* splices) {
    INVARIANT(type.has_version(version), "a message written in a version it does not have");
    Writer writer(bytes, version, type.is_flexible(version), splices);
    type.body->write(writer, message);
}

Result<void> append_message(const MessageType& type, const void* message, std::int16_t version,
                            std::vector<std::byte>& bytes, std::vector<Splice>* splices) {
    TRY(const std::size_t size, encoded_message_size(type, message, version));
    const std::size_t before = bytes.size();
    const std::size_t splices_before = splices != nullptr ? splices->size() : 0;
    bytes.resize(before + size);
    ByteWriter writer(MutableBytes(bytes).subspan(before));
    write_message(type, message, version, writer, splices);
    for (std::size_t i = splices_before; splices != nullptr && i < splices->size(); ++i) {
        (*splices)[i].position += before;
    }
    return ok();
}

std::string message_to_json(const MessageType& type, const void* message, std::int16_t version) {
    // The printer changes nothing.
    return print_json(version, [&](Inspector& printer) {
        inspect_message(type, const_cast<void*>(message), printer);
    });
}

}  // namespace milena::protocol
