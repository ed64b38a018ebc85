// SPDX-License-Identifier: Apache-2.0
// The table of checkers.
#include <array>

#include "sim/checkers/checker.h"

namespace milena::sim {
namespace {

constexpr std::array kCheckers = {
    Checker{"I1", "no acknowledged write is lost", &no_acknowledged_write_is_lost},
    Checker{"I2", "an offset has one value, for ever", &offset_has_one_value},
    Checker{"I2", "all replicas have the same bytes up to the high watermark", &replicas_are_equal},
    Checker{"I3", "an offset that was told to a producer is that of its record",
            &told_offsets_are_true},
    Checker{"I4", "no record stands twice", &nothing_stands_twice},
    Checker{"I5", "records of a producer stand in the order in which they were sent",
            &order_is_kept},
    Checker{"I9", "no limit of a log goes back", &limits_never_go_back},
    Checker{"I10", "a reader misses nothing between two records", &reads_have_no_gaps},
    Checker{"I11", "a committed offset stays, and is never told as none", &committed_offsets_stay},
    Checker{"I12", "at any time a partition has one owner that can commit",
            &only_the_owner_commits},
    Checker{"I12", "no partition is two members' at any time", &a_partition_has_one_owner},
    Checker{"I12", "who has given a partition up, or has lost it to another, commits it no more",
            &who_has_lost_a_partition_commits_no_more},
    Checker{"I14", "what a client was told of a topic is what it finds, and no id comes back",
            &metadata_is_linearizable},
};

}  // namespace

void Findings::add(std::string what) {
    if (found_.size() < kKeptMax) found_.push_back({invariant_, std::move(what)});
}

std::span<const Checker> checkers() {
    return kCheckers;
}

std::vector<Violation> judge(const History& history) {
    std::vector<Violation> all = history.complaints;
    for (const Checker& checker : kCheckers) {
        Findings findings(checker.invariant);
        checker.check(history, findings);
        for (Violation& one : std::move(findings).take()) all.push_back(std::move(one));
    }
    return all;
}

}  // namespace milena::sim
