// SPDX-License-Identifier: Apache-2.0
// Makes, deletes and describes the topic of its own again and again, one step after the other. It
// asks whoever takes a change, and any broker for a description. When a change is not answered,
// which may be done at any time later, it goes on with another topic.
#pragma once

#include <functional>

#include "milena/base/logger.h"
#include "sim/workload/link.h"

namespace milena::sim {

/// How far the metadata log has come, as only the world knows it.
struct MetadataOffsets {
    /// The end of what is committed.
    std::function<std::int64_t()> committed_end;
    /// The last offset in the metadata that `server` tells clients; −1 while it is down.
    std::function<std::int64_t(const std::string& server)> served;
};

struct TopicMakerPorts {
    Link changes;
    Link descriptions;
    MetadataOffsets offsets;
    Logger log;
};

struct TopicShape {
    std::int32_t partitions = 1;
    std::int32_t segment_bytes = 1 << 20;
    /// With more than one, all but one must be in sync for a write.
    std::int16_t replicas = 1;
};

class TopicMaker {
public:
    TopicMaker(TopicMakerPorts ports, std::string topic, SeededRandom random, History& history)
        : link_(std::move(ports.changes)),
          view_(std::move(ports.descriptions)),
          topic_(std::move(topic)),
          offsets_(std::move(ports.offsets)),
          log_(std::move(ports.log)),
          random_(random),
          history_(history) {}

    env::Task<void> run();
    /// Makes the topic, however often it takes.
    env::Task<void> make(const TopicShape& shape);
    env::Task<void> watch();
    void finish() { is_finishing_ = true; }

private:
    env::Task<void> take_a_step();
    env::Task<TopicStep> create(const TopicShape& shape);
    env::Task<TopicStep> remove();
    env::Task<TopicStep> describe();
    /// True if `code` is one of the two answers there are; else it must be one that a fault
    /// explains.
    bool is_answer(std::int16_t code, ErrorCode other);
    /// The step that `result`, of an answer, tells of.
    template <class Result>
    TopicStep answered(TopicStep::Kind kind, const Result& result, ErrorCode other);
    TopicStep step(TopicStep::Kind kind) const { return {.kind = kind, .topic = topic_, .id = {}}; }

    Link link_;
    Link view_;
    std::string topic_;
    std::int32_t topics_ = 1;
    const MetadataOffsets offsets_;
    const Logger log_;
    SeededRandom random_;
    History& history_;
    bool is_finishing_ = false;
};

}  // namespace milena::sim
