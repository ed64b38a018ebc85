// SPDX-License-Identifier: Apache-2.0
// Moves the replicas of the workload's partitions to other brokers again and again, and now and
// then calls a move off (KIP-455). What was not answered may be done or not: the next wish is made
// of none of it.
#pragma once

#include <string>
#include <vector>

#include "milena/base/logger.h"
#include "sim/workload/link.h"

namespace milena::sim {

struct MoverShape {
    std::string topic;
    std::int32_t partitions = 1;
    std::int16_t replicas = 1;
    std::vector<std::int32_t> brokers{};
};

class ReplicaMover {
public:
    ReplicaMover(Link link, MoverShape shape, SeededRandom random, Logger log)
        : link_(std::move(link)), shape_(std::move(shape)), random_(random), log_(std::move(log)) {}

    env::Task<void> run();
    env::Task<void> watch() { return link_.watch(); }
    void finish() { is_finishing_ = true; }
    /// Wishes that were granted.
    std::uint64_t moves() const { return moves_; }

private:
    env::Task<void> take_a_step();
    /// `replicas` of the partition, or the end of its move.
    env::Task<void> ask(std::int32_t partition, std::optional<std::vector<std::int32_t>> replicas);
    std::vector<std::int32_t> draw_replicas();
    void judge(std::int16_t code, bool is_cancel);

    Link link_;
    const MoverShape shape_;
    SeededRandom random_;
    const Logger log_;
    std::uint64_t moves_ = 0;
    bool is_finishing_ = false;
};

}  // namespace milena::sim
