// SPDX-License-Identifier: Apache-2.0
// Records to text, as kafka-console-consumer's formatter writes them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "records/deserializer.h"

namespace milena::cli {

/// A record as it came, with where it came from. Views live as long as the batch.
struct ConsumedRecord {
    std::int32_t partition = 0;
    record::RecordView record;
    record::TimestampType timestamp_type = record::TimestampType::create;
};

class RecordFormat {
public:
    using Properties = std::map<std::string, std::string, std::less<>>;
    /// The properties print.key, key.separator and so on; others are passed over. An error for a
    /// deserializer that is not there.
    static Result<RecordFormat> make(const Properties& properties);

    /// Appends the record's text; nothing of it if a deserializer can't take what it is given.
    Result<void> append(const ConsumedRecord& record, std::string& text) const;

private:
    static Result<Deserializer> deserializer(const Properties& properties, std::string_view key);
    Result<void> append_value(record::NullableBytes bytes, Deserializer how,
                              std::string& text) const;
    Result<void> append_headers(const record::RecordView& record, std::string& text) const;

    bool print_timestamp_ = false;
    bool print_partition_ = false;
    bool print_offset_ = false;
    bool print_epoch_ = false;
    bool print_delivery_ = false;
    bool print_headers_ = false;
    bool print_key_ = false;
    bool print_value_ = true;
    std::string key_separator_ = "\t";
    std::string line_separator_ = "\n";
    std::string headers_separator_ = ",";
    std::string null_literal_ = "null";
    Deserializer key_ = Deserializer::bytes;
    Deserializer value_ = Deserializer::bytes;
    Deserializer header_ = Deserializer::bytes;
};

}  // namespace milena::cli
