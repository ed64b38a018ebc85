// SPDX-License-Identifier: Apache-2.0
// The loop over all followed spaces. It waits for news, rests a little so that more of it comes
// together, and gives each partition with news a turn in the disk pool; no turn of a space runs
// beside another, or beside its drop.
#include "milena/drivers/materialiser.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "followed_space.h"

namespace milena::drivers {
namespace {

using storage::StateSpace;

constexpr std::string_view kOffsetsTopic = "__consumer_offsets";
/// The store is told so often, at least, that an idle space is up to date; of a topic with a short
/// delete.retention.ms, so many times in it.
constexpr env::Duration kAgeMax = std::chrono::hours(1);
constexpr std::int64_t kAgesInRetention = 8;

using telemetry::Kind;
using telemetry::Metric;
constexpr Metric kLag{"milena_state_lag", Kind::gauge,
                      "Committed and decided records of a coordinators' partition that the state "
                      "store does not have yet."};
constexpr Metric kRecords{"milena_state_records_total", Kind::counter,
                          "Records of coordinators' logs that came into the state store."};
constexpr Metric kRebuilds{"milena_state_rebuilds_total", Kind::counter,
                           "Partitions of the state store that were made anew from their log."};
constexpr Metric kFlushes{"milena_state_flushes_total", Kind::counter,
                          "Times that the state store was made durable."};
constexpr Metric kFailures{"milena_state_failures_total", Kind::counter,
                           "Reads of a log, or uses of the state store, that failed."};
constexpr Metric kMemory{"milena_state_memory_bytes", Kind::gauge,
                         "Memory of the state store: buffers, cache and indexes."};

/// What the store has besides `kept`.
Result<void> add_strays(storage::StateStore& store, const std::set<StateSpace>& kept,
                        std::vector<StateSpace>& strays) {
    TRY(const auto all, store.spaces());
    std::ranges::copy_if(all, std::back_inserter(strays),
                         [&](const StateSpace& space) { return !kept.contains(space); });
    return ok();
}

}  // namespace

Materialiser::Materialiser(env::Env& env, Logger log, storage::StateStore& store,
                           MaterialiserOptions options)
    : env_(env),
      log_(std::move(log)),
      store_(store),
      options_(std::move(options)),
      moved_([](const StateSpace&) {}),
      work_(env, env.control()),
      rest_(env, env.control()),
      ended_(env, env.control()) {}

Materialiser::~Materialiser() = default;

void Materialiser::when_moved(std::function<void(const StateSpace&)> tell) {
    moved_ = std::move(tell);
}

void Materialiser::follow(const metadata::Image& image, std::span<const Uuid> changed) {
    if (stopping_) return;
    for (const Uuid id : changed) {
        const auto topic = image.topics->find(id);
        if (topic == nullptr) {
            std::vector<StateSpace> gone;
            for (const auto& [space, followed] : followed_) {
                if (space.topic == id) gone.push_back(space);
            }
            for (const StateSpace& space : gone) unfollow(space);
        } else if (std::ranges::find(options_.topics, topic->name) != options_.topics.end()) {
            const std::int64_t retention_ms = options_.delete_retention_ms(image, topic->name);
            for (const auto& [index, partition] : topic->partitions)
                follow_partition({id, index}, topic->name, retention_ms);
        }
    }
}

void Materialiser::follow_partition(const StateSpace& space, std::string_view topic,
                                    std::int64_t delete_retention_ms) {
    const auto replica = options_.replica(space.topic, space.partition);
    if (replica == nullptr) return unfollow(space);
    Followed& followed = followed_[space];
    followed.delete_retention_ms = delete_retention_ms;
    if (followed.space != nullptr && &followed.space->replica() == replica.get()) return;
    followed.space = std::make_shared<FollowedSpace>(
        log_,
        FollowedSpace::Parts{
            .replica = replica, .wake = work_.handle(), .has_offset_keys = topic == kOffsetsTopic});
    followed.is_due = true;
    replica->listen(followed.space);
    shared_.with([&](auto& shared) { shared.insert_or_assign(space, followed.space); });
    work_.notify();
}

void Materialiser::unfollow(const StateSpace& space) {
    if (followed_.erase(space) == 0) return;
    shared_.with([&](auto& shared) { shared.erase(space); });
    to_drop_.insert(space);
    work_.notify();
}

void Materialiser::start() {
    running_ = true;
    saved_at_ = env_.clock().now();
    env::spawn(env_.control(), run());
}

env::Task<void> Materialiser::run() {
    while (!stopping_) {
        co_await drop_unowned();
        co_await round();
        if (save_due() <= env_.clock().now()) co_await save(kAgeMax);
        if (stopping_) break;
        if (has_due(env_.clock().now())) continue;
        const bool is_told = co_await work_.wait_until(next_due());
        if (is_told && !stopping_) co_await rest_.wait_until(env_.clock().now() + options_.pause);
    }
    co_await save({});
    running_ = false;
    ended_.notify();
}

env::Task<void> Materialiser::stop() {
    stopping_ = true;
    work_.notify();
    rest_.notify();
    while (running_) co_await ended_.wait_until(env::kNever);
}

env::Task<void> Materialiser::drop_unowned() {
    const bool is_due = strays_are_due_ || !to_drop_.empty();
    if (!is_due || env_.clock().now() < drops_not_before_) co_return;
    std::vector<StateSpace> gone(to_drop_.begin(), to_drop_.end());
    std::set<StateSpace> kept;
    for (const auto& [space, followed] : followed_) kept.insert(space);
    Result<void> done;
    co_await env_.offload(env::Pool::disk, [&] {
        if (strays_are_due_) done = add_strays(store_, kept, gone);
        for (const StateSpace& space : gone) {
            if (done) done = store_.drop(space);
        }
    });
    if (!done) {
        drops_not_before_ = env_.clock().now() + options_.retry_pause;
        failed("state of replicas that are gone can't be dropped", done.error(), drops_fail_);
        co_return;
    }
    strays_are_due_ = drops_fail_ = false;
    is_unflushed_ |= !gone.empty();
    for (const StateSpace& space : gone) to_drop_.erase(space);
}

env::Task<void> Materialiser::round() {
    std::vector<StateSpace> due;
    for (auto& [space, followed] : followed_) {
        followed.is_due |= followed.space->take_news();
        const bool is_free = followed.not_before <= env_.clock().now() && !to_drop_.contains(space);
        if (followed.is_due && is_free) due.push_back(space);
    }
    for (const StateSpace& space : due) {
        if (!stopping_) co_await take_turn(space);
    }
}

env::Task<void> Materialiser::take_turn(StateSpace space) {
    const auto found = followed_.find(space);
    if (found == followed_.end()) co_return;
    const auto one = found->second.space;
    const std::int64_t age_max_ms = found->second.delete_retention_ms;
    Result<FollowedSpace::Outcome> outcome;
    co_await env_.offload(env::Pool::disk, [&] {
        outcome = one->advance({.store = store_,
                                .bytes = options_.turn_bytes,
                                .now_ms = env_.clock().wall().value,
                                .age_max_ms = age_max_ms});
    });
    is_unflushed_ |= !outcome || outcome->has_moved;
    const auto still = followed_.find(space);
    if (still == followed_.end() || still->second.space != one) co_return;
    Followed& followed = still->second;
    if (!outcome) {
        followed.not_before = env_.clock().now() + options_.retry_pause;
        failed("a coordinator's log can't be brought into the state store", outcome.error(),
               followed.fails);
        co_return;
    }
    followed.is_due = outcome->has_more;
    followed.fails = false;
    figures_.with([&](Figures& figures) {
        figures.records += outcome->records;
        figures.rebuilds += outcome->is_rebuilt ? 1 : 0;
    });
    if (outcome->has_moved) moved_(space);
}

env::Task<void> Materialiser::save(env::Duration age) {
    saved_at_ = env_.clock().now();
    const auto followed = followed_;
    const bool is_unflushed = is_unflushed_;
    bool is_flushed = false;
    Result<void> done;
    co_await env_.offload(env::Pool::disk, [&] {
        const auto wrote = keep_young(followed, age);
        if (!wrote) done = std::unexpected(wrote.error());
        if (!wrote || (!*wrote && !is_unflushed)) return;
        done = store_.flush();
        is_flushed = done.has_value();
    });
    if (!done) {
        is_unflushed_ = true;
        failed("the state store can't be flushed", done.error(), saves_fail_);
        co_return;
    }
    is_unflushed_ = saves_fail_ = false;
    if (is_flushed) figures_.with([](Figures& figures) { ++figures.flushes; });
}

Result<bool> Materialiser::keep_young(const std::map<StateSpace, Followed>& followed,
                                      env::Duration age) {
    bool wrote = false;
    for (const auto& [space, one] : followed) {
        const std::int64_t age_ms =
            std::min(std::chrono::duration_cast<std::chrono::milliseconds>(age).count(),
                     one.delete_retention_ms / kAgesInRetention);
        TRY(const bool is_written,
            one.space->keep_young(store_, env_.clock().wall().value, age_ms));
        wrote |= is_written;
    }
    return wrote;
}

bool Materialiser::has_due(env::Instant now) const {
    return std::ranges::any_of(followed_, [&](const auto& entry) {
        return entry.second.is_due && entry.second.not_before <= now &&
               !to_drop_.contains(entry.first);
    });
}

env::Instant Materialiser::save_due() const {
    if (is_unflushed_) return saved_at_ + options_.flush_interval;
    return followed_.empty() ? env::kNever : saved_at_ + kAgeMax;
}

env::Instant Materialiser::next_due() const {
    env::Instant due = save_due();
    if (strays_are_due_ || !to_drop_.empty()) due = std::min(due, drops_not_before_);
    for (const auto& [space, followed] : followed_) {
        if (followed.is_due && !to_drop_.contains(space)) due = std::min(due, followed.not_before);
    }
    return due;
}

void Materialiser::failed(std::string_view what, const Error& why, bool& is_known) {
    figures_.with([](Figures& figures) { ++figures.failures; });
    if (!std::exchange(is_known, true)) LOG_ERROR(log_, what, kv("why", why.why));
}

std::optional<Offset> Materialiser::applied(const StateSpace& space) const {
    const auto one = find(space);
    return one == nullptr ? std::nullopt : one->applied();
}

std::optional<Offset> Materialiser::cleaner_limit(const StateSpace& space) const {
    if (find(space) == nullptr) return std::nullopt;
    const auto flushed = store_.flushed(space);
    return flushed && *flushed ? (*flushed)->applied : Offset(0);
}

std::shared_ptr<const FollowedSpace> Materialiser::find(const StateSpace& space) const {
    return shared_.with([&](const auto& shared) {
        const auto found = shared.find(space);
        return found == shared.end() ? nullptr : found->second;
    });
}

void Materialiser::write_metrics(telemetry::Page& page) const {
    const auto shared = shared_.with([](const auto& all) { return all; });
    for (const auto& [space, one] : shared) {
        const auto& name = one->replica().name();
        const std::string partition = fmt::format("{}", name.partition);
        const Offset end = one->replica().figures().last_stable;
        const Offset applied = one->applied().value_or(Offset(0));
        page.add(kLag, {{"topic", name.topic}, {"partition", partition}},
                 static_cast<double>(std::max<std::int64_t>(end - applied, 0)));
    }
    const Figures figures = figures_.with([](const Figures& all) { return all; });
    page.add(kRecords, static_cast<double>(figures.records));
    page.add(kRebuilds, static_cast<double>(figures.rebuilds));
    page.add(kFlushes, static_cast<double>(figures.flushes));
    page.add(kFailures, static_cast<double>(figures.failures));
    page.add(kMemory, static_cast<double>(store_.memory_bytes()));
}

}  // namespace milena::drivers
