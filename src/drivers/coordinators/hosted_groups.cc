// SPDX-License-Identifier: Apache-2.0
// How a request is decided and what follows. The loop stands in hosted_groups_loop.cc.
#include "hosted_groups.h"

#include <algorithm>

#include "group_events.h"
#include "milena/protocol/records/group.h"

namespace milena::drivers {

using coordinator::GroupAnswer;
using coordinator::GroupRequest;

namespace {

constexpr env::Duration kTooLargeToldEvery = std::chrono::minutes(1);

Error unavailable(std::string why) {
    return {ErrorCode::coordinator_not_available, std::move(why)};
}

/// The page was too much for one batch.
bool has_more(const coordinator::GroupReply& reply) {
    if (const auto* const removed = std::get_if<coordinator::DeleteGroupReply>(&reply))
        return removed->has_more;
    const auto* const forgotten = std::get_if<coordinator::ForgetTopicsReply>(&reply);
    return forgotten != nullptr && forgotten->has_more;
}

bool has_failed(const coordinator::GroupReply& reply) {
    const auto* const removed = std::get_if<coordinator::DeleteGroupReply>(&reply);
    return removed != nullptr && removed->code != ErrorCode::none;
}

bool is_offset_key(BytesView key) {
    return coordinator::leading_number(key).value_or(INT16_MAX) <= 1;
}

}  // namespace

HostedGroups::HostedGroups(Host& host, Place place) : host_(host), place_(std::move(place)) {}

void HostedGroups::carry_out(After& after) {
    deliver(after.deliveries);
    tell(host_, after.events);
    for (const auto& wake : after.wakes) wake();
}

coordinator::GroupTime HostedGroups::time() const {
    return {host_.env.clock().now(), host_.env.clock().wall().value};
}

void HostedGroups::resign(const Error& why) {
    // Let go of without the guard: there may be many.
    std::unique_ptr<Groups> groups;
    const bool was_there = decide([&](State& state, After& after) {
        if (state.phase == Phase::gone) return false;
        state.phase = Phase::gone;
        state.gone_because = why;
        groups = std::move(state.groups);
        state.waiting.refuse_all(why, after.deliveries);
        std::ranges::move(state.turns, std::back_inserter(after.wakes));
        state.turns.clear();
        if (state.wake) after.wakes.push_back(state.wake);
        return true;
    });
    if (!was_there) return;
    if (groups != nullptr) host_.counters.past_rebalances.add(groups->figures().rebalances);
    place_.partition->unlisten(this);
    LOG_INFO(host_.log, "coordinates its groups no longer",
             kv("partition", place_.partition->name().text()), kv("why", why.why));
}

Error HostedGroups::refusal(const State& state) const {
    if (state.phase == Phase::gone) return state.gone_because;
    return {ErrorCode::coordinator_load_in_progress, "the partition is being taken over"};
}

std::optional<Error> HostedGroups::refuse(const State& state) {
    if (state.phase != Phase::active) return refusal(state);
    if (state.waiting.size() >= kAskersMax) {
        host_.counters.refused.add();
        return Error{ErrorCode::coordinator_load_in_progress, "too many requests wait"};
    }
    return std::nullopt;
}

Asker::Answer HostedGroups::refuse_much() {
    host_.counters.refused.add();
    return fail(ErrorCode::coordinator_load_in_progress, "too many offsets wait to be answered");
}

env::Task<Asker::Answer> HostedGroups::ask(env::Executor owner, GroupRequest request) {
    const auto self = shared_from_this();
    CO_TRY(auto opening, open(request));
    const auto* const remove = std::get_if<coordinator::DeleteGroupRequest>(&request);
    if (remove != nullptr && !opening.reads.empty()) {
        opening.reading.reset();
        const auto page = [&](bool is_last) {
            return coordinator::DeleteGroupRequest{.group = remove->group, .is_last_page = is_last};
        };
        co_return co_await ask_pages(owner, {.request = page,
                                             .gone = host_.counters.deleted_offsets,
                                             .prefix = opening.reads.front().key});
    }
    StoredRecords stored;
    HeldBytes held(host_.held);
    if (!opening.reads.empty()) {
        CO_TRY(stored, co_await read(owner, opening));
        if (!held.take(stored.bytes())) co_return refuse_much();
    }
    co_return co_await answer(
        owner, {request, stored.views(), opening.reading ? &*opening.reading : nullptr,
                host_.counters.deleted_offsets});
}

Result<HostedGroups::Opening> HostedGroups::open(const GroupRequest& request) {
    return state_.with([&](State& state) -> Result<Opening> {
        if (auto why = refuse(state)) return std::unexpected(*std::move(why));
        TRY(auto reads, state.groups->reads_of(request));
        Opening opening{.reads = std::move(reads), .reading = std::nullopt};
        if (opening.reads.empty()) return opening;
        state.readers.insert(state.applied);
        opening.reading.emplace(shared_from_this(), state.applied);
        return opening;
    });
}

env::Task<Result<StoredRecords>> HostedGroups::read(env::Executor owner, const Opening& opening) {
    Result<StoredRecords> stored;
    co_await host_.reads.run(host_.env, owner, [&] {
        stored = read_stored({host_.store, place_.space}, opening.reads);
    });
    if (!stored && stored.error().code == ErrorCode::policy_violation) co_return stored;
    const bool is_known =
        state_.with([&](State& state) { return std::exchange(state.is_store_failing, !stored); });
    if (!stored) {
        if (!is_known)
            LOG_ERROR(host_.log, "the state store can't be read", kv("why", stored.error().why));
        co_return std::unexpected(unavailable(stored.error().why));
    }
    co_return stored;
}

env::Task<Asker::Answer> HostedGroups::answer(env::Executor owner, Question question) {
    CO_TRY_VOID(co_await take_turn(owner, kTurnsMax));
    const auto asker = std::make_shared<Asker>();
    auto step = state_.with([&](State& state) -> Result<GroupStep> {
        if (state.phase != Phase::active) return std::unexpected(refusal(state));
        const auto ticket = state.waiting.add(asker);
        auto decided = state.groups->ask(ticket, question.request, question.stored, time());
        // Not before: what this read has missed would be forgotten with it.
        if (question.reading != nullptr) question.reading->end(state);
        return noted(state, std::move(decided));
    });
    CO_TRY(auto decided, std::move(step));
    co_await finish(owner, std::move(decided), question.gone);
    co_return co_await asker->wait(host_.env, owner);
}

env::Task<Asker::Answer> HostedGroups::ask_pages(env::Executor owner, Pages pages) {
    const auto self = shared_from_this();
    std::vector<std::byte> from;
    for (;;) {
        std::optional<Reading> reading;
        CO_TRY_VOID(state_.with([&](State& state) -> Result<void> {
            if (state.phase != Phase::active) return std::unexpected(refusal(state));
            state.readers.insert(state.applied);
            reading.emplace(self, state.applied);
            return ok();
        }));
        Result<OffsetsPage> read;
        co_await host_.reads.run(host_.env, owner, [&] {
            read = read_offsets_page({host_.store, place_.space}, pages.prefix, from);
        });
        CO_TRY(const auto page, std::move(read));
        const GroupRequest asked = pages.request(page.next.empty());
        CO_TRY(auto reply,
               co_await answer(owner, {asked, page.records.views(), &*reading, pages.gone}));
        if (has_more(reply)) continue;
        if (page.next.empty() || has_failed(reply)) co_return reply;
        from = page.next;
    }
}

void HostedGroups::forget(std::span<const coordinator::ForgetTopicsRequest::Topic> topics) {
    state_.with([&](State& state) {
        const std::size_t room = kForgottenMax - std::min(kForgottenMax, state.forgotten.size());
        const auto some = topics.first(std::min(room, topics.size()));
        state.forgotten.insert(state.forgotten.end(), some.begin(), some.end());
    });
}

env::Task<bool> HostedGroups::forget_noted(env::Executor owner) {
    const auto self = shared_from_this();
    auto topics = state_.with([](State& state) { return std::exchange(state.forgotten, {}); });
    if (topics.empty()) co_return true;
    std::ranges::sort(topics, {}, &coordinator::ForgetTopicsRequest::Topic::name);
    const auto request = [&](bool is_last) {
        return coordinator::ForgetTopicsRequest{.topics = topics, .is_last_page = is_last};
    };
    const auto done =
        co_await ask_pages(owner, {.request = request, .gone = host_.counters.deleted_offsets});
    if (done || done.error().code == ErrorCode::not_coordinator) co_return true;
    forget(topics);
    co_return false;
}

env::Task<Result<void>> HostedGroups::take_turn(env::Executor owner, std::size_t turns_max) {
    enum class Turn : std::uint8_t { taken, refused, waits };
    std::optional<env::Wakeup> wakeup;
    const auto try_to = [&] {
        return state_.with([&](State& state) {
            if (state.phase != Phase::active) return Turn::refused;
            if (!state.is_deciding) {
                state.is_deciding = true;
                return Turn::taken;
            }
            if (state.turns.size() >= turns_max) return Turn::refused;
            if (wakeup) state.turns.push_back(wakeup->handle());
            return Turn::waits;
        });
    };
    Turn turn = try_to();
    if (turn == Turn::waits) {
        wakeup.emplace(host_.env, owner);
        turn = try_to();
        // Woken with the turn, or when there is nothing left to take it for.
        if (turn == Turn::waits) co_await wakeup->wait_until(env::kNever);
    }
    const bool is_active =
        state_.with([](const State& state) { return state.phase == Phase::active; });
    if (!is_active)
        co_return std::unexpected(state_.with([&](const State& s) { return refusal(s); }));
    if (turn == Turn::refused) {
        host_.counters.refused.add();
        co_return fail(ErrorCode::coordinator_load_in_progress, "too many requests wait");
    }
    co_return ok();
}

env::Task<void> HostedGroups::finish(env::Executor owner, GroupStep step,
                                     telemetry::Counter& gone) {
    for (;;) {
        start_work(step);
        while (!step.records.empty()) {
            const std::uint64_t batch = state_.with([](State& state) { return ++state.batch; });
            const Result<Appended> done = co_await append_records(
                {host_.env, owner, place_.partition},
                {host_.options.codec, host_.options.commit_timeout}, step.records, on_done(batch));
            if (done) tell(host_, step.events);
            step = appended(step, done, gone).value_or(GroupStep{});
        }
        tell(host_, step.events);
        auto next = next_or_pass_on(std::move(step));
        if (!next) co_return;
        step = *std::move(next);
    }
}

env::Task<void> HostedGroups::finish_alone(GroupStep step) {
    const auto self = shared_from_this();
    co_await finish(place_.home, std::move(step), host_.counters.deleted_offsets);
    host_.end_one();
}

/// What the client is to blame for is not told again and again, nor is what lasts.
void HostedGroups::tell_failed_append(const Error& why) {
    const bool is_of_client = why.code == ErrorCode::unknown_server_error;
    const bool is_known = is_of_client || state_.with([](State& state) {
        return std::exchange(state.is_append_failing, true);
    });
    if (is_known) {
        LOG_DEBUG(host_.log, "records of groups not appended",
                  kv("partition", place_.partition->name().text()), kv("why", why.why));
    } else {
        LOG_WARN(host_.log, "records of groups not appended",
                 kv("partition", place_.partition->name().text()), kv("why", why.why));
    }
}

void HostedGroups::tell_too_large(const GroupStep& step, const Error& why) {
    const env::Instant now = host_.env.clock().now();
    const bool is_told = state_.with([&](State& state) {
        if (now < state.tells_too_large_at) return true;
        state.tells_too_large_at = now + kTooLargeToldEvery;
        return false;
    });
    if (is_told) return;
    protocol::Arena arena;
    const auto key = coordinator::decode_after_number<protocol::GroupMetadataKey>(
        step.records.front().key, arena);
    LOG_WARN(host_.log, "records of a group are too large, which its clients are told",
             kv("partition", place_.partition->name().text()),
             kv("group", key ? std::string(key->group) : std::string()), kv("why", why.why),
             kv("remedy", "fewer members or topics, or more max.message.bytes of the topic"));
}

std::optional<coordinator::GroupStep> HostedGroups::appended(const GroupStep& step,
                                                             const Result<Appended>& appended,
                                                             telemetry::Counter& gone) {
    state_.with([](State& state) { state.is_appending = false; });
    if (!appended) {
        const Error why{coordinator_code(appended.error().code), appended.error().why};
        host_.counters.failed_appends.add();
        const bool was_too_large = is_too_large(appended.error().code);
        if (was_too_large) {
            tell_too_large(step, why);
        } else {
            tell_failed_append(why);
        }
        if (is_lost(appended.error().code)) resign(why);
        return decide([&](State& state, After& after) -> std::optional<GroupStep> {
            if (state.phase == Phase::gone) return std::nullopt;
            state.waiting.refuse(step.answers, why, after.deliveries);
            state.rests_until = time().now + std::chrono::milliseconds(100);
            return noted(state,
                         state.groups->append_failed(
                             was_too_large ? ErrorCode::message_too_large : why.code, time()));
        });
    }
    host_.counters.appends.add();
    for (const auto& record : step.records) {
        if (!is_offset_key(record.key)) continue;
        (record.value ? host_.counters.committed_offsets : gone).add();
    }
    decide([&](State& state, After& after) {
        if (state.phase == Phase::gone) return;
        Offset offset = appended->base_offset;
        for (const auto& record : step.records) {
            std::optional<BytesView> value;
            if (record.value) value = BytesView(*record.value);
            state.groups->apply({record.key, value, offset});
            offset = offset.next();
        }
        state.end = offset;
        state.ends.emplace_back(state.batch, offset);
        state.is_append_failing = false;
        state.has_news = true;  // the high watermark may be there already
        state.expires_at = std::min(state.expires_at, appended->expires_at);
        park(state, step.answers, after);
    });
    return std::nullopt;
}

/// A step without records; and as long as the high watermark brings steps with records, the next
/// one is for the caller.
std::optional<coordinator::GroupStep> HostedGroups::next_or_pass_on(GroupStep step) {
    std::optional<Offset> high_watermark;
    for (;;) {
        bool is_over = false;
        auto next = decide([&](State& state, After& after) -> std::optional<GroupStep> {
            is_over = true;
            if (state.phase == Phase::gone) return std::nullopt;
            park(state, std::exchange(step.answers, {}), after);
            if (high_watermark) {
                if (auto more = take_high_watermark(state, *high_watermark, after)) return more;
            }
            is_over = !std::exchange(state.has_news, false);
            if (is_over) pass_on(state, after);
            return std::nullopt;
        });
        if (is_over) return next;
        high_watermark = place_.partition->high_watermark();
    }
}

replication::ProduceDone HostedGroups::on_done(std::uint64_t batch) {
    return [weak = weak_from_this(), batch](const replication::ProduceAnswer& answer) {
        if (const auto self = weak.lock()) self->produced(batch, answer);
    };
}

/// What is committed the high watermark says; here comes what is not.
void HostedGroups::produced(std::uint64_t batch, const replication::ProduceAnswer& answer) {
    if (answer.code == ErrorCode::none) return;
    const Error why{coordinator_code(answer.code), answer.why};
    if (is_lost(answer.code)) return resign(why);
    decide([&](State& state, After& after) {
        state.given_up = std::max(state.given_up, batch);
        state.waiting.give_up(state.given_up, why, after.deliveries);
        if (state.phase != Phase::active) return;
        if (state.is_deciding) {
            state.has_news = true;
            return;
        }
        give_up_sequels(state, after);
        schedule(state, after);
    });
}

void HostedGroups::give_up_sequels(State& state, After& after) {
    std::optional<Offset> end;
    for (; !state.ends.empty() && state.ends.front().first <= state.given_up;
         state.ends.pop_front())
        end = state.ends.front().second;
    if (!end) return;
    GroupStep step = state.groups->given_up(*end, ErrorCode::request_timed_out, time());
    INVARIANT(step.records.empty(), "what is given up is written");
    std::ranges::move(step.events, std::back_inserter(after.events));
    park(state, std::move(step.answers), after);
}

/// A disk that was full for a moment is no reason to go: the broker leads on.
bool HostedGroups::is_lost(ErrorCode of_append) const {
    if (coordinator_code(of_append) != ErrorCode::not_coordinator) return false;
    return of_append != ErrorCode::kafka_storage_error || place_.partition->offline() ||
           place_.partition->current_leader().leader != host_.options.self;
}

void HostedGroups::partition_has_news() {
    const Offset high_watermark = place_.partition->high_watermark();
    if (place_.partition->current_leader().leader != host_.options.self)
        return resign({ErrorCode::not_coordinator, "another broker leads the partition"});
    auto step = decide([&](State& state, After& after) -> std::optional<GroupStep> {
        if (state.phase == Phase::loading && state.wake) after.wakes.push_back(state.wake);
        if (state.phase != Phase::active) return std::nullopt;
        if (state.is_deciding) {
            state.has_news = true;
            return std::nullopt;
        }
        auto decided = take_high_watermark(state, high_watermark, after);
        state.is_deciding = decided.has_value();
        if (!decided) schedule(state, after);
        return decided;
    });
    if (!step) return;
    host_.begin_one();
    env::spawn(place_.home, finish_alone(*std::move(step)));
}

std::optional<coordinator::GroupStep> HostedGroups::take_high_watermark(State& state,
                                                                        Offset high_watermark,
                                                                        After& after) {
    GroupStep step;
    if (high_watermark > state.committed) {
        state.committed = high_watermark;
        while (!state.ends.empty() && state.ends.front().second <= high_watermark)
            state.ends.pop_front();
        step = noted(state, state.groups->committed(high_watermark, time()));
        if (!step.records.empty()) return step;
        std::ranges::move(step.events, std::back_inserter(after.events));
        park(state, std::move(step.answers), after);
    }
    give_up_sequels(state, after);
    return std::nullopt;
}

void HostedGroups::park(State& state, std::vector<GroupAnswer> answers, After& after) {
    state.waiting.park(std::move(answers), state.end, state.batch);
    state.waiting.committed(state.committed, after.deliveries);
    if (state.given_up != 0) {
        state.waiting.give_up(state.given_up, unavailable("its replicas do not have it in time"),
                              after.deliveries);
    }
}

void HostedGroups::pass_on(State& state, After& after) {
    schedule(state, after);
    if (state.turns.empty()) {
        state.is_deciding = false;
        return;
    }
    after.wakes.push_back(std::move(state.turns.front()));
    state.turns.pop_front();
}

/// The loop sleeps no longer than until something is due.
void HostedGroups::schedule(State& state, After& after) {
    const env::Instant next = std::min(state.groups->deadline(), state.expires_at);
    if (next >= state.wakes_at) return;
    state.wakes_at = next;
    if (state.wake) after.wakes.push_back(state.wake);
}

HostedGroups::Reading::~Reading() {
    if (groups_ != nullptr) groups_->state_.with([this](State& state) { end(state); });
}

void HostedGroups::Reading::end(State& state) {
    const auto reader = state.readers.find(from_);
    INVARIANT(reader != state.readers.end(), "a read ends that was not begun");
    state.readers.erase(reader);
    tell_stored(state);
    groups_ = nullptr;
}

/// A read that is under way may not have seen what came into the store behind where it began.
void HostedGroups::tell_stored(State& state) {
    if (state.phase != Phase::active) return;
    Offset stored = state.applied;
    if (!state.readers.empty()) stored = std::min(stored, *state.readers.begin());
    if (stored <= state.stored) return;
    state.stored = stored;
    state.groups->stored(stored);
}

void HostedGroups::store_moved() {
    const auto applied = host_.options.applied(place_.space);
    decide([&](State& state, After& after) {
        if (state.phase == Phase::loading && state.wake) after.wakes.push_back(state.wake);
        if (!applied || *applied <= state.applied) return;
        state.applied = *applied;
        tell_stored(state);
    });
}

HostedGroups::Figures HostedGroups::figures() const {
    return state_.with([](const State& state) {
        Figures figures{.phase = state.phase,
                        .groups = {},
                        .turns = state.turns.size(),
                        .askers = state.waiting.size(),
                        .parked = state.waiting.parked(),
                        .readers = state.readers.size(),
                        .forgotten = state.forgotten.size()};
        if (state.groups != nullptr) {
            figures.groups = state.groups->figures();
            figures.unstored = std::max<std::int64_t>(state.end - state.applied, 0);
        }
        return figures;
    });
}

}  // namespace milena::drivers
