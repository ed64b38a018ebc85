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

}  // namespace
}  // namespace milena::raft::test
