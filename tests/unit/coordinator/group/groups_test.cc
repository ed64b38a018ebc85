// SPDX-License-Identifier: Apache-2.0
// Groups as a whole: histories as text (scripts/), and what no history shows. To write the files
// anew: MILENA_REWRITE_SCRIPTS=1; review the difference.
#include "milena/coordinator/groups.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "group/consumer/records/records.h"
#include "host.h"
#include "messages.h"
#include "script.h"
#include "support/allocations.h"

namespace milena::coordinator::test {
namespace {

const std::filesystem::path kScripts =
    std::filesystem::path(MILENA_SOURCE_DIR) / "tests/unit/coordinator/group/scripts";

std::string read(const std::filesystem::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::vector<std::string> script_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kScripts)) {
        if (entry.is_regular_file())
            names.push_back(std::filesystem::relative(entry.path(), kScripts).replace_extension());
    }
    std::ranges::sort(names);
    return names;
}

class GroupScripts : public testing::TestWithParam<std::string> {};

TEST_P(GroupScripts, PrintsWhatItShould) {
    const std::filesystem::path path = kScripts / (GetParam() + ".txt");
    const std::string expected = read(path);
    const std::string real = run_script(expected);
    if (std::getenv("MILENA_REWRITE_SCRIPTS") != nullptr) {
        std::ofstream(path) << real;
        return;
    }
    EXPECT_EQ(real, expected);
}

INSTANTIATE_TEST_SUITE_P(, GroupScripts, testing::ValuesIn(script_names()), [](const auto& script) {
    std::string name = script.param;
    std::ranges::replace(name, '/', '_');
    return name;
});

/// A stable group of one member, who is in it without end.
struct Stable {
    Stable() {
        const Ticket joining = host.ask(join_request("g", "client"));
        host.advance_ms(3000);
        member_id = host.reply_to<JoinReply>(joining).member_id;
        SyncRequest sync;
        sync.group = "g";
        sync.generation = 1;
        sync.member_id = member_id;
        sync.assignments.push_back({member_id, bytes("assigned")});
        host.ask(sync);
    }

    HeartbeatRequest heartbeat() const {
        HeartbeatRequest request;
        request.group = "g";
        request.generation = 1;
        request.member_id = member_id;
        return request;
    }

    Host host;
    std::string member_id;
};

TEST(Groups, AHeartbeatTakesNoMemoryButForItsAnswer) {
    if (!support::Allocations::can_be_counted())
        GTEST_SKIP() << "only a sanitizer tells of allocations";
    Stable stable;
    const GroupRequest request = stable.heartbeat();
    const auto beat = [&] {
        const auto step = stable.host.groups().ask(1000, request, {}, stable.host.time());
        EXPECT_EQ(std::get<HeartbeatReply>(step.answers[0].reply).code, ErrorCode::none);
    };
    beat();
    EXPECT_LE(support::Allocations::of(beat), 1U);
}

TEST(Groups, AnInvalidRecordIsNamedAndChangesNothing) {
    Host host;
    EXPECT_FALSE(host.groups().load({.key = {}, .value = {}}).has_value());
    const Bytes of_no_type = bytes(std::string_view("\0\x7f", 2));
    EXPECT_FALSE(host.groups().load({.key = of_no_type, .value = {}}).has_value());
    const Bytes cut = bytes(std::string_view("\0\1\0\5g", 5));
    EXPECT_FALSE(host.groups().load({.key = cut, .value = {}}).has_value());
    const Bytes group = bytes(std::string_view("\0\2\0\1g", 5));
    const Bytes nonsense = bytes(std::string_view("\0\3\0\xff", 4));
    EXPECT_FALSE(host.groups().load({.key = group, .value = BytesView(nonsense)}).has_value());
    EXPECT_EQ(host.groups().figures().groups, 0U);
}

TEST(Groups, FiguresCountGroupsByTheirState) {
    Stable stable;
    stable.host.ask(commit_request("simple", "t", 1));
    stable.host.ask(join_request("joining", "client"));
    const GroupFigures figures = stable.host.groups().figures();
    EXPECT_EQ(figures.groups, 3U);
    EXPECT_EQ(figures.stable, 1U);
    EXPECT_EQ(figures.empty, 1U);
    EXPECT_EQ(figures.preparing_rebalance, 1U);
    EXPECT_EQ(figures.rebalances, 1U);
    EXPECT_EQ(figures.pending_offsets, 1U);
}

TEST(Groups, TheSameRequestsGiveTheSameRecords) {
    const auto history = [] {
        Host host;
        for (const char* client : {"b", "a", "c"}) host.ask(join_request("g", client));
        host.advance_ms(60'000);
        host.ask(commit_request("s", "t", 5));
        host.advance_ms(3'600'000);
        return host.log();
    };
    EXPECT_EQ(history(), history());
}

/// A consumer group as a log may say it that lacks records, or was written by somebody else.
class OddRecords : public testing::Test {
protected:
    OddRecords() { host.set_topic("a", 2); }

    void log(const ConsumerChange& change) { host.add_to_log(record_of("g", change)); }
    void log_member(const std::string& id, std::int32_t epoch, MemberState state = {}) {
        MemberMetadata metadata;
        metadata.topics = {"a"};
        metadata.rebalance_timeout_ms = 5000;
        log(MetadataChange{id, metadata});
        MemberCurrent current;
        current.epoch = epoch;
        current.state = state;
        const OwnedPartition one{{host.topic_id("a"), PartitionIndex(0)}, epoch};
        (state == MemberState::unrevoked ? current.revoking : current.assigned) = {one};
        log(CurrentChange{id, current});
    }
    void log_classic(const std::string& id, std::vector<MemberProtocol> protocols) {
        MemberMetadata metadata;
        metadata.topics = {"a"};
        metadata.rebalance_timeout_ms = 5000;
        metadata.classic = ClassicSide{5000, std::move(protocols)};
        log(MetadataChange{id, metadata});
        MemberCurrent current;
        current.epoch = 5;
        log(CurrentChange{id, current});
    }
    ErrorCode beat(const std::string& id, std::int32_t epoch) {
        ConsumerHeartbeatRequest request;
        request.group = "g";
        request.member_id = id;
        request.member_epoch = epoch;
        return host.reply<ConsumerHeartbeatReply>(request).code;
    }

    Host host;
};

TEST_F(OddRecords, AMemberMayBeAheadOfItsAssignment) {
    log(GroupEpochChange{{{.epoch = 9}}});
    log_member("m", 9, MemberState::unrevoked);
    host.take_over();
    EXPECT_EQ(beat("m", 9), ErrorCode::none);
}

TEST_F(OddRecords, NoGroupComesToTheEndOfEpochs) {
    log(GroupEpochChange{{{.epoch = INT32_MAX}}});
    const auto& record = host.log().back();
    EXPECT_FALSE(host.groups().load({.key = record.key, .value = BytesView(*record.value)}));
    EXPECT_EQ(host.groups().figures().groups, 0U);
}

TEST_F(OddRecords, WhatHappenedBeforeTheBeginningOfTimeIsLongAgo) {
    log(GroupEpochChange{{{.epoch = 5}}});
    log(AssignmentEpochChange{{{.epoch = 4, .assigned_ms = INT64_MIN}}});
    log_member("m", 4);
    host.take_over();
    EXPECT_EQ(beat("m", 4), ErrorCode::none);
}

TEST_F(OddRecords, ClassicMembersWithNothingInCommonCantGoBack) {
    log(GroupEpochChange{{{.epoch = 5}}});
    log_classic("one", {{"range", subscription({"a"})}});
    log_classic("other", {{"sticky", subscription({"a"})}});
    log_member("m", 5);
    host.take_over();
    EXPECT_EQ(beat("m", -1), ErrorCode::none);
    EXPECT_EQ(host.groups().figures().preparing_rebalance, 0U);
}

TEST_F(OddRecords, AClassicMemberWithoutProtocolsIsRefused) {
    log(GroupEpochChange{{{.epoch = 5}}});
    log_classic("one", {});
    host.take_over();
    SyncRequest request;
    request.group = "g";
    request.generation = 5;
    request.member_id = "one";
    EXPECT_EQ(host.reply<SyncReply>(request).code, ErrorCode::inconsistent_group_protocol);
}

}  // namespace
}  // namespace milena::coordinator::test
