// SPDX-License-Identifier: Apache-2.0
// Record batches as a producer makes them: each record with its own time and headers, and the whole
// compressed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "milena/record/batch.h"

namespace milena::cli {

struct Header {
    std::string key;
    std::optional<std::string> value;
    bool operator==(const Header&) const = default;
};

/// A record to be written, which somebody else keeps.
struct RecordParts {
    std::optional<std::string_view> key;
    std::optional<std::string_view> value;
    std::span<const Header> headers;
    std::int64_t timestamp = 0;
};

struct ProducedRecord {
    std::optional<std::string> key;
    std::optional<std::string> value;
    std::vector<Header> headers;
    std::int64_t timestamp = 0;

    RecordParts parts() const { return {key, value, headers, timestamp}; }
};

/// "none", "gzip", "snappy", "lz4" or "zstd".
Result<record::Codec> parse_codec(std::string_view name);

class BatchWriter {
public:
    void append(const RecordParts& record);
    std::int32_t count() const { return count_; }
    /// Bytes before compression.
    std::size_t size() const { return record::kBatchHeaderBytes + payload_bytes(); }
    /// What size() would grow by.
    std::size_t size_of(const RecordParts& record) const;
    /// The batch; afterwards this one is empty. At least one record must have been appended.
    Result<std::vector<std::byte>> finish(record::Codec codec);

private:
    std::size_t body_size(const RecordParts& record) const;
    std::size_t payload_bytes() const {
        return bytes_.empty() ? 0 : bytes_.size() - record::kBatchHeaderBytes;
    }

    std::vector<std::byte> bytes_;  ///< room for the header, then the records
    std::int32_t count_ = 0;
    std::int64_t base_timestamp_ = 0;
    std::int64_t max_timestamp_ = 0;
};

}  // namespace milena::cli
