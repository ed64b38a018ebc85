// SPDX-License-Identifier: Apache-2.0
// What the clients of a simulated run did and saw: the checkers judge it when the run is over.
// Every record of the workload says who wrote it and which of its writes it is, so that each is
// known again wherever it turns up.
#pragma once

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "milena/base/uuid.h"
#include "milena/env/clock.h"
#include "sim/workload/group_history.h"

namespace milena::sim {

/// The value of a record: "writer/number".
struct Mark {
    std::int32_t writer = 0;
    std::int64_t number = 0;

    auto operator<=>(const Mark&) const = default;
    std::string text() const;
    /// Nothing if `text` is none.
    static std::optional<Mark> parse(std::string_view text);
};

/// For tables that are only looked up in.
struct MarkHash {
    std::size_t operator()(const Mark& mark) const {
        return static_cast<std::size_t>(mark.number << 8 ^ mark.writer);
    }
};

struct Place {
    std::string topic;
    std::int32_t partition = 0;

    auto operator<=>(const Place&) const = default;
    std::string text() const { return topic + "-" + std::to_string(partition); }
};

/// A record where somebody saw it.
struct Sighting {
    std::int64_t offset = 0;
    Mark mark;

    auto operator<=>(const Sighting&) const = default;
    std::string text() const { return mark.text() + " at " + std::to_string(offset); }
};

/// A write that was answered with success, and the offset that was told.
using Acknowledgement = Sighting;

/// What one reader saw from one position on, without a seek between.
struct ReadSession {
    std::int64_t from = 0;
    std::vector<Sighting> records;
};

/// The limits of a log as one answer told them; true at some moment between asking and the answer.
struct LimitsSeen {
    env::Instant asked;
    env::Instant answered;
    std::int64_t high_watermark = 0;
    std::int64_t last_stable_offset = 0;
    std::int64_t log_start_offset = 0;
    /// In which they hold: a new leader may know less of them than the last one.
    std::int32_t leader_epoch = 0;
};

/// What one replica has on its disk when all is over.
struct ReplicaLog {
    struct Batch {
        std::int64_t base_offset = 0;
        std::int64_t end_offset = 0;
        std::vector<std::byte> bytes;
    };
    std::string server;
    std::vector<Batch> batches;

    std::int64_t end() const { return batches.empty() ? 0 : batches.back().end_offset; }
};

struct PartitionHistory {
    std::vector<Acknowledgement> acknowledged;
    std::vector<ReadSession> sessions;
    std::vector<LimitsSeen> limits;
    /// That any client was told of.
    std::int32_t newest_leader_epoch = -1;

    /// A client talks to the leader of that epoch. False if there is a later one: this one has been
    /// replaced and may not know yet (it was paused, or is cut off), so that what it refuses says
    /// nothing of the partition.
    bool is_newest(std::int32_t leader_epoch) {
        newest_leader_epoch = std::max(newest_leader_epoch, leader_epoch);
        return leader_epoch == newest_leader_epoch;
    }
    /// The whole log, read when all faults were over.
    std::vector<Sighting> final_log;
    std::int64_t final_end() const { return final_log.empty() ? 0 : final_log.back().offset + 1; }
    /// Of every replica, after that.
    std::vector<ReplicaLog> replicas;
};

/// One step of a client that makes and deletes topics one after the other.
struct TopicStep {
    enum class Kind : std::uint8_t { created, deleted, described };
    Kind kind = Kind::described;
    std::string topic;
    /// False if no answer came: the step has happened, or will, or not.
    bool is_answered = false;
    /// Of what was created or found; nothing if there was no such topic.
    std::optional<Uuid> id;
    /// Of a change that was answered: an offset of the metadata log by which it is done. Of a
    /// description: an offset that the metadata of the server which answered had reached when it
    /// was asked.
    std::int64_t offset = 0;
    /// Who answered a description.
    std::string server{};
};

/// Something that must not be.
struct Violation {
    std::string_view invariant;
    std::string what;
};

struct History {
    std::map<Place, PartitionHistory> partitions;
    std::vector<TopicStep> topics;
    /// By its name.
    std::map<std::string, GroupHistory> groups;
    /// What a client found wrong while it worked.
    std::vector<Violation> complaints;
};

}  // namespace milena::sim
