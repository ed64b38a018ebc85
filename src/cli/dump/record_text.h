// SPDX-License-Identifier: Apache-2.0
// What is inside records: keys, values, control records and the records of the metadata log.
#pragma once

#include <string>

#include "milena/record/records.h"

namespace milena::cli {

/// The keys of its headers, with commas between them.
std::string header_keys(const record::RecordView& record);

/// " endTxnMarker: COMMIT coordinatorEpoch: 0", " LeaderChange {…}" and so on.
std::string control_text(const record::RecordView& record);

/// " key: k payload: v", each part if it is not null. With `cluster_metadata` the value is a record
/// of the metadata log, and its text is JSON.
std::string contents_text(const record::RecordView& record, bool cluster_metadata);

}  // namespace milena::cli
