// SPDX-License-Identifier: Apache-2.0
// The core by scripts (tests/unit/raft/scripts, see script.h), one test each. With
// MILENA_REWRITE_SCRIPTS=1 in the environment the scripts are rewritten with what happened; review
// the difference.
#include "milena/raft/core.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "script.h"

namespace milena::raft::test {
namespace {

const std::filesystem::path kScripts =
    std::filesystem::path(MILENA_SOURCE_DIR) / "tests/unit/raft/scripts";

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> script_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(kScripts))
        names.push_back(entry.path().stem());
    std::sort(names.begin(), names.end());
    return names;
}

class CoreScripts : public testing::TestWithParam<std::string> {};

TEST_P(CoreScripts, PrintsWhatItShould) {
    const std::filesystem::path path = kScripts / (GetParam() + ".txt");
    const std::string expected = read(path);
    const std::string real = run_script(expected);
    if (std::getenv("MILENA_REWRITE_SCRIPTS") != nullptr) {
        std::ofstream(path) << real;
        return;
    }
    EXPECT_EQ(real, expected);
}

INSTANTIATE_TEST_SUITE_P(, CoreScripts, testing::ValuesIn(script_names()),
                         [](const auto& script) { return script.param; });

RecoveredState alone() {
    RecoveredState state;
    state.voters = {{Offset(-1), 0, VoterSet({{.key = {BrokerId(1), {}}, .endpoints = {}}})}};
    return state;
}

TEST(Core, TheSameEventsGiveTheSameOutputs) {
    const CoreOptions options{.self = {BrokerId(1), {0, 5}}, .seed = 7};
    Core a(options, alone());
    Core b(options, alone());
    Instant now{};
    const std::vector<Event> events{
        Start{}, Appended{Offset(1)},        Synced{Offset(1)}, Propose{LeaderEpoch(1), 2},
        Tick{},  Propose{LeaderEpoch(9), 1}, Shutdown{}};
    for (const Event& event : events) {
        now += std::chrono::milliseconds(3);
        EXPECT_EQ(a.step(event, now), b.step(event, now));
    }
}

TEST(Core, AnEpochThatLeavesNoRoomIsRefused) {
    RecoveredState state = alone();
    state.voters[0].voters = VoterSet(
        {{.key = {BrokerId(1), {}}, .endpoints = {}}, {.key = {BrokerId(2), {}}, .endpoints = {}}});
    Core core({.self = {BrokerId(1), {0, 5}}, .seed = 7}, state);
    core.step(Start{}, {});
    const LeaderEpoch last(0x7FFF'FFFF);
    const VoteRequest vote{.epoch = last,
                           .candidate = {BrokerId(2), {}},
                           .voter = {},
                           .last_epoch = LeaderEpoch(0),
                           .end_offset = Offset(0)};
    for (const Request& request :
         std::vector<Request>{vote, BeginQuorumEpochRequest{last, BrokerId(2), {}},
                              EndQuorumEpochRequest{last, BrokerId(2), {}}}) {
        const Output output = core.step(Received{RequestId(1), request}, {});
        ASSERT_EQ(output.replies.size(), 1u);
        std::visit([](const auto& reply) { EXPECT_EQ(reply.error, ErrorCode::invalid_request); },
                   output.replies[0].response);
        EXPECT_FALSE(output.persist);
    }
    EXPECT_EQ(core.view().epoch, LeaderEpoch(0));
}

TEST(Core, ABatchThatLeavesAGapIsNotTaken) {
    RecoveredState state = alone();
    state.voters[0].voters = VoterSet(
        {{.key = {BrokerId(1), {}}, .endpoints = {}}, {.key = {BrokerId(2), {}}, .endpoints = {}}});
    state.quorum = {LeaderEpoch(3), BrokerId(2), std::nullopt};
    Core core({.self = {BrokerId(1), {0, 5}}, .seed = 7}, state);
    const Output start = core.step(Start{}, {});
    ASSERT_EQ(start.messages.size(), 1u);
    FetchResponse response;
    response.view = {LeaderEpoch(3), BrokerId(2)};
    response.high_watermark = Offset(9);
    response.batches = {{.base_offset = Offset(1),
                         .last_offset = Offset(1),
                         .epoch = LeaderEpoch(3),
                         .control = {},
                         .bytes = {}}};
    const Output output = core.step(Answered{BrokerId(2), start.messages[0].id, response},
                                    Instant{} + std::chrono::milliseconds(1));
    EXPECT_TRUE(output.appends.empty());
    EXPECT_EQ(output.complaints.size(), 1u);
    EXPECT_EQ(core.log_end_offset(), Offset(0));
    EXPECT_FALSE(core.high_watermark());
}

TEST(Core, ALogCutDownToItsSnapshotGoesOnInTheSnapshotsEpoch) {
    RecoveredState state = alone();
    state.voters[0].voters = VoterSet(
        {{.key = {BrokerId(1), {}}, .endpoints = {}}, {.key = {BrokerId(2), {}}, .endpoints = {}}});
    state.quorum = {LeaderEpoch(4), BrokerId(2), std::nullopt};
    state.snapshot = SnapshotId{Offset(10), LeaderEpoch(2)};
    state.log_start_offset = Offset(10);
    state.log_end_offset = Offset(12);
    state.epochs = {{LeaderEpoch(2), Offset(10)}, {LeaderEpoch(3), Offset(10)}};
    Core core({.self = {BrokerId(1), {0, 5}}, .seed = 7}, state);
    const Output start = core.step(Start{}, {});
    ASSERT_EQ(start.messages.size(), 1u);
    FetchResponse response;
    response.view = {LeaderEpoch(4), BrokerId(2)};
    response.diverging = EpochEnd{LeaderEpoch(2), Offset(10)};
    const Output output = core.step(Answered{BrokerId(2), start.messages[0].id, response},
                                    Instant{} + std::chrono::milliseconds(1));
    EXPECT_EQ(output.truncate_to, Offset(10));
    ASSERT_EQ(output.messages.size(), 1u);
    const auto& fetch = std::get<FetchRequest>(output.messages[0].request);
    EXPECT_EQ(fetch.fetch_offset, Offset(10));
    EXPECT_EQ(fetch.last_fetched_epoch, LeaderEpoch(2));
}

/// The answer of `core` to a vote request in `epoch` for replica `candidate`, whose log is empty.
Output ask_for_vote(Core& core, int epoch, int candidate) {
    return core.step(Received{RequestId(1), VoteRequest{.epoch = LeaderEpoch(epoch),
                                                        .candidate = {BrokerId(candidate), {}},
                                                        .voter = {},
                                                        .last_epoch = LeaderEpoch(0),
                                                        .end_offset = Offset(0)}},
                     Instant{});
}

bool is_granted(const Output& output) {
    return std::get<VoteResponse>(output.replies.at(0).response).granted;
}

TEST(Core, AVoteHoldsAfterARestart) {
    RecoveredState state = alone();
    std::vector<Voter> voters;
    for (const int id : {1, 2, 3}) voters.push_back({.key = {BrokerId(id), {}}, .endpoints = {}});
    state.voters[0].voters = VoterSet(voters);
    const CoreOptions options{.self = {BrokerId(1), {0, 5}}, .seed = 7};
    Core core(options, state);
    core.step(Start{}, {});
    const Output first = ask_for_vote(core, 5, 2);
    EXPECT_TRUE(is_granted(first));
    ASSERT_TRUE(first.persist);
    EXPECT_FALSE(is_granted(ask_for_vote(core, 5, 3)));

    state.quorum = *first.persist;
    Core restarted(options, state);
    restarted.step(Start{}, {});
    EXPECT_FALSE(is_granted(ask_for_vote(restarted, 5, 3)));
    EXPECT_TRUE(is_granted(ask_for_vote(restarted, 5, 2)));
    EXPECT_TRUE(is_granted(ask_for_vote(restarted, 6, 3)));
}

TEST(Core, AVoteGoesOnlyToALogThatLacksNothing) {
    RecoveredState state = alone();
    state.voters[0].voters = VoterSet(
        {{.key = {BrokerId(1), {}}, .endpoints = {}}, {.key = {BrokerId(2), {}}, .endpoints = {}}});
    state.quorum = {LeaderEpoch(3), kNoBroker, std::nullopt};
    state.log_end_offset = Offset(10);
    state.epochs = {{LeaderEpoch(1), Offset(0)}, {LeaderEpoch(3), Offset(8)}};
    struct Case {
        int last_epoch;
        int end;
        bool granted;
    };
    for (const Case& one :
         {Case{3, 10, true}, {3, 9, false}, {3, 11, true}, {2, 99, false}, {4, 1, true}}) {
        Core core({.self = {BrokerId(1), {0, 5}}, .seed = 7}, state);
        core.step(Start{}, {});
        const Output output =
            core.step(Received{RequestId(1), VoteRequest{.epoch = LeaderEpoch(9),
                                                         .candidate = {BrokerId(2), {}},
                                                         .voter = {},
                                                         .last_epoch = LeaderEpoch(one.last_epoch),
                                                         .end_offset = Offset(one.end)}},
                      Instant{});
        EXPECT_EQ(is_granted(output), one.granted) << one.last_epoch << ", " << one.end;
    }
}

/// A leader of epoch 5 among nodes 1, 2 and 3, elected by 2, whose log had ten records of epoch 1.
struct NewLeader {
    explicit NewLeader(RecoveredState state = recovered())
        : core({.self = {BrokerId(1), {0, 5}}, .seed = 7}, std::move(state)) {
        Output output = core.step(Start{}, now);
        while (core.role() != Role::leader) {
            if (output.messages.empty()) {
                now = output.wake_at;
                output = core.step(Tick{}, now);
                continue;
            }
            Output next;
            for (const Message& message : output.messages) {
                if (message.to != BrokerId(2)) continue;
                next = std::holds_alternative<VoteRequest>(message.request)
                           ? core.step(Answered{message.to, message.id, vote()}, now)
                           : core.step(SendFailed{message.to, message.id}, now);
            }
            output = next.messages.empty()
                         ? core.step(Tick{}, now += std::chrono::milliseconds(100))
                         : next;
        }
    }

    static RecoveredState recovered() {
        RecoveredState state = alone();
        std::vector<Voter> voters;
        for (const int id : {1, 2, 3})
            voters.push_back({.key = {BrokerId(id), {}}, .endpoints = {}});
        state.voters[0].voters = VoterSet(voters);
        state.quorum = {LeaderEpoch(4), kNoBroker, std::nullopt};
        state.log_end_offset = Offset(10);
        state.epochs = {{LeaderEpoch(1), Offset(0)}};
        return state;
    }
    VoteResponse vote() const { return {ErrorCode::none, core.view(), true}; }

    /// Node 2 fetches from `from`, and so acknowledges what precedes.
    Output fetch(int from, int last_epoch) {
        return core.step(
            Received{RequestId(9), FetchRequest{.current_leader_epoch = core.view().epoch,
                                                .replica = {BrokerId(2), {}},
                                                .fetch_offset = Offset(from),
                                                .last_fetched_epoch = LeaderEpoch(last_epoch)}},
            now);
    }

    Core core;
    Instant now{};
};

/// Such a record may still be overwritten by another leader (Raft, figure 8).
TEST(Core, ARecordOfAnEarlierEpochIsNotCommittedByAMajorityAlone) {
    NewLeader leader;
    EXPECT_FALSE(leader.fetch(10, 1).high_watermark) << "ten old records are on two of three disks";
    leader.core.step(Appended{Offset(11)}, leader.now);
    EXPECT_FALSE(leader.core.step(Synced{Offset(11)}, leader.now).high_watermark);
    EXPECT_EQ(leader.fetch(11, leader.core.view().epoch.value).high_watermark, Offset(11));
}

/// A replica of Apache Kafka that has heard of more ends its process: "non-monotonic update".
TEST(Core, ALeaderTellsNoHighWatermarkBeforeItHasCommittedItself) {
    RecoveredState state = NewLeader::recovered();
    state.snapshot = SnapshotId{Offset(4), LeaderEpoch(1)};
    NewLeader leader(std::move(state));
    const auto told = [](const Output& output) {
        return std::get<FetchResponse>(output.replies.at(0).response).high_watermark;
    };
    ASSERT_EQ(leader.core.high_watermark(), Offset(4));
    EXPECT_EQ(told(leader.fetch(10, 1)), Offset(-1));
    leader.core.step(Appended{Offset(11)}, leader.now);
    leader.core.step(Synced{Offset(11)}, leader.now);
    EXPECT_EQ(told(leader.fetch(11, leader.core.view().epoch.value)), Offset(11));
}

TEST(Core, AReplicaWaitsOnceAndOtherReadersEachForThemselves) {
    NewLeader leader;
    const auto answered = [&](std::uint64_t request, int id) {
        return leader.core
            .step(Received{RequestId(request),
                           FetchRequest{.current_leader_epoch = leader.core.view().epoch,
                                        .replica = {BrokerId(id), {}},
                                        .fetch_offset = Offset(10),
                                        .last_fetched_epoch = LeaderEpoch(1),
                                        .max_wait = std::chrono::milliseconds(400)}},
                  leader.now)
            .replies.size();
    };
    EXPECT_EQ(answered(21, 7), 0u);
    EXPECT_EQ(answered(22, 7), 1u) << "the one before";
    EXPECT_EQ(answered(23, -1), 0u);
    EXPECT_EQ(answered(24, -1), 0u);
}

TEST(Core, ALeaderKnowsHowFarTheOthersAre) {
    NewLeader leader;
    EXPECT_TRUE(leader.core.progress().empty());
    leader.core.step(Appended{Offset(11)}, leader.now);
    leader.fetch(10, 1);
    ASSERT_EQ(leader.core.progress().size(), 1u);
    const ReplicaProgress behind = leader.core.progress().front();
    EXPECT_EQ(behind, (ReplicaProgress{.key = {BrokerId(2), {}},
                                       .durable_end = Offset(10),
                                       .fetched_at = leader.now,
                                       .caught_up_at = {},
                                       .is_voter = true}));
    leader.now += std::chrono::milliseconds(5);
    leader.fetch(11, leader.core.view().epoch.value);
    EXPECT_EQ(leader.core.progress().front().durable_end, Offset(11));
    EXPECT_EQ(leader.core.progress().front().caught_up_at, leader.now);
}

TEST(Core, WhoReadsTheLogWithoutBeingAReplicaIsNoObserver) {
    NewLeader leader;
    const auto fetch = [&](int id) {
        leader.core.step(
            Received{RequestId(9), FetchRequest{.current_leader_epoch = leader.core.view().epoch,
                                                .replica = {BrokerId(id), {}},
                                                .fetch_offset = Offset(0)}},
            leader.now);
        return leader.core.progress().size();
    };
    EXPECT_EQ(fetch(-1), 0u);
    EXPECT_EQ(fetch(7), 1u);
}

/// A follower of replica 2 in epoch 3, whose log ends at 12 and is committed up to its snapshot's
/// end, 10.
struct SnapshotFollower {
    SnapshotFollower() : core({.self = {BrokerId(1), {0, 5}}, .seed = 7}, recovered()) {
        sent = core.step(Start{}, now).messages;
    }
    static RecoveredState recovered() {
        RecoveredState state = alone();
        state.voters[0].voters = VoterSet({{.key = {BrokerId(1), {}}, .endpoints = {}},
                                           {.key = {BrokerId(2), {}}, .endpoints = {}}});
        state.quorum = {LeaderEpoch(3), BrokerId(2), std::nullopt};
        state.snapshot = SnapshotId{Offset(10), LeaderEpoch(2)};
        state.log_start_offset = Offset(10);
        state.log_end_offset = Offset(12);
        state.epochs = {{LeaderEpoch(2), Offset(10)}};
        return state;
    }
    Output answer(Response response) {
        std::visit([](auto& one) { one.view = {LeaderEpoch(3), BrokerId(2)}; }, response);
        Output output = core.step(Answered{BrokerId(2), sent.at(0).id, std::move(response)}, now);
        sent = output.messages;
        return output;
    }
    /// To its fetch.
    Output send_to(const SnapshotId& id) {
        FetchResponse response;
        response.snapshot = id;
        return answer(response);
    }
    const FetchSnapshotRequest* asked() const {
        return sent.empty() ? nullptr : std::get_if<FetchSnapshotRequest>(&sent[0].request);
    }

    Core core;
    Instant now{};
    std::vector<Message> sent;
};

FetchSnapshotResponse piece(std::int64_t position, std::int64_t size, std::size_t length) {
    FetchSnapshotResponse response;
    response.snapshot = {Offset(90), LeaderEpoch(3)};
    response.position = BytePosition(position);
    response.size = BytePosition(size);
    response.bytes = std::make_shared<std::vector<std::byte>>(length);
    return response;
}

TEST(Core, APieceThatDoesNotFitEndsTheDownload) {
    FetchSnapshotResponse of_another = piece(0, 100, 50);
    of_another.snapshot.end_offset = Offset(91);
    for (const FetchSnapshotResponse& wrong :
         {piece(5, 100, 50), piece(0, 0, 0), piece(0, 100, 0), piece(0, 100, 101), piece(0, -1, 50),
          piece(0, (4LL << 30) + 1, 50), of_another}) {
        SnapshotFollower follower;
        follower.send_to({Offset(90), LeaderEpoch(3)});
        ASSERT_TRUE(follower.asked());
        const Output output = follower.answer(wrong);
        EXPECT_FALSE(output.snapshot_chunk || output.load_snapshot) << text(Response(wrong));
        EXPECT_EQ(output.complaints.size(), 1u);
        EXPECT_TRUE(output.messages.empty()) << "not at once again";
        follower.now = output.wake_at;
        const Output later = follower.core.step(Tick{}, follower.now);
        ASSERT_EQ(later.messages.size(), 1u);
        EXPECT_TRUE(std::holds_alternative<FetchRequest>(later.messages[0].request));
        EXPECT_EQ(follower.core.role(), Role::follower);
    }
    // Of another length than it began with.
    SnapshotFollower follower;
    follower.send_to({Offset(90), LeaderEpoch(3)});
    EXPECT_TRUE(follower.answer(piece(0, 100, 50)).snapshot_chunk);
    EXPECT_FALSE(follower.answer(piece(50, 120, 50)).snapshot_chunk);
}

TEST(Core, WhatIsCommittedNeverGoesBackToASnapshot) {
    for (const SnapshotId& id :
         {SnapshotId{Offset(10), LeaderEpoch(2)}, SnapshotId{Offset(5), LeaderEpoch(1)},
          SnapshotId{Offset(90), LeaderEpoch(4)}, SnapshotId{Offset(90), LeaderEpoch(-1)}}) {
        SnapshotFollower follower;
        EXPECT_EQ(follower.send_to(id).complaints.size(), 1u);
        EXPECT_FALSE(follower.asked());
    }
}

TEST(Core, ALogThatBeginsAnewIsLeftAloneUntilItHas) {
    SnapshotFollower follower;
    follower.send_to({Offset(90), LeaderEpoch(3)});
    EXPECT_EQ(follower.answer(piece(0, 50, 50)).load_snapshot,
              (SnapshotId{Offset(90), LeaderEpoch(3)}));
    // Its leader is silent meanwhile.
    for (int i = 0; i < 20; ++i) {
        follower.now += std::chrono::seconds(1);
        const Output output = follower.core.step(Tick{}, follower.now);
        EXPECT_TRUE(output.messages.empty() && output.appends.empty() && !output.truncate_to);
    }
    const VotersAt voters{Offset(89), 1, follower.core.voters()};
    const Output loaded =
        follower.core.step(SnapshotLoaded{{Offset(90), LeaderEpoch(3)}, voters}, follower.now);
    EXPECT_EQ(loaded.high_watermark, Offset(90));
    EXPECT_EQ(follower.core.log_start_offset(), Offset(90));
    EXPECT_EQ(follower.core.log_end_offset(), Offset(90));
    EXPECT_EQ(follower.core.kraft_version(), 1);
    EXPECT_EQ(follower.core.voters_at(Offset(90)), voters);
    EXPECT_FALSE(follower.core.may_snapshot({Offset(90), LeaderEpoch(3)})) << "it is there";
}

TEST(Core, AFetchOfASnapshotIsASignOfLife) {
    NewLeader leader;
    const SnapshotId id{Offset(11), leader.core.view().epoch};
    leader.core.step(Appended{Offset(11)}, leader.now);
    leader.core.step(Synced{Offset(11)}, leader.now);
    leader.fetch(11, id.epoch.value);
    leader.core.step(SnapshotTaken{id}, leader.now);
    const auto ask = [&](const SnapshotId& of, std::int64_t position) {
        const FetchSnapshotRequest request{.current_leader_epoch = id.epoch,
                                           .replica = {BrokerId(2), {}},
                                           .snapshot = of,
                                           .position = BytePosition(position)};
        const Output output = leader.core.step(Received{RequestId(9), request}, leader.now);
        return std::get<FetchSnapshotResponse>(output.replies.at(0).response);
    };
    for (int second = 0; second < 10; ++second) {
        leader.now += std::chrono::seconds(1);
        EXPECT_EQ(ask(id, second).error, ErrorCode::none);
        leader.core.step(Tick{}, leader.now);
        ASSERT_EQ(leader.core.role(), Role::leader);
    }
    EXPECT_EQ(ask({Offset(12), id.epoch}, 0).error, ErrorCode::snapshot_not_found);
    EXPECT_EQ(ask({}, 0).error, ErrorCode::snapshot_not_found) << "that of the bootstrap";
    EXPECT_EQ(ask(id, -1).error, ErrorCode::position_out_of_range);
    leader.now += std::chrono::seconds(4);
    leader.core.step(Tick{}, leader.now);
    EXPECT_EQ(leader.core.role(), Role::resigned);
}

/// The leader's log is cleaned up to a snapshot of its first eleven records.
TEST(Core, ALogThatLacksWhatWasCleanedIsSentToTheSnapshot) {
    NewLeader leader;
    const LeaderEpoch epoch = leader.core.view().epoch;
    leader.core.step(Appended{Offset(11)}, leader.now);
    const SnapshotId old{Offset(10), LeaderEpoch(1)};
    const SnapshotId id{Offset(11), epoch};
    EXPECT_FALSE(leader.core.may_snapshot(old)) << "nothing is committed";
    leader.core.step(Synced{Offset(11)}, leader.now);
    leader.fetch(11, epoch.value);
    EXPECT_TRUE(leader.core.may_snapshot(old));
    EXPECT_FALSE(leader.core.may_snapshot({Offset(11), LeaderEpoch(1)})) << "of another epoch";
    EXPECT_FALSE(leader.core.may_snapshot({Offset(12), epoch}));
    leader.core.step(SnapshotTaken{id}, leader.now);
    EXPECT_FALSE(leader.core.may_snapshot(old)) << "nothing new";
    EXPECT_EQ(leader.core.log_start_offset(), Offset(0));
    EXPECT_FALSE(std::get<FetchResponse>(leader.fetch(0, 0).replies.at(0).response).snapshot);

    leader.core.step(LogCleaned{id}, leader.now);
    EXPECT_EQ(leader.core.log_start_offset(), Offset(11));
    const auto answer = [&](int from, int last_epoch) {
        return std::get<FetchResponse>(leader.fetch(from, last_epoch).replies.at(0).response);
    };
    EXPECT_EQ(answer(0, 0).snapshot, id);
    EXPECT_EQ(answer(10, 1).snapshot, id);
    EXPECT_EQ(answer(11, 1).snapshot, id) << "its eleventh record is another";
    EXPECT_EQ(answer(12, 1).snapshot, id);
    const FetchResponse next = answer(11, epoch.value);
    EXPECT_FALSE(next.snapshot);
    EXPECT_FALSE(next.diverging);
    EXPECT_EQ(next.error, ErrorCode::none);
}

TEST(Core, AFetchOfAnotherHistoryAcknowledgesNothing) {
    NewLeader leader;
    leader.core.step(Appended{Offset(11)}, leader.now);
    leader.core.step(Synced{Offset(11)}, leader.now);
    // Eleven records, but of epoch 3: the leader's log has epoch 1 up to 10.
    const Output output = leader.fetch(11, 3);
    EXPECT_FALSE(output.high_watermark);
    const auto& reply = std::get<FetchResponse>(output.replies.at(0).response);
    EXPECT_EQ(reply.diverging, (EpochEnd{LeaderEpoch(1), Offset(10)}));
}

}  // namespace
}  // namespace milena::raft::test
