// SPDX-License-Identifier: Apache-2.0
// A consumer that is told its partition and reads on and on; now and then it goes back to an
// earlier offset and reads from there. At the end another one reads the whole log.
#pragma once

#include "milena/protocol/messages/fetch.h"
#include "sim/workload/link.h"

namespace milena::sim {

class Reader {
public:
    Reader(Link link, Place place, SeededRandom random, History& history)
        : link_(std::move(link)), place_(std::move(place)), random_(random), history_(history) {}

    env::Task<void> run();
    env::Task<void> watch() { return link_.watch(); }
    void finish() { is_finishing_ = true; }

    /// Reads from the start of the log to its end, into `final_log`; false if that can't be done.
    env::Task<bool> read_all();

private:
    struct Answer {
        ErrorCode error = ErrorCode::none;
        std::int64_t high_watermark = 0;
        std::vector<Sighting> records;
    };

    /// What lies at `offset` and behind; nothing if the connection has ended.
    env::Task<std::optional<Answer>> fetch(std::int64_t offset);
    Answer take(const protocol::FetchResponse::PartitionData& part, std::int64_t offset,
                env::Instant asked);
    void complain(std::string_view invariant, const std::string& what);

    Link link_;
    const Place place_;
    SeededRandom random_;
    History& history_;
    bool is_finishing_ = false;
};

/// The records of whole batches in `bytes`, from `from` on. An error if a batch is damaged, or a
/// value is no mark.
Result<std::vector<Sighting>> sightings_in(BytesView bytes, std::int64_t from);

}  // namespace milena::sim
