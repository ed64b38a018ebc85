// SPDX-License-Identifier: Apache-2.0
// Turns are taken under the guard; partitions are asked, and listeners registered, without it.
#include "fetch_session.h"

#include <algorithm>

#include "milena/base/invariant.h"
#include "milena/protocol/arena.h"
#include "session_slots.h"

namespace milena::server {
namespace {

using protocol::FetchRequest;
using replication::Partition;

constexpr std::int16_t kFirstVersionWithTopicIds = 13;

std::int32_t next_epoch(std::int32_t epoch) {
    return epoch == INT32_MAX ? 1 : epoch + 1;
}

/// Nobody makes a session larger than all may be together, nor keeps names here of topics that
/// can't exist.
bool fits(const SessionPartitions& kept, const FetchRequest& body) {
    std::size_t partitions = kept.size();
    for (const auto& topic : body.topics) {
        partitions += topic.partitions.size();
        if (topic.topic.size() > SessionPartitions::kNameBytesMax) return false;
    }
    if (partitions <= SessionSlots::kPartitionsMax) return true;
    for (const auto& topic : body.topics) {
        partitions -=
            static_cast<std::size_t>(std::ranges::count_if(topic.partitions, [&](const auto& one) {
                return kept.contains({topic.topic, topic.topic_id}, one.partition);
            }));
    }
    return partitions <= SessionSlots::kPartitionsMax;
}

void notify(const std::weak_ptr<env::Wakeup>& waiter) {
    if (const auto wakeup = waiter.lock()) wakeup->notify();
}

}  // namespace

FetchSession::FetchSession(std::int32_t id, bool uses_topic_ids)
    : id_(id), uses_topic_ids_(uses_topic_ids), state_(uses_topic_ids) {}

void FetchSession::fill(const FetchRequest& body, std::span<const FetchPart> parts) {
    state_.with([&](State& state) {
        ask(state, body);
        // They stay marked: what came after they were read, nobody has heard.
        std::size_t next = 0;
        for (const auto& topic : body.topics) {
            for (const auto& asked : topic.partitions) {
                const FetchPart& part = parts[next++];
                const Slot slot = state.partitions.ask({topic.topic, topic.topic_id}, asked);
                state.partitions.tell(slot, part.answer);
                if (uses_topic_ids_ && part.replica != nullptr)
                    state.partitions.remember_name(slot, part.replica->name().topic);
            }
        }
    });
}

void FetchSession::ask(State& state, const FetchRequest& body) {
    for (const auto& topic : body.topics) {
        for (const auto& asked : topic.partitions) {
            const Slot slot = state.partitions.ask({topic.topic, topic.topic_id}, asked);
            if (slot < state.listeners.size()) continue;
            INVARIANT(slot == state.listeners.size(), "slots come one by one");
            state.listeners.emplace_back(*this, slot);
            state.heard.emplace_back();
        }
    }
}

void FetchSession::forget(State& state, const FetchRequest& body,
                          std::vector<ForgottenPartition>& out) {
    for (const auto& topic : body.forgotten_topics_data) {
        for (const std::int32_t partition : topic.partitions) {
            const auto slot = state.partitions.forget({topic.topic, topic.topic_id}, partition);
            if (!slot) continue;
            out.push_back(
                {*slot, std::exchange(state.heard[*slot], nullptr), &state.listeners[*slot]});
        }
    }
}

void FetchSession::unlisten(std::vector<ForgottenPartition>& forgotten) {
    for (auto& [_, replica, listener] : forgotten) {
        if (replica != nullptr) replica->unlisten(listener);
        replica = nullptr;
    }
}

SessionTurn FetchSession::begin(const FetchRequest& body, std::int16_t version,
                                std::vector<ForgottenPartition>& scratch) {
    SessionTurn turn;
    scratch.clear();
    std::weak_ptr<env::Wakeup> waiter;
    state_.with([&](State& state) {
        if (state.epoch != body.session_epoch) {
            turn.code = ErrorCode::invalid_fetch_session_epoch;
        } else if (uses_topic_ids_ != (version >= kFirstVersionWithTopicIds)) {
            turn.code = ErrorCode::fetch_session_topic_id_error;
        } else if (!fits(state.partitions, body)) {
            turn.code = ErrorCode::fetch_session_id_not_found;
        } else {
            waiter = std::exchange(state.waiter, {});
            state.partitions.put_back();
            ask(state, body);
            forget(state, body, scratch);
            turn.epoch = state.epoch = next_epoch(state.epoch);
            turn.partitions = state.partitions.size();
        }
    });
    notify(waiter);
    if (scratch.empty()) return turn;
    unlisten(scratch);
    state_.with([&](State& state) {
        for (const ForgottenPartition& one : scratch) state.partitions.release(one.slot);
    });
    return turn;
}

bool FetchSession::take(const SessionTurn& turn, protocol::Arena& arena,
                        std::vector<std::string_view>& names, std::vector<DuePartition>& out) {
    out.clear();
    return state_.with([&](State& state) {
        if (state.epoch != turn.epoch) return false;
        state.partitions.take(state.taken);
        for (SessionPartitions::Taken& taken : state.taken) {
            if (taken.number == names.size()) names.emplace_back();
            // One that is named by its id may have got its name since.
            std::string_view& name = names[taken.number];
            if (name != taken.topic.name) name = arena.copy(taken.topic.name);
            taken.topic.name = name;
            out.push_back({taken, state.heard[taken.slot]});
        }
        return true;
    });
}

void FetchSession::listen(const SessionTurn& turn, Slot slot,
                          const std::shared_ptr<Partition>& replica) {
    std::shared_ptr<Partition> before = replica;
    state_.with([&](State& state) {
        if (state.epoch == turn.epoch && !state.has_ended) before.swap(state.heard[slot]);
    });
    if (before == replica) return;
    if (before != nullptr) follow(turn, slot, before, true);
    if (replica != nullptr) follow(turn, slot, replica, false);
}

/// The session may end, and a later turn give the slot to another partition or back to this one, at
/// any time in between: whoever registers or unregisters looks again, so that the last one to do so
/// leaves it as it should be.
void FetchSession::follow(const SessionTurn& turn, Slot slot,
                          const std::shared_ptr<Partition>& replica, bool listens) {
    std::shared_ptr<replication::FetchListener> listener;
    const auto should_listen = [&] {
        return state_.with([&](State& state) {
            listener = {shared_from_this(), &state.listeners[slot]};
            return state.heard[slot] == replica;
        });
    };
    bool has_changed = false;
    while (should_listen() != listens) {
        listens = !listens;
        has_changed = true;
        if (listens) {
            replica->listen(listener);
        } else {
            replica->unlisten(listener.get());
        }
    }
    // A later turn may have read it before it was listened to.
    if (has_changed && listens && !is_current(turn)) mark(slot);
}

bool FetchSession::is_current(const SessionTurn& turn) const {
    return state_.with([&](const State& state) { return state.epoch == turn.epoch; });
}

void FetchSession::remember_name(const SessionTurn& turn, Slot slot, std::string_view name) {
    state_.with([&](State& state) {
        if (state.epoch == turn.epoch) state.partitions.remember_name(slot, name);
    });
}

void FetchSession::mark(Slot slot) {
    std::weak_ptr<env::Wakeup> waiter;
    state_.with([&](State& state) {
        if (state.partitions.mark(slot)) waiter = state.waiter;
    });
    notify(waiter);
}

void FetchSession::wake(const SessionTurn& turn, const std::weak_ptr<env::Wakeup>& waiter) {
    const bool may_wait = state_.with([&](State& state) {
        if (state.epoch != turn.epoch || state.has_ended) return false;
        state.waiter = waiter;
        return true;
    });
    if (!may_wait) notify(waiter);
}

bool FetchSession::settle(const SessionTurn& turn, std::span<FetchPart> parts) {
    return state_.with([&](State& state) {
        if (state.epoch != turn.epoch) return false;
        state.waiter.reset();
        for (std::size_t i = 0; i < parts.size(); ++i) {
            parts[i].is_told = state.partitions.settle(static_cast<std::uint32_t>(i), parts[i]);
        }
        state.partitions.end_turn();
        return true;
    });
}

void FetchSession::end() {
    std::vector<ForgottenPartition> all;
    std::weak_ptr<env::Wakeup> waiter;
    state_.with([&](State& state) {
        state.has_ended = true;
        waiter = std::exchange(state.waiter, {});
        for (Listener& listener : state.listeners) {
            auto replica = std::exchange(state.heard[listener.slot], nullptr);
            if (replica != nullptr) all.push_back({listener.slot, std::move(replica), &listener});
        }
    });
    unlisten(all);
    notify(waiter);
}

}  // namespace milena::server
