// SPDX-License-Identifier: Apache-2.0
// Three replicas, a controller and a network that drops, delays and reorders, moved by a random
// list of steps. After each step: nobody calls anything committed that another calls different (one
// value per offset, for ever), an elected leader has all that was committed, a leader's high
// watermark never goes back within its epoch, and what acks=all was told is committed at the offset
// it was told.
#include <deque>
#include <memory>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/fetched_batches.h"
#include "core/follower_core.h"
#include "core_script.h"
#include "fetch_bounds.h"
#include "leader_epoch.h"
#include "memory_log.h"

namespace milena::replication {
namespace {

constexpr int kReplicas = 3;

struct FetchRequest {
    BrokerId from;
    FetchPlan plan;
};

struct FetchReply {
    BrokerId to;
    FetchPlan plan;
    FetchOutcome outcome;
    std::vector<std::byte> bytes;
    bool out_of_range = false;
    Offset leader_start;
    Offset leader_end;
};

struct AlterRequest {
    BrokerId from;
    IsrProposal proposal;
};

struct AlterReply {
    BrokerId to;
    LeaderEpoch leader_epoch;
    std::optional<IsrRefusal> refusal;
    PartitionEpoch epoch;
    std::vector<BrokerId> isr;
};

/// A broker: its disk outlives its process.
struct Broker {
    MemoryLog log;
    Offset checkpoint;
    bool up = true;
    std::variant<std::monostate, LeaderCore, FollowerCore> role;
    std::deque<PartitionState> metadata;  ///< not read yet
    std::optional<PartitionState> known;
    std::map<std::uint64_t, std::pair<Offset, int>> waiting;  ///< ticket: base offset, value

    LeaderCore* leader() { return std::get_if<LeaderCore>(&role); }
    FollowerCore* follower() { return std::get_if<FollowerCore>(&role); }
    Offset high_watermark() {
        if (leader() != nullptr) return leader()->high_watermark();
        return follower() != nullptr ? follower()->high_watermark() : checkpoint;
    }
    int value_at(Offset offset) const {
        const std::string_view value =
            as_text(log.batches().at(static_cast<std::size_t>(offset.value)).bytes);
        return std::stoi(std::string(value.substr(value.rfind('#') + 1)));
    }
};

class Cluster {
public:
    explicit Cluster(std::int32_t min_insync) : rules_{.min_insync_replicas = min_insync} {
        state_ = {BrokerId(0), LeaderEpoch(0), PartitionEpoch(0), brokers({0, 1, 2}),
                  brokers({0, 1, 2})};
        publish();
    }

    void step(std::uint32_t number) {
        const BrokerId id(static_cast<int>(number / 16 % kReplicas));
        const std::uint32_t pick = number / 64;
        switch (number % 16) {
            case 0:
            case 1:
            case 2: return produce(id);
            case 3:
            case 4:
            case 5: return send_fetch(id);
            case 6:
            case 7:
                return take(requests_, pick, [&](const FetchRequest& request) { serve(request); });
            case 8:
            case 9: return take(replies_, pick, [&](const FetchReply& reply) { receive(reply); });
            case 10: return read_metadata(id, pick % 4 == 0);
            case 11: return propose(id);
            case 12:
                return take(alters_, pick, [&](const AlterRequest& request) { alter(request); });
            case 13:
                return take(alter_replies_, pick, [&](const AlterReply& reply) { altered(reply); });
            case 14: return pick % 4 == 0 ? crash(id) : restart(id);
            default: return pick % 2 == 0 ? elect(pick) : let_time_pass(pick);
        }
    }

    /// Looks at what has come since the last time and a few before it; with `whole`, at everything.
    void check(bool whole) {
        for (int i = 0; i < kReplicas; ++i) {
            Broker& broker = broker_[i];
            const Offset end = broker.high_watermark();
            RC_ASSERT(end <= broker.log.log_end_offset());
            const Offset known(static_cast<std::int64_t>(committed_.size()));
            Offset at = whole ? Offset(0) : std::max(Offset(0), std::min(known, end) + -8);
            for (; at < end; at = at.next()) note_committed(at, broker.value_at(at));
            if (const LeaderCore* const leader = broker.leader()) {
                Offset& seen = seen_[{i, leader->leader_epoch()}];
                RC_ASSERT(seen <= leader->high_watermark());
                seen = leader->high_watermark();
            }
        }
    }

    std::size_t committed() const { return committed_.size(); }

    /// Everything heals: all up, nothing lost, until nothing is left to do.
    void settle() {
        for (int i = 0; i < kReplicas; ++i) restart(BrokerId(i));
        for (int round = 0; round < 500; ++round) {
            // The drivers' timeouts: a proposal that nobody answers is asked again.
            for (Broker& broker : broker_) {
                if (broker.leader() != nullptr) {
                    carry_out(broker, broker.leader()->isr_refused(IsrRefusal::unknown, now_));
                }
            }
            for (int i = 0; i < kReplicas; ++i) {
                while (!broker_[i].metadata.empty()) read_metadata(BrokerId(i), false);
                send_fetch(BrokerId(i));
            }
            while (!requests_.empty())
                take(requests_, 1, [&](const FetchRequest& request) { serve(request); });
            while (!replies_.empty())
                take(replies_, 1, [&](const FetchReply& reply) { receive(reply); });
            for (int i = 0; i < kReplicas; ++i) propose(BrokerId(i));
            while (!alters_.empty())
                take(alters_, 1, [&](const AlterRequest& request) { alter(request); });
            while (!alter_replies_.empty())
                take(alter_replies_, 1, [&](const AlterReply& reply) { altered(reply); });
            check(round % 50 == 0);
        }
        const Broker& leader = broker_[state_.leader.value];
        RC_ASSERT(state_.in_sync_replicas.size() == kReplicas);
        for (Broker& broker : broker_) {
            RC_ASSERT(broker.log.log_end_offset() == leader.log.log_end_offset());
            RC_ASSERT(broker.high_watermark() == leader.log.log_end_offset());
        }
    }

private:
    template <class T, class F>
    void take(std::vector<T>& bag, std::uint32_t pick, const F& use) {
        if (bag.empty()) return;
        const std::size_t index = pick / 8 % bag.size();
        const T message = bag[index];
        bag.erase(bag.begin() + static_cast<std::ptrdiff_t>(index));
        if (pick % 8 != 0) use(message);  // else the network lost it
    }

    void note_committed(Offset at, int value) {
        const auto index = static_cast<std::size_t>(at.value);
        if (index < committed_.size()) {
            RC_ASSERT(committed_[index] == value);
        } else {
            RC_ASSERT(index == committed_.size());
            committed_.push_back(value);
        }
    }

    void carry_out(Broker& broker, const LeaderOutput& output) {
        for (const Completion& end : output.completed) {
            const auto [base, value] = broker.waiting.at(end.ticket);
            broker.waiting.erase(end.ticket);
            if (end.code != ErrorCode::none) continue;
            RC_ASSERT(base < broker.high_watermark());
            RC_ASSERT(broker.value_at(base) == value);
        }
    }

    /// At whoever believes that it leads; several may.
    void produce(BrokerId id) {
        for (int i = 0; i < kReplicas && broker_[id.value].leader() == nullptr; ++i) {
            id = BrokerId((id.value + 1) % kReplicas);
        }
        Broker& broker = broker_[id.value];
        LeaderCore* const leader = broker.leader();
        if (leader == nullptr) return;
        const int value = next_value_++;
        const Acks acks = value % 2 == 0 ? Acks::all : Acks::leader;
        if (!leader->admit(acks)) return;
        const Append place = leader->stage(1);
        std::vector<std::byte> batch = batch_of(1, Timestamp(0), fmt::format("#{} ", value));
        record::stamp(batch, place.base_offset, place.leader_epoch);
        broker.log.append(batch).value();
        carry_out(broker, leader->appended(place.base_offset.next(), now_));
        const auto ticket = static_cast<std::uint64_t>(value);
        if (acks == Acks::all &&
            leader->park({place.base_offset.next(), now_ + std::chrono::seconds(30), ticket})) {
            broker.waiting[ticket] = {place.base_offset, value};
        }
    }

    void send_fetch(BrokerId id) {
        Broker& broker = broker_[id.value];
        if (broker.follower() == nullptr || requests_.size() >= 8) return;
        if (const auto plan = broker.follower()->next_fetch()) requests_.push_back({id, *plan});
    }

    void serve(const FetchRequest& request) {
        Broker& broker = broker_[request.plan.leader.value];
        if (broker.leader() == nullptr) return;
        LeaderCore& leader = *broker.leader();
        ReplicaView view{.leads = true,
                         .leader = {request.plan.leader, leader.leader_epoch()},
                         .epoch_start = leader.epoch_start_offset(),
                         .log_start = broker.log.log_start_offset(),
                         .log_end = broker.log.log_end_offset(),
                         .high_watermark = leader.high_watermark(),
                         .last_stable = leader.high_watermark()};
        FetchQuestion question;
        question.from = request.plan.from;
        question.current_leader_epoch = request.plan.current_leader_epoch;
        question.last_fetched_epoch = request.plan.last_fetched_epoch;
        question.replica = request.from;
        const FetchBounds bounds = fetch_bounds(question, view, broker.log);
        FetchReply reply;
        reply.to = request.from;
        reply.plan = request.plan;
        reply.outcome.diverging = bounds.diverging;
        reply.leader_start = view.log_start;
        reply.leader_end = view.log_end;
        reply.out_of_range = bounds.code == ErrorCode::offset_out_of_range;
        if (bounds.code != ErrorCode::none && !reply.out_of_range) return;
        if (bounds.code == ErrorCode::none && !bounds.diverging) {
            carry_out(broker, leader.follower_fetched({request.from, request.plan.from}, now_));
            reply.outcome.high_watermark = leader.high_watermark();
            reply.outcome.log_start = view.log_start;
            reply.bytes =
                bytes_of(broker.log.read(request.plan.from, bounds.upper, 300, true).value());
        }
        replies_.push_back(std::move(reply));
    }

    void receive(const FetchReply& reply) {
        Broker& broker = broker_[reply.to.value];
        if (broker.follower() == nullptr) return;
        FollowerCore& follower = *broker.follower();
        FollowerStep step;
        if (reply.out_of_range) {
            step = follower.out_of_range(reply.plan, reply.leader_start, reply.leader_end);
        } else {
            FetchOutcome outcome = reply.outcome;
            if (outcome.diverging) {
                outcome.own_end_of_diverging = broker.log.end_of_epoch(outcome.diverging->epoch);
            }
            step = follower.fetched(reply.plan, outcome);
        }
        if (step.truncate_to) broker.log.truncate_to(*step.truncate_to).value();
        if (step.restart_at) broker.log.restart_at(*step.restart_at).value();
        if (step.truncate_to || step.restart_at) {
            RC_ASSERT(broker.log.log_end_offset() >= follower.high_watermark());
            follower.truncated(broker.log.log_start_offset(), broker.log.log_end_offset(),
                               broker.log.last_epoch());
        }
        if (step.append) {
            const auto taken =
                check_fetched(reply.bytes, reply.plan.from, reply.plan.current_leader_epoch)
                    .value();
            broker.log.append(taken.bytes).value();
            follower.appended(taken.end, broker.log.last_epoch());
        }
    }

    /// The next state that the controller committed, or with `newest` all there are at once.
    void read_metadata(BrokerId id, bool newest) {
        Broker& broker = broker_[id.value];
        if (!broker.up || broker.metadata.empty()) return;
        if (newest) broker.metadata.erase(broker.metadata.begin(), broker.metadata.end() - 1);
        const PartitionState state = broker.metadata.front();
        broker.metadata.pop_front();
        if (broker.known && broker.known->partition_epoch >= state.partition_epoch) return;
        broker.known = state;
        const Offset high_watermark = broker.high_watermark();
        const LogEnds ends{broker.log.log_start_offset(), broker.log.log_end_offset(),
                           broker.log.log_end_offset()};
        if (state.leader == id) {
            broker.log.begin_epoch(state.leader_epoch).value();
            if (broker.leader() == nullptr) {
                broker.role.emplace<LeaderCore>(state, rules_, ends, high_watermark, now_);
                carry_out(broker, broker.leader()->advance(now_));
            } else {
                carry_out(broker, broker.leader()->update(state, now_));
            }
        } else if (broker.follower() != nullptr) {
            broker.follower()->update(state);
        } else {
            if (broker.leader() != nullptr) {
                carry_out(broker, broker.leader()->resign(ErrorCode::not_leader_or_follower));
                RC_ASSERT(broker.waiting.empty());
            }
            broker.log.truncate_to(ends.end).value();  // the epoch begun here, if it has no batch
            broker.role.emplace<FollowerCore>(state, ends, broker.log.last_epoch(), high_watermark);
        }
    }

    void propose(BrokerId id) {
        Broker& broker = broker_[id.value];
        if (broker.leader() == nullptr) return;
        if (const auto proposal = broker.leader()->propose_isr(now_))
            alters_.push_back({id, *proposal});
    }

    void alter(const AlterRequest& request) {
        const IsrProposal& proposal = request.proposal;
        AlterReply reply;
        reply.to = request.from;
        reply.leader_epoch = proposal.leader_epoch;
        std::vector<BrokerId> asked;
        for (const InSyncMember& member : proposal.in_sync_replicas) asked.push_back(member.broker);
        const auto is_down = [&](BrokerId id) { return !broker_[id.value].up; };
        if (proposal.leader_epoch != state_.leader_epoch ||
            proposal.partition_epoch != state_.partition_epoch) {
            reply.refusal = IsrRefusal::superseded;
        } else if (std::ranges::any_of(asked, is_down)) {
            reply.refusal = IsrRefusal::ineligible;
        } else {
            state_.in_sync_replicas = std::move(asked);
            bump();
            reply.epoch = state_.partition_epoch;
            reply.isr = state_.in_sync_replicas;
        }
        alter_replies_.push_back(std::move(reply));
    }

    void altered(const AlterReply& reply) {
        Broker& broker = broker_[reply.to.value];
        if (broker.leader() == nullptr || broker.leader()->leader_epoch() != reply.leader_epoch)
            return;
        carry_out(broker, reply.refusal
                              ? broker.leader()->isr_refused(*reply.refusal, now_)
                              : broker.leader()->isr_accepted(reply.isr, reply.epoch, now_));
    }

    /// The process ends, the log stays; the high watermark is what was written down some time ago.
    void crash(BrokerId id) {
        Broker& broker = broker_[id.value];
        if (!broker.up) return;
        broker.up = false;
        broker.role = std::monostate();
        broker.waiting.clear();
        broker.metadata.clear();
        broker.known.reset();
        if (contains(state_.in_sync_replicas, id) && state_.in_sync_replicas.size() > 1) {
            std::erase(state_.in_sync_replicas, id);
        }
        if (state_.leader == id) {
            const auto next = std::ranges::find_if(
                state_.in_sync_replicas, [&](BrokerId member) { return broker_[member.value].up; });
            lead(next == state_.in_sync_replicas.end() ? kNoBroker : *next);
        }
        bump();
    }

    void restart(BrokerId id) {
        Broker& broker = broker_[id.value];
        if (broker.up) return;
        broker.up = true;
        broker.metadata.push_back(state_);
        if (state_.leader == kNoBroker && contains(state_.in_sync_replicas, id)) {
            lead(id);
            bump();
        }
    }

    void elect(std::uint32_t pick) {
        const BrokerId chosen = state_.in_sync_replicas[pick / 2 % state_.in_sync_replicas.size()];
        if (!broker_[chosen.value].up || chosen == state_.leader) return;
        lead(chosen);
        bump();
    }

    void lead(BrokerId id) {
        state_.leader = id;
        state_.leader_epoch.value++;
        if (id == kNoBroker) return;
        const Broker& elected = broker_[id.value];
        RC_ASSERT(std::cmp_greater_equal(elected.log.log_end_offset().value, committed_.size()));
        for (std::size_t i = 0; i < committed_.size(); ++i) {
            RC_ASSERT(elected.value_at(Offset(static_cast<std::int64_t>(i))) == committed_[i]);
        }
    }

    void bump() {
        state_.partition_epoch.value++;
        publish();
    }
    void publish() {
        for (Broker& broker : broker_) {
            if (broker.up) broker.metadata.push_back(state_);
        }
    }

    void let_time_pass(std::uint32_t pick) {
        now_ += std::chrono::seconds(pick / 2 % 20);
        Broker& noted = broker_[pick / 64 % kReplicas];
        noted.checkpoint = noted.high_watermark();
        // Deadlines: of parked produces, and of a proposal that nobody answered.
        for (Broker& broker : broker_) {
            if (broker.leader() == nullptr) continue;
            carry_out(broker, broker.leader()->expire(now_));
            carry_out(broker, broker.leader()->isr_refused(IsrRefusal::unknown, now_));
        }
    }

    LeaderRules rules_;
    PartitionState state_;  ///< as the controller has committed it
    Broker broker_[kReplicas];
    std::vector<FetchRequest> requests_;
    std::vector<FetchReply> replies_;
    std::vector<AlterRequest> alters_;
    std::vector<AlterReply> alter_replies_;
    std::vector<int> committed_;
    std::map<std::pair<int, LeaderEpoch>, Offset> seen_;
    env::Instant now_ = at(0);
    int next_value_ = 0;
};

RC_GTEST_PROP(LeaderProperty, NeverLosesOrChangesWhatIsCommitted, ()) {
    const auto min_insync = *rc::gen::inRange(1, 3);
    const auto steps = *rc::gen::resize(4000, rc::gen::container<std::vector<std::uint32_t>>(
                                                  rc::gen::inRange<std::uint32_t>(0, 1U << 20)));
    Cluster cluster(min_insync);
    int count = 0;
    for (const std::uint32_t step : steps) {
        cluster.step(step);
        cluster.check(++count % 64 == 0);
    }
    cluster.settle();
    RC_TAG(cluster.committed() > 100);
}

}  // namespace
}  // namespace milena::replication
