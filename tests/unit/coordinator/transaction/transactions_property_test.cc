// SPDX-License-Identifier: Apache-2.0
// Laws that hold in every history of two transactional ids, whoever asks what of them, whatever
// fails, is lost, is held up or takes over: an epoch never goes back; what is decided is not
// decided otherwise, and each partition hears of it before it is complete; a request of an old
// epoch writes nothing; what InitProducerId has told fences all before it; and in the end nothing
// is left open.
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "sim/random.h"
#include "transaction/transaction_records.h"
#include "transaction_host.h"

namespace milena::coordinator::test {
namespace {

const std::vector<std::string> kIds{"tx", "ty"};

/// Whether `a` is an earlier producer than `b`, of the same transactional id: ids are counted up.
bool is_before(Producer a, Producer b) {
    return a.id != b.id ? a.id < b.id : a.epoch < b.epoch;
}
bool is_same(Producer a, const Transaction& b) {
    return a.id == b.producer_id && a.epoch == b.epoch;
}

class TransactionHistory {
public:
    explicit TransactionHistory(std::uint64_t seed) : random_(seed) { host_.hold_markers(); }

    void step() {
        switch (random_.below(16)) {
            case 0:
            case 1: init(); break;
            case 2:
            case 3:
            case 4: add(); break;
            case 5:
            case 6:
            case 7: end(); break;
            case 8: host_.hold(); break;
            case 9: commit(); break;
            case 10:
            case 11:
            case 12: mark(); break;
            case 13: host_.advance_ms(static_cast<std::int64_t>(random_.below(40'000))); break;
            case 14: trouble(); break;
            case 15: exhaust(); break;
        }
        look();
    }

    void rest() {
        host_.ids().is_empty = false;
        host_.release();
        look();
        while (!host_.orders().empty()) mark_first(ErrorCode::none);
        host_.advance_ms(200'000);
        look();
        while (!host_.orders().empty()) mark_first(ErrorCode::none);
        host_.advance_ms(1000);
        look();
        for (const Ticket ticket : asked_) RC_ASSERT(host_.has_been_told(ticket));
        const auto figures = host_.transactions().figures();
        RC_ASSERT(figures.ongoing == 0U);
        RC_ASSERT(figures.preparing == 0U);
        RC_ASSERT(figures.partitions == 0U);
        check_log();
        host_.check_replay();
    }

private:
    std::string some_id() { return kIds[random_.below(kIds.size())]; }
    TransactionVersion some_version() { return random_.chance(0.5) ? kByEpoch : kClassic; }
    std::optional<Transaction> last(const std::string& id) const {
        if (!host_.last_at(id)) return std::nullopt;
        return host_.last(id);
    }

    /// One that was told of, mostly the present one; sometimes nobody who ever was.
    Producer some_producer(const std::string& id) {
        const auto& known = known_[id];
        if (known.empty() || random_.chance(0.05))
            return {ProducerId(static_cast<std::int64_t>(1000 + random_.below(4))),
                    static_cast<std::int16_t>(random_.below(4))};
        if (random_.chance(0.7)) return known.back();
        return known[random_.below(known.size())];
    }

    void init() {
        const std::string id = some_id();
        const bool says = random_.chance(0.4);
        auto request = init_request(says ? some_producer(id) : Producer());
        request.transactional_id = id;
        request.timeout_ms = 30'000;
        const Producer who{request.producer_id, request.producer_epoch};
        const auto before = last(id);
        inits_[ask(request)] = {id, says};
        if (!says || !before || is_same(who, *before)) return;
        // It may be told again what it was told; nothing else.
        if (host_.written_by_last() == 0) return;
        RC_ASSERT(is_idle(before->state));
    }

    void add() {
        const std::string id = some_id();
        std::vector<TransactionPartition> partitions{
            partition(static_cast<std::int32_t>(random_.below(3)))};
        auto request = add_request(some_producer(id), partitions, some_version());
        request.transactional_id = id;
        request.verify_only = random_.chance(0.2);
        ask_as(request, {request.producer_id, request.producer_epoch});
    }

    void end() {
        const std::string id = some_id();
        auto request = end_request(some_producer(id), random_.chance(0.6), some_version());
        request.transactional_id = id;
        const Producer who{request.producer_id, request.producer_epoch};
        ends_[ask_as(request, who)] = id;
        if (request.commit && host_.written_by_last() != 0 && told_.contains(id))
            RC_ASSERT(!is_before(who, told_[id]));
    }

    /// Only the present producer of an id changes anything.
    template <class Request>
    Ticket ask_as(const Request& request, Producer who) {
        const auto before = last(request.transactional_id);
        const Ticket ticket = ask(request);
        if (!before || !is_same(who, *before)) RC_ASSERT(host_.written_by_last() == 0U);
        return ticket;
    }

    Ticket ask(TransactionRequest request) {
        const Ticket ticket = host_.ask(std::move(request));
        asked_.insert(ticket);
        return ticket;
    }

    /// All, or some.
    void commit() {
        if (random_.chance(0.5)) return host_.release();
        host_.hold();
        const auto end = static_cast<std::uint64_t>(host_.log().size());
        const auto from = static_cast<std::uint64_t>(host_.high_watermark().value);
        host_.commit_to(Offset(static_cast<std::int64_t>(random_.between(from, end))));
    }

    void mark() {
        if (host_.orders().empty()) return;
        switch (random_.below(6)) {
            case 0: return mark_first(ErrorCode::not_leader_or_follower);
            case 1: return mark_first(ErrorCode::request_timed_out);
            case 2: return mark_first(ErrorCode::transaction_coordinator_fenced);
            default: return mark_first(ErrorCode::none);
        }
    }
    void mark_first(ErrorCode code) {
        look();
        const MarkerOrder order = host_.orders().front();
        if (code == ErrorCode::none) {
            auto& marked = marked_[*host_.last_at(order.transactional_id)];
            marked.insert(order.partitions.begin(), order.partitions.end());
        }
        host_.mark(code);
        look();
    }

    void trouble() {
        switch (random_.below(4)) {
            case 0: return host_.fail_next_append(ErrorCode::coordinator_not_available);
            case 1: return take_over(TransactionHost::Has::all);
            case 2: return take_over(TransactionHost::Has::committed);
            case 3: host_.ids().is_empty = random_.chance(0.2); return;
        }
    }
    void take_over(TransactionHost::Has has) {
        look();
        check_log();
        host_.take_over(has);
        // Nobody answers for the one before.
        std::erase_if(asked_, [&](Ticket ticket) { return !host_.has_been_told(ticket); });
    }

    /// The epochs of an id are nearly used up, as after 30,000 transactions.
    void exhaust() {
        const std::string id = some_id();
        const auto before = last(id);
        if (!before || !is_idle(before->state) || before->epoch > 100) return;
        host_.release();
        Transaction said = *last(id);
        if (!is_idle(said.state)) return;
        said.state = TransactionState::empty;
        said.epoch = static_cast<std::int16_t>(kLastEpoch - 2 + random_.below(3));
        host_.log().push_back(*transaction_record(id, said, kByEpoch));
        take_over(TransactionHost::Has::all);
        known_[id].push_back({said.producer_id, said.epoch});
    }

    /// What was told and ordered since the last time.
    void look() {
        for (const MarkerOrder& order : host_.orders()) check_order(order);
        for (auto at = asked_.begin(); at != asked_.end();) {
            if (!host_.has_been_told(*at)) {
                ++at;
                continue;
            }
            if (host_.has_reply(*at)) learn(*at);
            at = asked_.erase(at);
        }
    }

    /// Its transaction is decided so, and that is committed.
    void check_order(const MarkerOrder& order) {
        const auto at = host_.last_at(order.transactional_id);
        RC_ASSERT(at.has_value());
        RC_ASSERT(static_cast<std::int64_t>(*at) < host_.high_watermark().value);
        const auto said = host_.last(order.transactional_id);
        RC_ASSERT(said.state == (order.commit ? TransactionState::prepare_commit
                                              : TransactionState::prepare_abort));
        RC_ASSERT(order.producer_id == said.producer_id);
        RC_ASSERT(order.producer_epoch == said.epoch);
        RC_ASSERT(order.coordinator_epoch == host_.coordinator_epoch());
        for (const auto& one : order.partitions) RC_ASSERT(said.partitions.contains(one));
    }

    void learn(Ticket ticket) {
        const auto reply = host_.reply_to(ticket);
        if (const auto* const begun = std::get_if<InitProducerReply>(&reply)) {
            if (begun->code != ErrorCode::none) return;
            const auto& [id, says] = inits_.at(ticket);
            const Producer now{begun->producer_id, begun->producer_epoch};
            if (told_.contains(id)) {
                RC_ASSERT(!is_before(now, told_[id]));
                if (!says) RC_ASSERT(is_before(told_[id], now));
            }
            told_[id] = now;
            known_[id].push_back(now);
        } else if (const auto* const ended = std::get_if<EndTransactionReply>(&reply)) {
            if (ended->code != ErrorCode::none) return;
            known_[ends_.at(ticket)].push_back({ended->producer_id, ended->producer_epoch});
        }
    }

    void check_log() const {
        for (const std::string& id : kIds) {
            std::optional<Transaction> before;
            std::size_t decided_at = 0;
            for (std::size_t at = 0; at < host_.log().size(); ++at) {
                const Record& record = host_.log()[at];
                if (*read_transaction_key(record.key) != id) continue;
                RC_ASSERT(record.value.has_value());
                const auto said = *read_transaction(*record.value);
                if (before) check_pair(*before, said, decided_at);
                if (is_prepared(said.state)) decided_at = at;
                before = said;
            }
        }
    }

    void check_pair(const Transaction& before, const Transaction& said,
                    std::size_t decided_at) const {
        RC_ASSERT(may_follow(before.state, said.state));
        RC_ASSERT(!is_before({said.producer_id, said.epoch}, {before.producer_id, before.epoch}));
        if (!is_prepared(before.state)) return;
        const bool commit = before.state == TransactionState::prepare_commit;
        RC_ASSERT(said.state ==
                  (commit ? TransactionState::complete_commit : TransactionState::complete_abort));
        if (before.partitions.empty()) return;
        const auto marked = marked_.find(decided_at);
        RC_ASSERT(marked != marked_.end());
        RC_ASSERT(marked->second == before.partitions);
    }

    sim::SeededRandom random_;
    mutable TransactionHost host_;
    std::set<Ticket> asked_;
    std::map<Ticket, std::pair<std::string, bool>> inits_;
    std::map<Ticket, std::string> ends_;
    /// By id: who was told that he is its producer, the newest last.
    std::map<std::string, std::vector<Producer>> known_;
    /// The newest that InitProducerId told of.
    std::map<std::string, Producer> told_;
    /// By the place of the record that decided: where the end is written.
    std::map<std::size_t, std::set<TransactionPartition>> marked_;
};

RC_GTEST_PROP(TransactionLaws, HoldInEveryHistory, ()) {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const int steps = *rc::gen::inRange(1, 300);
    TransactionHistory history(seed);
    for (int i = 0; i < steps; ++i) history.step();
    history.rest();
}

}  // namespace
}  // namespace milena::coordinator::test
