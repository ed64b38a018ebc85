// SPDX-License-Identifier: Apache-2.0
// The records of a coordinator's log (__consumer_offsets and its like), as bytes in Kafka's format:
// a key that begins with its type, an int16, and a value that begins with its version, an int16.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "milena/base/bytes.h"
#include "milena/base/ids.h"
#include "milena/protocol/codec.h"

namespace milena::coordinator {

/// One that is to be written. Without a value it is a tombstone: what the key names is gone.
struct Record {
    std::vector<std::byte> key;
    std::optional<std::vector<std::byte>> value;

    bool operator==(const Record&) const = default;
};

/// One as it lies in the log or in the state store.
struct RecordView {
    BytesView key;
    std::optional<BytesView> value;
    /// Where it lies in the log; −1 for one that the state store has kept.
    Offset offset{-1};
};

/// As make_record() and make_tombstone(), of messages whose types are known when it runs.
Result<Record> make_record_of(const protocol::MessageType& key_type, const void* key,
                              const protocol::MessageType& value_type, const void* value,
                              std::int16_t version);
Result<Record> make_tombstone_of(const protocol::MessageType& key_type, const void* key);

/// `version` is the value's. Key's type is its schema's key number. An error is a string too long
/// for its field.
template <protocol::Message Key, protocol::Message Value>
Result<Record> make_record(const Key& key, const Value& value, std::int16_t version) {
    return make_record_of(Key::kType, &key, Value::kType, &value, version);
}
template <protocol::Message Key>
Result<Record> make_tombstone(const Key& key) {
    return make_tombstone_of(Key::kType, &key);
}

/// The version with which a value begins, or the type with which a key does; nothing if it is
/// shorter.
std::optional<std::int16_t> leading_number(BytesView key_or_value);

/// What follows that number. The result views `bytes` and `arena`.
template <protocol::Message T>
Result<T> decode_after_number(BytesView bytes, protocol::Arena& arena) {
    const auto number = leading_number(bytes);
    if (!number) return fail(ErrorCode::corrupt_message, "a record without a version");
    const std::int16_t version =
        T::kType.kind == protocol::MessageKind::coordinator_key ? std::int16_t{0} : *number;
    return protocol::decode<T>(bytes.subspan(sizeof(std::int16_t)), version, arena);
}

}  // namespace milena::coordinator
