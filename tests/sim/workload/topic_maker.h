// SPDX-License-Identifier: Apache-2.0
// Makes, deletes and describes the topic of its own again and again, one step after the other.
#pragma once

#include "sim/workload/link.h"

namespace milena::sim {

class TopicMaker {
public:
    TopicMaker(Link link, std::string topic, SeededRandom random, History& history)
        : link_(std::move(link)), topic_(std::move(topic)), random_(random), history_(history) {}

    env::Task<void> run();
    /// Makes the topic, however often it takes.
    env::Task<void> make(std::int32_t partitions, std::int32_t segment_bytes);
    env::Task<void> watch() { return link_.watch(); }
    void finish() { is_finishing_ = true; }

private:
    env::Task<TopicStep> create(std::int32_t partitions, std::int32_t segment_bytes);
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
    const std::string topic_;
    SeededRandom random_;
    History& history_;
    bool is_finishing_ = false;
};

}  // namespace milena::sim
