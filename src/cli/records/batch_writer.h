// SPDX-License-Identifier: Apache-2.0
// Record batches as a producer makes them: each record with its own time and headers, and the whole
// compressed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "milena/record/batch.h"

namespace milena::cli {

struct Header {
    std::string key;
    std::optional<std::string> value;
    bool operator==(const Header&) const = default;
};

struct ProducedRecord {
    std::optional<std::string> key;
    std::optional<std::string> value;
    std::vector<Header> headers;
    std::int64_t timestamp = 0;
};

/// "none", "gzip", "snappy", "lz4" or "zstd".
Result<record::Codec> parse_codec(std::string_view name);

class BatchWriter {
public:
    void append(const ProducedRecord& record);
    std::int32_t count() const { return count_; }
    /// Bytes before compression.
    std::size_t size() const { return record::kBatchHeaderBytes + payload_.size(); }
    /// The batch; afterwards this one is empty. At least one record must have been appended.
    Result<std::vector<std::byte>> finish(record::Codec codec);

private:
    std::vector<std::byte> payload_;
    std::int32_t count_ = 0;
    std::int64_t base_timestamp_ = 0;
    std::int64_t max_timestamp_ = 0;
};

}  // namespace milena::cli
