// SPDX-License-Identifier: Apache-2.0
// Columns that the properties ask for, in the formatter's order, with a separator between them.
#include "records/record_format.h"

#include <fmt/format.h>

namespace milena::cli {
namespace {

using Properties = std::map<std::string, std::string, std::less<>>;

bool flag(const Properties& properties, std::string_view key, bool otherwise) {
    const auto found = properties.find(key);
    if (found == properties.end()) return otherwise;
    std::string lower;
    for (const char c : found->second) {
        if (c != ' ') lower += static_cast<char>(c | 0x20);
    }
    return lower == "true";
}

std::string text(const Properties& properties, std::string_view key, std::string_view otherwise) {
    const auto found = properties.find(key);
    return found == properties.end() ? std::string(otherwise) : found->second;
}

}  // namespace

Result<Deserializer> RecordFormat::deserializer(const Properties& properties,
                                                std::string_view key) {
    return parse_deserializer(key, text(properties, key, ""));
}

Result<RecordFormat> RecordFormat::make(const Properties& properties) {
    RecordFormat format;
    format.print_timestamp_ = flag(properties, "print.timestamp", false);
    format.print_partition_ = flag(properties, "print.partition", false);
    format.print_offset_ = flag(properties, "print.offset", false);
    format.print_epoch_ = flag(properties, "print.epoch", false);
    format.print_delivery_ = flag(properties, "print.delivery", false);
    format.print_headers_ = flag(properties, "print.headers", false);
    format.print_key_ = flag(properties, "print.key", false);
    format.print_value_ = flag(properties, "print.value", true);
    format.key_separator_ = text(properties, "key.separator", "\t");
    format.line_separator_ = text(properties, "line.separator", "\n");
    format.headers_separator_ = text(properties, "headers.separator", ",");
    format.null_literal_ = text(properties, "null.literal", "null");
    TRY(format.key_, deserializer(properties, "key.deserializer"));
    TRY(format.value_, deserializer(properties, "value.deserializer"));
    TRY(format.header_, deserializer(properties, "headers.deserializer"));
    return format;
}

Result<void> RecordFormat::append_value(record::NullableBytes bytes, Deserializer how,
                                        std::string& into) const {
    if (bytes) return append_deserialized(*bytes, how, into);
    into += null_literal_;
    return ok();
}

Result<void> RecordFormat::append_headers(const record::RecordView& record,
                                          std::string& into) const {
    if (record.header_count == 0) into += "NO_HEADERS";
    ByteReader reader(record.headers);
    for (std::int32_t i = 0; i < record.header_count; ++i) {
        if (i != 0) into += headers_separator_;
        const auto key = reader.read_bytes(static_cast<std::size_t>(reader.read_varint()));
        const std::int32_t size = reader.read_varint();
        record::NullableBytes value;
        if (size >= 0) value = reader.read_bytes(static_cast<std::size_t>(size));
        into += as_text(key);
        into += ':';
        TRY_VOID(append_value(value, header_, into));
    }
    return ok();
}

Result<void> RecordFormat::append(const ConsumedRecord& consumed, std::string& into) const {
    const record::RecordView& record = consumed.record;
    std::vector<std::string> columns;
    if (print_timestamp_) {
        const bool is_append = consumed.timestamp_type == record::TimestampType::log_append;
        columns.push_back(
            fmt::format("{}:{}", is_append ? "LogAppendTime" : "CreateTime", record.timestamp));
    }
    if (print_partition_) columns.push_back(fmt::format("Partition:{}", consumed.partition));
    if (print_offset_) columns.push_back(fmt::format("Offset:{}", record.offset));
    // The tool hands the formatter no leader epoch and no delivery count.
    if (print_delivery_) columns.emplace_back("Delivery:NOT_PRESENT");
    if (print_epoch_) columns.emplace_back("Epoch:NOT_PRESENT");
    if (print_headers_) TRY_VOID(append_headers(record, columns.emplace_back()));
    if (print_key_) TRY_VOID(append_value(record.key, key_, columns.emplace_back()));
    if (print_value_) TRY_VOID(append_value(record.value, value_, columns.emplace_back()));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        into += columns[i];
        into += i + 1 == columns.size() ? line_separator_ : key_separator_;
    }
    return ok();
}

}  // namespace milena::cli
