// SPDX-License-Identifier: Apache-2.0
// A producer commits one transaction and aborts the next, and comes again with whatever it was not
// told of. Whichever step is disturbed, and however, both end as it wanted, once.
#include "milena/coordinator/transactions.h"

#include <gtest/gtest.h>

#include "transaction/transaction_records.h"
#include "transaction_host.h"

namespace milena::coordinator::test {
namespace {

enum class Trouble : std::uint8_t {
    none,
    new_coordinator_before,
    new_coordinator_before_commit,  ///< of a record, which it has
    lost_record,                    ///< and a new coordinator
    new_coordinator_before_markers,
    failed_append,
    held_markers,
};
constexpr Trouble kTroubles[]{Trouble::none,
                              Trouble::new_coordinator_before,
                              Trouble::new_coordinator_before_commit,
                              Trouble::lost_record,
                              Trouble::new_coordinator_before_markers,
                              Trouble::failed_append,
                              Trouble::held_markers};

class Story {
public:
    Story(TransactionVersion version, int step, Trouble trouble)
        : version_(version), trouble_at_(step), trouble_(trouble) {}

    void run() {
        init();
        for (const bool commit : {true, false}) {
            add(0);
            add(1);
            end(commit);
        }
        host_.release_markers();
        host_.advance_ms(1000);
        check();
    }

    static constexpr int kSteps = 7;

private:
    /// Until it is told what helps.
    TransactionReply ask(const TransactionRequest& request) {
        disturb_before();
        for (int tries = 0; tries < 10; ++tries) {
            const Ticket ticket = host_.ask(request);
            if (steps_ == trouble_at_ && tries == 0) disturb_after(ticket);
            if (host_.has_reply(ticket)) {
                const auto reply = host_.reply_to(ticket);
                const auto code = std::visit([](const auto& r) { return r.code; }, reply);
                if (code != ErrorCode::concurrent_transactions) {
                    EXPECT_EQ(code, ErrorCode::none) << "step " << steps_;
                    ++steps_;
                    return reply;
                }
            }
            host_.release_markers();
            host_.advance_ms(200);
        }
        ADD_FAILURE() << "step " << steps_ << " never ends";
        return {};
    }

    void disturb_before() {
        if (steps_ != trouble_at_) return;
        switch (trouble_) {
            case Trouble::none: return;
            case Trouble::new_coordinator_before: return host_.take_over();
            case Trouble::new_coordinator_before_commit:
            case Trouble::lost_record: return host_.hold();
            case Trouble::new_coordinator_before_markers:
            case Trouble::held_markers: return host_.hold_markers();
            case Trouble::failed_append:
                return host_.fail_next_append(ErrorCode::coordinator_not_available);
        }
    }

    void disturb_after(Ticket ticket) {
        switch (trouble_) {
            case Trouble::new_coordinator_before_commit:
                EXPECT_FALSE(host_.has_reply(ticket));
                host_.take_over();
                return host_.release();
            case Trouble::lost_record:
                EXPECT_FALSE(host_.has_reply(ticket));
                host_.take_over(TransactionHost::Has::committed);
                return host_.release();
            case Trouble::new_coordinator_before_markers: return host_.take_over();
            default: return;
        }
    }

    void init() {
        const auto told = std::get<InitProducerReply>(ask(init_request()));
        producer_ = {told.producer_id, told.producer_epoch};
    }
    void add(std::int32_t index) { ask(add_request(producer_, {partition(index)}, version_)); }
    void end(bool commit) {
        const auto told =
            std::get<EndTransactionReply>(ask(end_request(producer_, commit, version_)));
        if (version_ == kByEpoch) {
            EXPECT_EQ(told.producer_epoch, producer_.epoch + 1);
        }
        producer_ = {told.producer_id, told.producer_epoch};
    }

    void check() {
        std::string outcomes;
        for (const Record& record : host_.log()) {
            const auto said = read_transaction(*record.value);
            if (is_prepared(said->state)) {
                EXPECT_EQ(said->partitions, (std::set{partition(0), partition(1)}));
            }
            if (is_prepared(said->state) || is_complete(said->state))
                outcomes += std::string(text(said->state)) + " ";
        }
        EXPECT_EQ(outcomes, "PrepareCommit CompleteCommit PrepareAbort CompleteAbort ");
        ASSERT_GE(host_.marked().size(), 2U);
        EXPECT_TRUE(host_.marked().front().commit);
        EXPECT_FALSE(host_.marked().back().commit);
        host_.check_replay();
    }

    const TransactionVersion version_;
    const int trouble_at_;
    const Trouble trouble_;
    TransactionHost host_;
    int steps_ = 0;
    Producer producer_;
};

class TransactionStory : public testing::TestWithParam<TransactionVersion> {};

TEST_P(TransactionStory, EndsAsItsProducerWantsWhateverHappens) {
    for (int step = 0; step < Story::kSteps; ++step) {
        for (const Trouble trouble : kTroubles) {
            SCOPED_TRACE(testing::Message() << "step " << step << " trouble " << int(trouble));
            Story(GetParam(), step, trouble).run();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Versions, TransactionStory, testing::Values(kClassic, kByEpoch));

TEST(TransactionsAtStart, HaveWhatTheLogSays) {
    TransactionHost host;
    host.reply<InitProducerReply>(init_request());
    CountedIds ids;
    const auto other = Transactions::make({}, {}, ids);
    const Record& record = host.log().back();
    EXPECT_TRUE(other->load({record.key, BytesView(*record.value), Offset(0)}).has_value());
    EXPECT_EQ(other->figures().ids, 1U);
    EXPECT_TRUE(other->load({record.key, std::nullopt, Offset(1)}).has_value());
    EXPECT_EQ(other->figures().ids, 0U);
}

TEST(TransactionsAtStart, PassOverWhatCantBeRead) {
    CountedIds ids;
    const auto transactions = Transactions::make({}, {}, ids);
    const std::vector<std::byte> nothing;
    EXPECT_FALSE(transactions->load({nothing, std::nullopt, Offset(0)}).has_value());
    const auto key = transaction_tombstone(kId)->key;
    EXPECT_FALSE(transactions->load({key, BytesView(nothing), Offset(0)}).has_value());
    EXPECT_EQ(transactions->figures().ids, 0U);
}

TEST(TransactionsInANewerEpoch, OrderMarkersInIt) {
    TransactionHost host;
    const auto told = host.reply<InitProducerReply>(init_request());
    const Producer producer{told.producer_id, told.producer_epoch};
    host.reply<AddPartitionsReply>(add_request(producer, {partition(0)}));
    host.hold_markers();
    host.transactions().follow({.coordinator_epoch = 9});
    host.reply<EndTransactionReply>(end_request(producer, true));
    EXPECT_EQ(host.orders().front().coordinator_epoch, 9);
}

}  // namespace
}  // namespace milena::coordinator::test
