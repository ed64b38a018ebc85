// SPDX-License-Identifier: Apache-2.0
// The loop: which spaces are watched, what is read of them, and a look at the ends of partitions
// now and then.
#include "milena/drivers/group_lag.h"

#include <algorithm>

#include "../stored_records.h"
#include "watch.h"

namespace milena::drivers {
namespace {

/// Pages that are read before the loop looks at anything else.
constexpr int kPagesAtOnce = 64;
/// After the store could not be read.
constexpr env::Duration kReadPause = std::chrono::seconds(1);
/// Partitions that one piece of work for the compute pool looks at.
constexpr std::size_t kPartitionsAtOnce = 1000;

std::optional<env::Endpoint> endpoint_of(const metadata::ClusterImage& cluster, BrokerId id,
                                         const std::string& listener) {
    const auto* const broker = cluster.find_broker(id);
    if (broker == nullptr) return std::nullopt;
    const auto found =
        std::ranges::find(broker->endpoints, listener, &metadata::BrokerEndpoint::listener);
    if (found == broker->endpoints.end()) return std::nullopt;
    return env::Endpoint{found->host, found->port};
}

}  // namespace

struct GroupLag::Round {
    WatchedOffsets::Walk walk;
    std::map<BrokerId, RemoteEnds::Leader> leaders;
};

GroupLag::GroupLag(env::Env& env, Logger log, const storage::StateStore& store,
                   GroupLagOptions options)
    : env_(env),
      log_(std::move(log)),
      store_(store),
      options_(std::move(options)),
      begun_(env.clock().now()),
      watch_(std::make_unique<Watch>()),
      view_(std::make_shared<const View>(
          View{metadata::Image::empty()->topics, metadata::Image::empty()->cluster})),
      ended_(env, env.control()) {}

GroupLag::~GroupLag() = default;

std::uint32_t GroupLag::tick() const {
    constexpr auto kTick = std::chrono::milliseconds(static_cast<int>(1000 / kLagTicksPerSecond));
    return static_cast<LagTick>((env_.clock().now() - begun_) / kTick);
}

void GroupLag::follow(const metadata::Image& image) {
    view_.store(std::make_shared<const View>(View{image.topics, image.cluster}));
    wake();
}

void GroupLag::written(const storage::StateSpace& space,
                       std::span<const storage::StateChange> changes) {
    watch_->offsets.with([&](WatchedOffsets& offsets) { offsets.changed(space, changes); });
}

void GroupLag::dropped(const storage::StateSpace& space) {
    watch_->offsets.with([&](WatchedOffsets& offsets) { offsets.dropped(space); });
    wake();
}

bool GroupLag::is_stopping() const {
    return is_stopping_.with([](const bool& stopping) { return stopping; });
}

void GroupLag::wake() const {
    const auto handle = wake_.with([](const std::function<void()>& known) { return known; });
    if (handle) handle();
}

void GroupLag::start() {
    is_running_.with([](bool& running) { running = true; });
    env::spawn(env_.core(0), run(env_.core(0)));
}

env::Task<void> GroupLag::stop() {
    is_stopping_.with([](bool& stopping) { stopping = true; });
    wake();
    const auto is_running = [this] { return is_running_.with([](const bool& r) { return r; }); };
    while (is_running()) co_await ended_.wait_until(env::kNever);
}

env::Task<void> GroupLag::run(env::Executor owner) {
    env::Wakeup work(env_, owner);
    wake_.with([&](std::function<void()>& handle) { handle = work.handle(); });
    const auto told = [this](const std::string& topic, Uuid id, std::span<const SeenEnd> ends) {
        watch_->offsets.with(
            [&](WatchedOffsets& offsets) { offsets.see(topic, id, ends, tick()); });
    };
    RemoteEnds remote(
        {env_, owner, log_, options_.self, options_.answer_time, watch_->remote, told});
    env::Instant look_at_ends_at{};
    env::Instant read_again_at = env_.clock().now() + options_.read_again_interval;
    while (!is_stopping()) {
        const bool has_some = follow_spaces();
        const Read read = co_await read_some(owner);
        const env::Instant now = env_.clock().now();
        // What has just been read is shown as soon as it can be.
        if (!has_some || read == Read::all || now >= look_at_ends_at) {
            Round round;
            if (has_some) co_await look_at_ends(round);
            remote.round(round.leaders);
            look_at_ends_at = now + options_.interval;
        }
        if (now >= read_again_at) {
            watch_->offsets.with([](WatchedOffsets& offsets) { offsets.read_again(); });
            read_again_at = now + options_.read_again_interval;
        }
        if (read == Read::some) continue;
        const env::Instant next = has_some ? look_at_ends_at : env::kNever;
        co_await work.wait_until(read == Read::failed ? std::min(next, now + kReadPause) : next);
    }
    wake_.with([](std::function<void()>& handle) { handle = nullptr; });
    co_await remote.stop();
    const auto tell = ended_.handle();
    is_running_.with([](bool& running) { running = false; });
    tell();
}

bool GroupLag::follow_spaces() {
    const auto coordinated = options_.coordinated();
    watch_->offsets.with([&](WatchedOffsets& offsets) {
        for (const auto& space : offsets.spaces()) {
            if (std::ranges::find(coordinated, space) == coordinated.end()) offsets.unwatch(space);
        }
        for (const auto& space : coordinated) offsets.watch(space);
    });
    return !coordinated.empty();
}

env::Task<GroupLag::Read> GroupLag::read_some(env::Executor owner) {
    const auto is_done = [this] {
        return is_stopping() || watch_->offsets.with([](const WatchedOffsets& offsets) {
            return offsets.is_all_read();
        });
    };
    int pages = 0;
    for (; pages < kPagesAtOnce && !is_done(); ++pages) {
        Result<void> read;
        co_await watch_->reads.run(env_, owner, [&] { read = read_page(); });
        const bool is_known = std::exchange(reads_fail_, !read);
        if (read) continue;
        if (!is_known) {
            LOG_ERROR(log_, "committed offsets can't be read for their lag",
                      kv("why", read.error().why));
        }
        co_return Read::failed;
    }
    if (pages == 0) co_return Read::none;
    co_return is_done() ? Read::all : Read::some;
}

Result<void> GroupLag::read_page() {
    const auto page =
        watch_->offsets.with([](WatchedOffsets& offsets) { return offsets.next_page(); });
    if (!page) return ok();
    TRY(OffsetsPage read, read_offsets_page({store_, page->space}, {}, page->from));
    watch_->offsets.with([&](WatchedOffsets& offsets) {
        offsets.take_page(*page, read.records.views(), std::move(read.next));
    });
    return ok();
}

env::Task<void> GroupLag::look_at_ends(Round& round) {
    const auto view = view_.load();
    while (!round.walk.is_over && !is_stopping()) {
        co_await env_.offload(env::Pool::compute, [&] {
            const auto asked = watch_->offsets.with([&](const WatchedOffsets& offsets) {
                return offsets.next_partitions(round.walk, kPartitionsAtOnce);
            });
            for (const AskedTopic& one : asked) look_at(one.topic, one.partitions, *view, round);
        });
    }
    for (auto& [id, leader] : round.leaders) {
        if (auto endpoint = endpoint_of(*view->cluster, id, options_.listener))
            leader.endpoint = *std::move(endpoint);
    }
    // One without an address can't be asked.
    std::erase_if(round.leaders, [](const auto& one) { return one.second.endpoint.port == 0; });
}

void GroupLag::look_at(const std::string& topic, std::span<const PartitionIndex> partitions,
                       const View& view, Round& round) {
    const auto image = view.topics->find(topic);
    if (image == nullptr) {
        watch_->offsets.with([&](WatchedOffsets& offsets) { offsets.forget_ends(topic); });
        return;
    }
    std::vector<SeenEnd> here;
    for (const PartitionIndex index : partitions) {
        const auto* const partition = image->partitions.find(index);
        if (partition == nullptr || partition->leader == kNoBroker) continue;
        if (partition->leader != options_.self) {
            auto& asked = round.leaders[partition->leader].partitions;
            if (asked.empty() || asked.back().topic != topic)
                asked.push_back({topic, image->id, {}});
            asked.back().partitions.push_back(index);
            continue;
        }
        const auto replica = options_.replica(image->id, index);
        if (replica == nullptr) continue;
        // As a consumer that asks for the end is answered.
        const auto end = replica->find_offset({});
        if (end.code == ErrorCode::none) here.push_back({index, end.offset});
    }
    watch_->offsets.with(
        [&](WatchedOffsets& offsets) { offsets.see(topic, image->id, here, tick()); });
}

}  // namespace milena::drivers
