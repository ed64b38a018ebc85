// SPDX-License-Identifier: Apache-2.0
// Fetch, and the records in what it gives: without control records, and on demand without those of
// transactions that were aborted.
#include "cluster/consumer.h"

#include <set>

#include <fmt/format.h>

#include "milena/protocol/messages/fetch.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

using protocol::FetchRequest;
using protocol::FetchResponse;

/// The last version that names topics.
constexpr std::int16_t kVersionMax = 12;
constexpr env::Duration kPause = std::chrono::milliseconds(100);
/// Of the key of a control record: i16 version, i16 type.
constexpr std::size_t kControlKeyBytes = 4;
constexpr std::int16_t kAbort = 0;

/// The transactions of a fetched range that were aborted, as the reader passes them.
class AbortedTransactions {
public:
    explicit AbortedTransactions(
        const protocol::NullableArray<FetchResponse::AbortedTransaction>& from) {
        for (const auto& one : from) first_offsets_.emplace(one.first_offset, one.producer_id);
    }
    /// Whether the batch's records are to be left out.
    bool covers(record::BatchView batch) {
        while (!first_offsets_.empty() &&
               first_offsets_.begin()->first <= batch.last_offset().value) {
            open_.insert(first_offsets_.begin()->second);
            first_offsets_.erase(first_offsets_.begin());
        }
        if (batch.is_control()) end_with(batch);
        return batch.is_transactional() && open_.contains(batch.producer_id().value);
    }

private:
    void end_with(record::BatchView batch) {
        const auto read =
            record::for_each_record(batch, {}, [this, batch](const record::RecordView& record) {
                if (record.key && record.key->size() >= kControlKeyBytes &&
                    load<std::int16_t>(record.key->data() + 2) == kAbort)
                    open_.erase(batch.producer_id().value);
                return false;
            });
        static_cast<void>(read);  // a control record that can't be read ends nothing
    }

    std::multimap<std::int64_t, std::int64_t> first_offsets_;
    std::set<std::int64_t> open_;
};

/// A request for some partitions of one leader, with what it views.
struct LeaderFetch {
    FetchRequest request;
    std::vector<FetchRequest::FetchTopic> topics;
    std::vector<std::vector<FetchRequest::FetchPartition>> partitions;

    LeaderFetch(const std::vector<TopicPartition>& wanted,
                const std::map<TopicPartition, std::int64_t>& positions,
                const ConsumerOptions& options) {
        for (const TopicPartition& one : wanted) {
            if (topics.empty() || topics.back().topic != one.topic) {
                topics.emplace_back().topic = one.topic;
                partitions.emplace_back();
            }
            auto& partition = partitions.back().emplace_back();
            partition.partition = one.partition;
            partition.fetch_offset = positions.at(one);
            partition.partition_max_bytes = options.partition_bytes_max;
        }
        for (std::size_t i = 0; i < topics.size(); ++i) topics[i].partitions = partitions[i];
        request.max_wait_ms = options.wait_ms;
        request.min_bytes = 1;
        request.max_bytes = options.bytes_max;
        request.isolation_level = options.read_committed ? 1 : 0;
        request.topics = topics;
    }
};

}  // namespace

struct Consumer::Fetched {
    BytesView records;
    AbortedTransactions aborted;
};

env::Task<Result<bool>> Consumer::poll(const OnRecord& on_record) {
    if (leaders_.empty()) {
        std::vector<TopicPartition> partitions;
        for (const auto& [partition, offset] : positions_) partitions.push_back(partition);
        CO_TRY(leaders_, co_await by_leader(session_, partitions));
    }
    const auto leaders = leaders_;
    for (const auto& [leader, partitions] : leaders) {
        CO_TRY(const bool goes_on, co_await fetch(leader, partitions, on_record));
        if (!goes_on) co_return false;
    }
    co_return true;
}

env::Task<Result<bool>> Consumer::fetch(BrokerId leader,
                                        const std::vector<TopicPartition>& partitions,
                                        const OnRecord& on_record) {
    const LeaderFetch asked(partitions, positions_, options_);
    const auto answer = co_await session_.client().call<FetchResponse>(wire::Target::broker(leader),
                                                                       asked.request, kVersionMax);
    if (!answer) {
        if (!is_out_of_reach(answer.error().code)) co_return std::unexpected(answer.error());
        leaders_.clear();
        co_await session_.env().sleep(session_.executor(), kPause);
        co_return true;
    }
    for (const auto& topic : (*answer)->responses) {
        for (const auto& partition : topic.partitions) {
            const TopicPartition one{std::string(topic.topic), partition.partition_index};
            if (!positions_.contains(one)) continue;
            const auto code = static_cast<ErrorCode>(partition.error_code);
            if (code == ErrorCode::offset_out_of_range) {
                CO_TRY_VOID(co_await reset(one));
            } else if (is_retriable(code)) {
                leaders_.clear();
                co_await session_.env().sleep(session_.executor(), kPause);
            } else if (code != ErrorCode::none) {
                co_return std::unexpected(answered_error(partition.error_code, ""));
            } else if (partition.records.has_value()) {
                const Fetched fetched{partition.records.bytes(),
                                      AbortedTransactions(partition.aborted_transactions)};
                CO_TRY(const bool goes_on, take(one, fetched, on_record));
                if (!goes_on) co_return false;
            }
        }
    }
    co_return true;
}

env::Task<Result<void>> Consumer::reset(const TopicPartition& partition) {
    const std::vector<TopicPartition> wanted{partition};
    CO_TRY(
        const auto offsets,
        co_await list_offsets(session_, wanted, options_.reset_to_earliest ? kEarliest : kLatest));
    for (const auto& [one, offset] : offsets) {
        if (!offset) co_return std::unexpected(offset.error());
        positions_[one] = *offset;
    }
    co_return ok();
}

Result<bool> Consumer::take(const TopicPartition& partition, const Fetched& fetched,
                            const OnRecord& on_record) {
    std::int64_t& position = positions_[partition];
    AbortedTransactions aborted = fetched.aborted;
    BytesView rest = fetched.records;
    for (;;) {
        TRY(const auto batch, record::first_batch(rest));
        if (!batch) return true;  // the last one was cut off
        rest = rest.subspan(batch->size());
        const bool is_aborted = aborted.covers(*batch) && options_.read_committed;
        bool goes_on = true;
        if (!batch->is_control() && !is_aborted) {
            if (!batch->check_crc()) {
                return fail(ErrorCode::corrupt_message,
                            fmt::format("Record batch for partition {} at offset {} is invalid",
                                        partition.text(), batch->base_offset()));
            }
            TRY_VOID(record::for_each_record(*batch, {}, [&](const record::RecordView& record) {
                if (record.offset.value < position) return true;
                goes_on =
                    on_record(partition, {partition.partition, record, batch->timestamp_type()});
                position = record.offset.value + 1;
                return goes_on;
            }));
        }
        if (!goes_on) return false;
        position = std::max(position, batch->next_offset().value);
    }
}

}  // namespace milena::cli
