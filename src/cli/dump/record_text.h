// SPDX-License-Identifier: Apache-2.0
// What is inside records: keys, values, control records, the records of the metadata log and those
// of coordinators.
#pragma once

#include <string>

#include "milena/record/records.h"

namespace milena::cli {

/// How bytes become text where no decoder of a whole record is asked for.
enum class PartDecoder { text, int32, int64 };

/// The decoder that a class of Kafka's is: StringDecoder, IntegerDecoder, LongDecoder and
/// DefaultDecoder, whose bytes are shown as text.
Result<PartDecoder> parse_decoder_class(std::string_view name);

/// What the records of a log are.
struct Contents {
    enum class Are {
        parts,                ///< any key and value
        cluster_metadata,     ///< of __cluster_metadata
        groups,               ///< of __consumer_offsets
        transactions,         ///< of __transaction_state
        share_groups,         ///< of __share_group_state
        remote_log_metadata,  ///< of __remote_log_metadata
    };
    Are are = Are::parts;
    PartDecoder key = PartDecoder::text;
    PartDecoder value = PartDecoder::text;
};

/// The keys of its headers, with commas between them.
std::string header_keys(const record::RecordView& record);

/// " endTxnMarker: COMMIT coordinatorEpoch: 0", " LeaderChange {…}" and so on.
std::string control_text(const record::RecordView& record);

/// " key: k payload: v", each part if it is not null; of the records of coordinators and of the
/// metadata log it is JSON. An error where Kafka's tool ends: a key that is missing, a number that
/// is too short.
Result<std::string> contents_text(const record::RecordView& record, const Contents& contents);

}  // namespace milena::cli
