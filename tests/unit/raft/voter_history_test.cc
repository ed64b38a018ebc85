// SPDX-License-Identifier: Apache-2.0
// Sets of voters that come with batches and go with truncation.
#include "voter_history.h"

#include <gtest/gtest.h>

namespace milena::raft {
namespace {

VoterSet set_of(int id) {
    return VoterSet({{.key = {BrokerId(id), {}}, .endpoints = {}}});
}

Batch batch(std::int64_t offset, std::vector<ControlRecord> control) {
    return {.base_offset = Offset(offset),
            .last_offset = Offset(offset + 1),
            .epoch = LeaderEpoch(1),
            .control = std::move(control),
            .bytes = nullptr};
}

TEST(VoterHistory, ASetHoldsFromWhereItIsAppended) {
    VoterHistory history({{Offset(-1), 0, set_of(1)}});
    history.note(batch(5, {LeaderChangeRecord{}, KRaftVersionRecord{1}, VotersRecord{set_of(2)}}));
    EXPECT_EQ(history.current(), (VotersAt{Offset(5), 1, set_of(2)}));
}

TEST(VoterHistory, OtherRecordsChangeNothing) {
    VoterHistory history({{Offset(-1), 0, set_of(1)}});
    history.note(batch(5, {LeaderChangeRecord{}}));
    history.note(batch(7, {}));
    EXPECT_EQ(history.current(), (VotersAt{Offset(-1), 0, set_of(1)}));
}

TEST(VoterHistory, ASnapshotHasTheSetOfItsEnd) {
    VoterHistory history({{Offset(-1), 1, set_of(1)}});
    history.note(batch(5, {VotersRecord{set_of(2)}}));
    EXPECT_EQ(history.at(Offset(5)).voters, set_of(1));
    EXPECT_EQ(history.at(Offset(7)).voters, set_of(2));
    EXPECT_EQ(history.at(Offset(-1)).voters, set_of(1)) << "nothing older is known";
}

TEST(VoterHistory, TruncationBringsTheSetBeforeBack) {
    VoterHistory history({{Offset(-1), 1, set_of(1)}});
    history.note(batch(5, {VotersRecord{set_of(2)}}));
    history.note(batch(9, {VotersRecord{set_of(3)}}));
    history.truncate(Offset(9));
    EXPECT_EQ(history.current(), (VotersAt{Offset(5), 1, set_of(2)}));
    history.truncate(Offset(0));
    EXPECT_EQ(history.current(), (VotersAt{Offset(-1), 1, set_of(1)}));
}

}  // namespace
}  // namespace milena::raft
