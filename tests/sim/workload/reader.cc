// SPDX-License-Identifier: Apache-2.0
// Each fetch is judged on the spot for what no history shows: damaged batches, errors that no fault
// explains.
#include "sim/workload/reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "milena/record/records.h"

namespace milena::sim {
namespace {

using protocol::FetchRequest;
using protocol::FetchResponse;

constexpr std::int16_t kFetchVersion = 12;
constexpr env::Duration kLastPatience = std::chrono::seconds(10);
constexpr env::Duration kRetryPause = std::chrono::milliseconds(100);
constexpr std::int32_t kWaitMs = 200;
constexpr std::int32_t kBytesMax = 64 * 1024;
constexpr double kSeekChance = 0.02;
/// Most seeks go back by some records only. Of those that go anywhere, the reader comes back to
/// where it was after some answers: whoever read on from there would read everything many times.
constexpr std::uint64_t kNearRecords = 300;
constexpr double kFarChance = 0.3;
constexpr double kReturnChance = 0.3;

}  // namespace

Result<std::vector<Sighting>> sightings_in(BytesView bytes, std::int64_t from) {
    std::vector<Sighting> found;
    for (;;) {
        TRY(const auto batch, record::first_batch(bytes));
        if (!batch) return found;
        if (!batch->check_crc()) return fail(ErrorCode::corrupt_message, "wrong CRC");
        bool is_mark = true;
        const auto each = [&](const record::RecordView& one) {
            const auto mark = one.value ? Mark::parse(as_text(*one.value)) : std::nullopt;
            is_mark = is_mark && mark;
            if (mark && one.offset.value >= from) found.push_back({one.offset.value, *mark});
            return is_mark;
        };
        TRY_VOID(record::for_each_record(*batch, {}, each));
        if (!is_mark) return fail(ErrorCode::corrupt_message, "a value that nobody wrote");
        bytes = bytes.subspan(batch->size());
    }
}

env::Task<void> Reader::run() {
    Node& machine = link_.machine();
    auto& sessions = history_.partitions[place_].sessions;
    std::int64_t at = 0;
    std::optional<std::int64_t> left_at;
    std::size_t session = sessions.size();
    sessions.push_back({});
    const auto seek = [&](std::int64_t to) {
        at = to;
        session = sessions.size();
        sessions.push_back({.from = at, .records = {}});
    };
    while (!is_finishing_) {
        const auto answer = co_await fetch(at);
        if (!answer || answer->error != ErrorCode::none) {
            const bool is_leaders = history_.partitions[place_].is_newest(link_.leader_epoch());
            if (answer && is_leaders && !may_be_refused_with(answer->error)) {
                complain("I10", fmt::format("reading at {}, which was told: {}", at,
                                            error_name(answer->error)));
            }
            link_.drop();
            co_await machine.sleep(machine.core(0), kRetryPause);
            continue;
        }
        auto& seen = sessions[session].records;
        seen.insert(seen.end(), answer->records.begin(), answer->records.end());
        if (!answer->records.empty()) at = answer->records.back().offset + 1;
        if (left_at) {
            if (random_.chance(kReturnChance)) seek(*std::exchange(left_at, std::nullopt));
        } else if (at > 0 && random_.chance(kSeekChance)) {
            const bool is_far = random_.chance(kFarChance);
            if (is_far) left_at = at;
            const auto known = static_cast<std::uint64_t>(at);
            seek(at - 1 -
                 static_cast<std::int64_t>(
                     random_.below(is_far ? known : std::min(known, kNearRecords))));
        }
    }
}

env::Task<bool> Reader::read_all() {
    PartitionHistory& partition = history_.partitions[place_];
    auto& log = partition.final_log;
    log.clear();
    std::int64_t acknowledged_end = 0;
    for (const Acknowledgement& one : partition.acknowledged)
        acknowledged_end = std::max(acknowledged_end, one.offset + 1);
    // A new leader's high watermark comes after it: what was acknowledged is waited for a while.
    const env::Instant patience = link_.now() + kLastPatience;
    for (;;) {
        const std::int64_t at = log.empty() ? 0 : log.back().offset + 1;
        const auto answer = co_await fetch(at);
        if (answer && may_be_refused_with(answer->error)) link_.drop();
        if (!answer || may_be_refused_with(answer->error)) {
            co_await link_.machine().sleep(link_.machine().core(0), kRetryPause);
            continue;
        }
        if (answer->error != ErrorCode::none) co_return false;
        log.insert(log.end(), answer->records.begin(), answer->records.end());
        if (!answer->records.empty()) continue;
        if (at >= acknowledged_end || link_.now() >= patience)
            co_return at >= answer->high_watermark;
    }
}

env::Task<std::optional<Reader::Answer>> Reader::fetch(std::int64_t offset) {
    if (co_await link_.ready(&place_) == nullptr) co_return std::nullopt;
    FetchRequest request;
    request.max_wait_ms = kWaitMs;
    request.min_bytes = 1;
    std::array<FetchRequest::FetchPartition, 1> parts;
    parts[0].partition = place_.partition;
    // What another leadership says is no answer to this.
    parts[0].current_leader_epoch = link_.leader_epoch();
    parts[0].fetch_offset = offset;
    parts[0].partition_max_bytes = kBytesMax;
    std::array<FetchRequest::FetchTopic, 1> topics;
    topics[0].topic = place_.topic;
    topics[0].partitions = parts;
    request.topics = topics;
    history_.partitions[place_].is_newest(link_.leader_epoch());
    const env::Instant asked = link_.now();
    const auto response = co_await link_.call<FetchResponse>(request, kFetchVersion);
    if (!response) co_return std::nullopt;
    if (response->error_code != 0)
        co_return Answer{.error = static_cast<ErrorCode>(response->error_code), .records = {}};
    co_return take(response->responses[0].partitions[0], offset, asked);
}

Reader::Answer Reader::take(const FetchResponse::PartitionData& part, std::int64_t offset,
                            env::Instant asked) {
    Answer answer{.error = static_cast<ErrorCode>(part.error_code),
                  .high_watermark = part.high_watermark,
                  .records = {}};
    if (answer.error != ErrorCode::none) return answer;
    history_.partitions[place_].limits.push_back({.asked = asked,
                                                  .answered = link_.now(),
                                                  .high_watermark = part.high_watermark,
                                                  .last_stable_offset = part.last_stable_offset,
                                                  .log_start_offset = part.log_start_offset,
                                                  .leader_epoch = link_.leader_epoch()});
    auto records = sightings_in(part.records.bytes(), offset);
    if (records) {
        answer.records = std::move(*records);
    } else {
        complain("I2", fmt::format("at {}: {}", offset, records.error().why));
        answer.error = records.error().code;
    }
    return answer;
}

void Reader::complain(std::string_view invariant, const std::string& what) {
    link_.complain(invariant, "reader of " + place_.text() + ": " + what);
}

}  // namespace milena::sim
