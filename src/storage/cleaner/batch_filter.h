// SPDX-License-Identifier: Apache-2.0
// What a cleaning leaves of one batch. A record stays if no later one in the map has its key, or if
// it lies behind the map; one without a value goes when the delete horizon of its batch is over,
// which the first cleaning that meets it sets (KIP-534). Pure.
#pragma once

#include <map>
#include <vector>

#include "cleaner/cleaned_transactions.h"
#include "cleaner/offset_map.h"
#include "milena/record/compression.h"
#include "milena/record/records.h"

namespace milena::storage {

/// The last offset, in what the map was made of, of producers whose last batch lies behind the
/// cleaning. That one may be cut off with what is not committed, and then this was their last.
using LastInMap = std::map<ProducerId, Offset>;

struct FilterRules {
    Timestamp now{};
    std::int64_t delete_retention_ms = 0;
    /// Where the cleaning ends: the batch before it stays, if without records, so that a replica
    /// that reads this log comes to its end.
    Offset end{};
    /// See CleaningSource.
    Offset tombstones_stay_from{INT64_MAX};
    std::uint64_t plain_bytes_max = 0;
};

struct FilteredBatch {
    enum class Outcome : std::uint8_t {
        gone,
        as_it_was,
        rewritten,  ///< `bytes` is what it is now
    };
    Outcome outcome = Outcome::gone;
    std::vector<std::byte> bytes{};
    std::uint32_t kept = 0;
    std::uint32_t keyless = 0;
};

class BatchFilter {
public:
    /// What is referred to outlives it; `producers` is sorted by id.
    BatchFilter(const OffsetMap& map, const LastInMap& last_in_map,
                const std::vector<LastOfProducer>& producers, const FilterRules& rules)
        : map_(map), last_in_map_(last_in_map), producers_(producers), rules_(rules) {}

    /// The batches of a log in their order, from the first on.
    Result<FilteredBatch> filter(const record::BatchView& batch);
    CleanedTransactions& transactions() { return transactions_; }

    /// Nothing for a producer that will not write on.
    static const LastOfProducer* find(const std::vector<LastOfProducer>& producers, ProducerId id);

private:
    struct Records;

    bool is_last_of_producer(const record::BatchView& batch) const;
    bool horizon_is_over(const record::BatchView& batch) const;
    bool stays(const record::BatchView& batch, const record::RecordView& record) const;
    Result<Records> walk(const record::BatchView& batch, std::optional<Timestamp> new_horizon);
    Result<FilteredBatch> keep_records(const record::BatchView& batch, bool is_empty_marker);

    const OffsetMap& map_;
    const LastInMap& last_in_map_;
    const std::vector<LastOfProducer>& producers_;
    const FilterRules rules_;
    CleanedTransactions transactions_;
    record::Scratch scratch_;
};

}  // namespace milena::storage
