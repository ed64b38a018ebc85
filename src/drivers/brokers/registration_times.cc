// SPDX-License-Identifier: Apache-2.0
// Looks for the records of one broker's registrations.
#include "milena/drivers/registration_times.h"

#include "milena/metadata/records.h"
#include "milena/protocol/codec.h"
#include "milena/protocol/records/metadata.h"

namespace milena::drivers {

void RegistrationTimes::on_committed(std::span<const MetadataBatch> batches) {
    using protocol::RegisterBrokerRecord;
    protocol::Arena arena;
    for (const MetadataBatch& batch : batches) {
        for (const BytesView value : batch.values) {
            const auto framed = metadata::read_frame(value);
            if (!framed || framed->type != RegisterBrokerRecord::kKey) continue;
            arena.reset();
            const auto record =
                protocol::decode<RegisterBrokerRecord>(framed->body, framed->version, arena);
            if (!record || record->broker_id != broker_.value) continue;
            epoch_ = BrokerEpoch(record->broker_epoch);
            time_ = batch.timestamp;
        }
    }
}

}  // namespace milena::drivers
