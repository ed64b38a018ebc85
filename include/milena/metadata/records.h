// SPDX-License-Identifier: Apache-2.0
// Records of __cluster_metadata as bytes. A record's value is
//
//   uvarint frame version (1) | uvarint record type | uvarint record version | body, as its schema
//   has it
//
// and its key is null. Which version of a record may be written depends on the finalized
// metadata.version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "milena/base/bytes.h"
#include "milena/base/ids.h"
#include "milena/base/result.h"
#include "milena/metadata/image.h"
#include "milena/protocol/codec.h"

namespace milena::metadata {

/// The value of one record.
using RecordValue = std::vector<std::byte>;

/// A record whose body has not been read yet; `body` lies in the value.
struct FramedRecord {
    std::int16_t type = -1;
    std::int16_t version = -1;
    BytesView body;
};

/// CORRUPT_MESSAGE if the value is not framed as a record.
Result<FramedRecord> read_frame(BytesView value);

/// Appends the frame in front of a body.
void append_frame(std::vector<std::byte>& value, std::int16_t type, std::int16_t version);

/// The value of `record`, a struct of milena/protocol/records/metadata.h, in a version that can
/// carry it.
template <class Record>
RecordValue encode_record(const Record& record, std::int16_t version = Record::kMaxVersion) {
    RecordValue value;
    append_frame(value, Record::kKey, version);
    const Result<void> appended = protocol::append(record, version, value);
    INVARIANT(appended.has_value(), "a record that its version can't carry");
    return value;
}

/// The record versions to write at a level of metadata.version.
struct RecordVersions {
    explicit RecordVersions(std::int16_t metadata_version);

    std::int16_t register_broker;
    std::int16_t partition;
    std::int16_t partition_change;
    bool transactions;             ///< Begin, End and AbortTransaction exist (KIP-868)
    bool controller_registration;  ///< RegisterController exists (KIP-919)
    bool log_directories;          ///< of brokers and replicas (KIP-858)
    bool eligible_leader_replicas;
    bool cordoned_log_directories;
    bool controller_unregistration;
};

/// The records that register a broker or a controller, or make a partition, as the image has them;
/// what the versions lack is left out.
RecordValue record_of(const BrokerRegistration& broker, const RecordVersions& versions);
RecordValue record_of(const ControllerRegistration& controller);
RecordValue record_of(Uuid topic, PartitionIndex index, const PartitionRegistration& partition,
                      const RecordVersions& versions);

/// Ids as records hold them, and back; views of what was given.
inline std::span<const std::int32_t> number_view(std::span<const BrokerId> brokers) {
    static_assert(sizeof(BrokerId) == sizeof(std::int32_t), "a broker id is its number");
    return {reinterpret_cast<const std::int32_t*>(brokers.data()), brokers.size()};
}
inline std::span<const BrokerId> broker_view(protocol::Array<std::int32_t> numbers) {
    return {reinterpret_cast<const BrokerId*>(numbers.data()), numbers.size()};
}
/// The same as lists of their own.
std::vector<std::int32_t> numbers(std::span<const BrokerId> brokers);
std::vector<BrokerId> broker_ids(protocol::Array<std::int32_t> numbers);

}  // namespace milena::metadata
