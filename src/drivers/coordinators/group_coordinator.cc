// SPDX-License-Identifier: Apache-2.0
// Which partitions this node coordinates, and what is done for all of them.
#include "milena/drivers/group_coordinator.h"

#include <algorithm>

#include "hosted_groups.h"
#include "image_topics.h"

namespace milena::drivers {
namespace {

using coordinator::GroupReply;
using coordinator::GroupRequest;

constexpr std::string_view kTopic = "__consumer_offsets";

/// After offsets of a deleted topic could not be forgotten.
constexpr env::Duration kForgetAgain = std::chrono::seconds(1);

Error not_here(std::string why) {
    return {ErrorCode::not_coordinator, std::move(why)};
}

}  // namespace

GroupCoordinator::GroupCoordinator(env::Env& env, Logger log, const storage::StateStore& store,
                                   GroupCoordinatorOptions options)
    : host_(std::make_unique<Host>(env, std::move(log), store, std::move(options))),
      table_(std::make_shared<const Table>()),
      topics_(metadata::Image::empty()->topics),
      ended_(env, env.control()) {
    host_->ended = ended_.handle();
}

GroupCoordinator::~GroupCoordinator() = default;

env::Task<Result<GroupReply>> GroupCoordinator::ask(env::Executor owner, std::string_view group,
                                                    GroupRequest request) {
    const auto table = table_.load();
    if (table->partitions == 0) co_return std::unexpected(not_here("there are no groups yet"));
    const auto found =
        table->led.find(coordinator::coordinator_partition(group, table->partitions));
    if (found == table->led.end())
        co_return std::unexpected(not_here("another broker coordinates the group"));
    co_return co_await found->second->ask(owner, std::move(request));
}

env::Task<std::vector<Result<GroupReply>>> GroupCoordinator::ask_all(env::Executor owner,
                                                                     GroupRequest request) {
    const auto table = table_.load();
    std::vector<Result<GroupReply>> replies;
    for (const auto& [partition, hosted] : table->led)
        replies.push_back(co_await hosted->ask(owner, request));
    co_return replies;
}

void GroupCoordinator::follow(const metadata::Image& image, std::span<const Uuid> changed) {
    forget_deleted(image, changed);
    const std::vector<std::string> names = names_of(image, changed);
    view_ = std::make_shared<ImageTopics>(image, host_->options.limits);
    topics_ = image.topics;
    const auto topic = image.topics->find(kTopic);
    const auto table = table_.load();
    for (const auto& [index, hosted] : table->led) hosted->follow(view_, names);
    if (topic != nullptr && std::ranges::find(changed, topic->id) != changed.end()) {
        if (!is_resigned_) lead(*topic);
    } else if (topic == nullptr && table->partitions != 0) {
        for (const auto& [index, hosted] : table->led)
            hosted->resign(not_here("the topic was deleted"));
        table_.store(std::make_shared<const Table>());
    }
}

/// As they are and as they were.
std::vector<std::string> GroupCoordinator::names_of(const metadata::Image& image,
                                                    std::span<const Uuid> changed) const {
    std::vector<std::string> names;
    for (const Uuid id : changed) {
        if (const auto before = topics_->find(id)) names.push_back(before->name);
        if (const auto now = image.topics->find(id)) names.push_back(now->name);
    }
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

/// Who leads on, in a newer epoch too, goes on: nobody can have led in between whose records are
/// not in this node's log.
void GroupCoordinator::lead(const metadata::TopicImage& topic) {
    const auto before = table_.load();
    auto next = std::make_shared<Table>();
    next->topic = topic.id;
    next->partitions = static_cast<std::int32_t>(topic.partitions.size());
    std::vector<Hosted> fresh;
    for (const auto& [index, registration] : topic.partitions) {
        if (registration.leader != host_->options.self) continue;
        auto replica = host_->options.replica(topic.id, index);
        if (replica == nullptr) continue;
        const auto known = before->led.find(index);
        const bool leads_on = before->topic == topic.id && known != before->led.end() &&
                              known->second->partition() == replica.get() &&
                              known->second->phase() != HostedGroups::Phase::gone;
        if (leads_on) {
            next->led.emplace(index, known->second);
            continue;
        }
        const auto core = static_cast<std::size_t>(index.value) % host_->env.core_count();
        const storage::StateSpace space{topic.id, index};
        fresh.push_back(std::make_shared<HostedGroups>(
            *host_, HostedGroups::Place{space, std::move(replica), host_->env.core(core)}));
        fresh.back()->follow(view_, {});
        next->led.emplace(index, fresh.back());
    }
    table_.store(next);
    for (const auto& [index, hosted] : before->led) {
        const auto kept = next->led.find(index);
        if (kept == next->led.end() || kept->second != hosted)
            hosted->resign(not_here("another broker leads the partition"));
    }
    for (const auto& hosted : fresh) {
        auto& latest = latest_[hosted->space()];
        hosted->start(latest.lock());
        latest = hosted;
    }
}

void GroupCoordinator::forget_deleted(const metadata::Image& image, std::span<const Uuid> changed) {
    std::vector<coordinator::ForgetTopicsRequest::Topic> deleted;
    for (const Uuid id : changed) {
        const auto before = topics_->find(id);
        if (before != nullptr && image.topics->find(id) == nullptr)
            deleted.push_back({before->name, id});
    }
    if (deleted.empty()) return;
    const auto table = table_.load();
    for (const auto& [index, hosted] : table->led) hosted->forget(deleted);
    wake_offsets();
}

void GroupCoordinator::start() {
    host_->begin_one();
    env::spawn(host_->env.core(0), look_after_offsets(host_->env.core(0)));
}

void GroupCoordinator::wake_offsets() {
    const auto wake = wake_.with([](const std::function<void()>& handle) { return handle; });
    if (wake) wake();
}

bool GroupCoordinator::is_stopping() const {
    return is_stopping_.with([](const bool& stopping) { return stopping; });
}

env::Task<void> GroupCoordinator::look_after_offsets(env::Executor owner) {
    const env::Clock& clock = host_->env.clock();
    env::Wakeup work(host_->env, owner);
    wake_.with([&](std::function<void()>& wake) { wake = work.handle(); });
    env::Instant expires_at = clock.now() + host_->options.expiration_interval;
    bool is_done = true;
    while (!is_stopping()) {
        co_await work.wait_until(is_done ? expires_at
                                         : std::min(expires_at, clock.now() + kForgetAgain));
        is_done = co_await forget_topics(owner);
        if (clock.now() < expires_at || is_stopping()) continue;
        co_await expire_offsets(owner);
        expires_at = clock.now() + host_->options.expiration_interval;
    }
    wake_.with([](std::function<void()>& wake) { wake = nullptr; });
    host_->end_one();
}

/// True if nothing is left to do.
env::Task<bool> GroupCoordinator::forget_topics(env::Executor owner) {
    bool is_done = true;
    const auto table = table_.load();
    for (const auto& [index, hosted] : table->led) {
        if (is_stopping()) break;
        if (!co_await hosted->forget_noted(owner)) is_done = false;
    }
    co_return is_done;
}

/// What could not be done this time is done the next.
env::Task<void> GroupCoordinator::expire_offsets(env::Executor owner) {
    const auto table = table_.load();
    for (const auto& [index, hosted] : table->led) {
        if (is_stopping()) co_return;
        const auto page = [](bool is_last) {
            return coordinator::ExpireOffsetsRequest{.is_last_page = is_last};
        };
        const auto done = co_await hosted->ask_pages(
            owner, {.request = page, .gone = host_->counters.expired_offsets});
        if (!done) {
            LOG_DEBUG(host_->log, "offsets not expired", kv("partition", index),
                      kv("why", done.error().why));
        }
    }
}

void GroupCoordinator::resign() {
    is_resigned_ = true;
    const auto table = table_.load();
    table_.store(std::make_shared<const Table>());
    for (const auto& [index, hosted] : table->led) hosted->resign(not_here("the broker stops"));
    is_stopping_.with([](bool& stopping) { stopping = true; });
    wake_offsets();
}

env::Task<void> GroupCoordinator::stop() {
    resign();
    const auto is_running = [this] { return host_->running.with([](int n) { return n != 0; }); };
    while (is_running()) co_await ended_.wait_until(env::kNever);
}

void GroupCoordinator::store_moved(const storage::StateSpace& space) {
    const auto table = table_.load();
    if (table->topic != space.topic) return;
    const auto found = table->led.find(space.partition);
    if (found != table->led.end()) found->second->store_moved();
}

}  // namespace milena::drivers
