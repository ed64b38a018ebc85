// SPDX-License-Identifier: Apache-2.0
// Page by page: where the next batches lie is asked of the partition, the bytes are read without
// it.
#include "log_tail.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "milena/record/records.h"

namespace milena::drivers {
namespace {

constexpr std::uint64_t kPageBytes = 1 << 20;

using coordinator::RecordView;
using replication::FetchAnswer;

class Tail {
public:
    Tail(replication::Partition& partition, const LogRange& range,
         const std::function<bool(const RecordView&)>& each)
        : partition_(partition), next_(range.from), end_(range.end), each_(each) {}

    Result<ReadTail> read() {
        while (next_ < end_ && !is_over_) {
            const FetchAnswer page = partition_.fetch({.from = next_,
                                                       .read_committed = true,
                                                       .bytes_max = kPageBytes,
                                                       .at_least_one_batch = true,
                                                       .is_copy = true});
            if (page.code != ErrorCode::none)
                return fail(page.code, fmt::format("the log can't be read at {}", next_));
            if (page.records.length == 0) break;  // what lay there was compacted
            const Offset before = next_;
            TRY_VOID(read_page(page));
            if (next_ == before && !is_over_) {
                return fail(ErrorCode::corrupt_message,
                            fmt::format("the log has no whole batch at {}", next_));
            }
        }
        return read_;
    }

private:
    Result<void> read_page(const FetchAnswer& page) {
        memory_.resize(page.records.length);
        TRY(const std::size_t got, page.records.file->read_at(page.records.position, memory_));
        BytesView rest = BytesView(memory_).first(got);
        read_.bytes += got;
        while (!is_over_ && next_ < end_) {
            TRY(const auto batch, record::first_batch(rest));
            if (!batch) return ok();  // the last one is cut: it comes with the next page
            rest = rest.subspan(batch->size());
            TRY_VOID(read_batch(*batch, page));
            next_ = std::max(next_, batch->next_offset());
        }
        return ok();
    }

    Result<void> read_batch(const record::BatchView& batch, const FetchAnswer& page) {
        if (!is_to_be_seen(batch, page) || batch.next_offset() <= next_) return ok();
        return record::for_each_record(
            batch, {},
            [&](const record::RecordView& record) {
                // A record without a key says nothing that a coordinator could know.
                if (record.offset < next_ || record.offset >= end_ || !record.key) return true;
                ++read_.records;
                is_over_ = !each_({*record.key, record.value, record.offset});
                return !is_over_;
            },
            &scratch_);
    }

    bool is_to_be_seen(const record::BatchView& batch, const FetchAnswer& page) {
        if (batch.is_control()) {
            last_marker_[batch.producer_id()] = batch.base_offset();
            return false;
        }
        if (!batch.is_transactional()) return true;
        return batch.base_offset() < page.last_stable_offset && !is_aborted(batch, page);
    }

    /// An aborted transaction ends with the next marker of its producer.
    bool is_aborted(const record::BatchView& batch, const FetchAnswer& page) const {
        const auto marker = last_marker_.find(batch.producer_id());
        const Offset ended = marker == last_marker_.end() ? Offset(-1) : marker->second;
        return std::ranges::any_of(page.aborted, [&](const storage::AbortedTransaction& aborted) {
            return aborted.producer == batch.producer_id() && aborted.first_offset > ended &&
                   aborted.first_offset <= batch.base_offset();
        });
    }

    replication::Partition& partition_;
    Offset next_;
    const Offset end_;
    const std::function<bool(const RecordView&)>& each_;
    std::vector<std::byte> memory_;
    record::Scratch scratch_;
    std::map<ProducerId, Offset> last_marker_;
    ReadTail read_;
    bool is_over_ = false;
};

}  // namespace

Result<ReadTail> read_tail(replication::Partition& partition, const LogRange& range,
                           const std::function<bool(const RecordView&)>& each) {
    return Tail(partition, range, each).read();
}

}  // namespace milena::drivers
