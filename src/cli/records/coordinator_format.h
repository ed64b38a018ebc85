// SPDX-License-Identifier: Apache-2.0
// Records of coordinators as the message formatters of kafka-console-consumer print them:
// {"key":{"type":1,"data":{…}},"value":{"version":4,"data":{…}}}, one behind the other.
#pragma once

#include "milena/record/records.h"
#include "text/coordinator_records.h"

namespace milena::cli {

class CoordinatorFormat {
public:
    /// The formatter of this class; nothing if it is none of them.
    static std::optional<CoordinatorFormat> of_class(std::string_view name);

    /// Appends the record's text: nothing if it is of another type than the formatter shows. The
    /// error is for a record that can't be read.
    Result<void> append(const record::RecordView& record, std::string& text) const;

private:
    Coordinator coordinator_ = Coordinator::group;
    std::int16_t first_type_ = 0;  ///< the types that are shown
    std::int16_t last_type_ = 0;
};

}  // namespace milena::cli
