// SPDX-License-Identifier: Apache-2.0
// What must hold, one invariant a file. A checker looks at the history of a run that is over, when
// all faults have healed and every log was read to its end, and says what is wrong.
#pragma once

#include <span>

#include "sim/workload/history.h"

namespace milena::sim {

class Findings {
public:
    explicit Findings(std::string_view invariant) : invariant_(invariant) {}

    /// The first few are kept: one fault breaks thousands of records.
    void add(std::string what);
    std::vector<Violation> take() && { return std::move(found_); }

private:
    static constexpr std::size_t kKeptMax = 5;

    std::string_view invariant_;
    std::vector<Violation> found_;
};

struct Checker {
    /// Its number, as in "I1".
    std::string_view invariant;
    std::string_view claim;
    void (*check)(const History& history, Findings& findings);
};

/// All of them.
std::span<const Checker> checkers();
/// What all of them say, and what clients complained of.
std::vector<Violation> judge(const History& history);

void no_acknowledged_write_is_lost(const History& history, Findings& findings);
void offset_has_one_value(const History& history, Findings& findings);
void told_offsets_are_true(const History& history, Findings& findings);
void nothing_stands_twice(const History& history, Findings& findings);
void order_is_kept(const History& history, Findings& findings);
void limits_never_go_back(const History& history, Findings& findings);
void replicas_are_equal(const History& history, Findings& findings);
void reads_have_no_gaps(const History& history, Findings& findings);
void metadata_is_linearizable(const History& history, Findings& findings);
void committed_offsets_stay(const History& history, Findings& findings);
void only_the_owner_commits(const History& history, Findings& findings);
void a_partition_has_one_owner(const History& history, Findings& findings);
void who_has_lost_a_partition_commits_no_more(const History& history, Findings& findings);

}  // namespace milena::sim
