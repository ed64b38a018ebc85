// SPDX-License-Identifier: Apache-2.0
// Keys and values of coordinators' logs: a number, then the message in the version that it says.
#include "milena/coordinator/record.h"

namespace milena::coordinator {
namespace {

Result<std::vector<std::byte>> encode_after_number(std::int16_t number,
                                                   const protocol::MessageType& type,
                                                   const void* message, std::int16_t version) {
    std::vector<std::byte> bytes(sizeof number);
    store(bytes.data(), number);
    TRY_VOID(protocol::append_message(type, message, version, bytes, nullptr));
    return bytes;
}

}  // namespace

Result<Record> make_record_of(const protocol::MessageType& key_type, const void* key,
                              const protocol::MessageType& value_type, const void* value,
                              std::int16_t version) {
    TRY(Record record, make_tombstone_of(key_type, key));
    TRY(record.value, encode_after_number(version, value_type, value, version));
    return record;
}

Result<Record> make_tombstone_of(const protocol::MessageType& key_type, const void* key) {
    // A key's number is its type, and its layout never changes: a changed one is another type.
    TRY(auto bytes, encode_after_number(key_type.key, key_type, key, 0));
    return Record{.key = std::move(bytes), .value = {}};
}

std::optional<std::int16_t> leading_number(BytesView key_or_value) {
    if (key_or_value.size() < sizeof(std::int16_t)) return std::nullopt;
    return load<std::int16_t>(key_or_value.data());
}

}  // namespace milena::coordinator
