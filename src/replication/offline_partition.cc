// SPDX-License-Identifier: Apache-2.0
// KAFKA_STORAGE_ERROR, in the form of each answer.
#include "offline_partition.h"

namespace milena::replication {
namespace {

constexpr std::string_view kWhy = "the replica's log is offline";

}  // namespace

Result<void> OfflinePartition::unusable() {
    return fail(ErrorCode::kafka_storage_error, std::string(kWhy));
}

ProduceStep OfflinePartition::produce(Production& batch, ProducePlace) {
    batch.answer.code = ErrorCode::kafka_storage_error;
    batch.answer.why = kWhy;
    return ProduceStep::answered;
}

FetchAnswer OfflinePartition::fetch(const FetchQuestion&) {
    FetchAnswer answer;
    answer.code = ErrorCode::kafka_storage_error;
    return answer;
}

OffsetAnswer OfflinePartition::find_offset(const OffsetQuestion&) {
    OffsetAnswer answer;
    answer.code = ErrorCode::kafka_storage_error;
    return answer;
}

EpochAnswer OfflinePartition::end_of_epoch(LeaderEpoch, LeaderEpoch) {
    EpochAnswer answer;
    answer.code = ErrorCode::kafka_storage_error;
    return answer;
}

}  // namespace milena::replication
