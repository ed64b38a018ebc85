// SPDX-License-Identifier: Apache-2.0
// What follows from records that are in the log and are not committed in time. What is committed,
// or could not be appended, is in scripts/.
#include <gtest/gtest.h>

#include "host.h"
#include "messages.h"

namespace milena::coordinator::test {
namespace {

GroupOptions options() {
    GroupOptions options;
    options.group_initial_rebalance_delay_ms = 0;
    return options;
}

class GivenUp : public testing::Test {
protected:
    JoinReply join(std::optional<std::string> instance_id = {}) {
        auto request = join_request("g", "a");
        request.instance_id = std::move(instance_id);
        const Ticket joining = host_.ask(request);
        host_.advance_ms(0);
        return host_.reply_to<JoinReply>(joining);
    }
    Ticket sync(const JoinReply& joined) {
        SyncRequest request;
        request.group = "g";
        request.generation = joined.generation;
        request.member_id = joined.member_id;
        request.assignments.push_back({joined.member_id, bytes("x")});
        return host_.ask(request);
    }
    std::vector<ErrorCode> codes_of_syncs() {
        std::vector<ErrorCode> codes;
        for (const Told& told : host_.take_told()) {
            const auto* const synced = std::get_if<SyncReply>(&*told.reply);
            if (synced != nullptr) codes.push_back(synced->code);
        }
        return codes;
    }

    Host host_{options()};
};

TEST_F(GivenUp, AssignmentsAreAskedForAgain) {
    const auto joined = join();
    host_.hold();
    sync(joined);
    EXPECT_EQ(host_.groups().figures().completing_rebalance, 1U);
    host_.give_up();
    EXPECT_EQ(host_.groups().figures().preparing_rebalance, 1U);
    // They are committed after all, and nobody gets them.
    host_.release();
    EXPECT_EQ(codes_of_syncs(), std::vector{ErrorCode::coordinator_not_available});
    EXPECT_EQ(host_.groups().figures().preparing_rebalance, 1U);
}

TEST_F(GivenUp, AStaticMemberThatCameBackHasItsOldIdAgain) {
    const auto joined = join("i");
    sync(joined);
    host_.take_told();
    host_.hold();
    auto request = join_request("g", "a");
    request.instance_id = "i";
    const Ticket back = host_.ask(request);
    host_.give_up();
    host_.release();
    EXPECT_EQ(host_.reply_to<JoinReply>(back).code, ErrorCode::coordinator_not_available);
    HeartbeatRequest beat;
    beat.group = "g";
    beat.generation = joined.generation;
    beat.member_id = joined.member_id;
    EXPECT_EQ(host_.reply<HeartbeatReply>(beat).code, ErrorCode::none);
}

TEST_F(GivenUp, AGroupThatWasMadeStays) {
    host_.hold();
    const Ticket joining = host_.ask(join_request("g", "a"));
    host_.give_up();
    host_.advance_ms(0);
    host_.release();
    EXPECT_EQ(host_.reply_to<JoinReply>(joining).code, ErrorCode::none);
}

}  // namespace
}  // namespace milena::coordinator::test
