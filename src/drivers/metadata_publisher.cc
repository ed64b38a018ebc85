// SPDX-License-Identifier: Apache-2.0
// Runs the loader over committed batches and hands each new image to readers, followers and
// waiters, in this order.
#include "milena/drivers/metadata_publisher.h"

#include <map>

#include <fmt/format.h>

namespace milena::drivers {

/// Those who wait for an offset; touched on the control thread only.
struct MetadataPublisher::Waiting {
    std::multimap<Offset, env::Wakeup*> by_offset;
};

MetadataPublisher::MetadataPublisher(env::Env& env, Logger logger,
                                     std::function<void(const Error&)> failed)
    : env_(env),
      log_(std::move(logger)),
      failed_(std::move(failed)),
      loader_(metadata::Image::empty()),
      published_(metadata::Image::empty()),
      waiting_(std::make_unique<Waiting>()) {}

MetadataPublisher::~MetadataPublisher() = default;

env::Task<Result<void>> MetadataPublisher::wait_for_image(Offset offset, env::Instant deadline) {
    if (image()->provenance.last_offset >= offset) co_return ok();
    co_return co_await env::run_on(env_.control(), wait_on_control(offset, deadline));
}

env::Task<Result<void>> MetadataPublisher::wait_on_control(Offset offset, env::Instant deadline) {
    if (waiting_->by_offset.size() >= kWaitersMax) {
        co_return fail(ErrorCode::throttling_quota_exceeded, "too many wait for the metadata");
    }
    env::Wakeup wakeup(env_, env_.control());
    const auto place = waiting_->by_offset.emplace(offset, &wakeup);
    while (image()->provenance.last_offset < offset && !has_failed_) {
        const bool was_woken = co_await wakeup.wait_until(deadline);
        if (!was_woken) break;
    }
    waiting_->by_offset.erase(place);
    const Offset last = image()->provenance.last_offset;
    if (last >= offset) co_return ok();
    co_return fail(
        ErrorCode::request_timed_out,
        fmt::format("the metadata of this node is at offset {}, not at {}", last, offset));
}

void MetadataPublisher::follow(Follower follower) {
    const auto empty = metadata::Image::empty();
    if (const auto now = image(); now != empty)
        follower({empty, now, metadata::difference(*empty, *now)});
    followers_.push_back(std::move(follower));
}

void MetadataPublisher::on_committed(std::span<const MetadataBatch> batches) {
    if (has_failed_) return;
    for (const MetadataBatch& batch : batches) {
        const metadata::Provenance end{batch.last_offset, batch.epoch, batch.timestamp.value};
        if (const Result<void> applied = loader_.apply(batch.values, end); !applied)
            return give_up(applied.error());
    }
    publish();
}

void MetadataPublisher::on_snapshot(const MetadataSnapshot& snapshot) {
    // What formatting left is not state: the first controller of the cluster writes it into the
    // log.
    if (has_failed_ || snapshot.end_offset.value == 0) return;
    std::vector<BytesView> values;
    for (const MetadataBatch& batch : snapshot.batches) {
        values.insert(values.end(), batch.values.begin(), batch.values.end());
    }
    const metadata::Provenance end{Offset(snapshot.end_offset.value - 1), snapshot.epoch,
                                   snapshot.last_contained_timestamp.value};
    if (const Result<void> loaded = loader_.load_snapshot(values, end); !loaded)
        return give_up(loaded.error());
    LOG_INFO(log_, "loaded metadata snapshot", kv("end_offset", snapshot.end_offset),
             kv("records", values.size()));
    publish();
}

void MetadataPublisher::on_leader_change(LeaderEpoch, BrokerId, bool) {}

void MetadataPublisher::on_failed(const Error& why) {
    if (!has_failed_) give_up(why);
}

void MetadataPublisher::publish() {
    const auto update = loader_.take();
    if (!update) return;
    INVARIANT(update->after->provenance.last_offset >= update->before->provenance.last_offset,
              "a published image never goes back");
    published_.store(update->after);
    for (const Follower& follower : followers_) follower(*update);
    const auto reached = waiting_->by_offset.upper_bound(update->after->provenance.last_offset);
    for (auto at = waiting_->by_offset.begin(); at != reached; ++at) at->second->notify();
}

void MetadataPublisher::give_up(const Error& why) {
    has_failed_ = true;
    LOG_ERROR(log_, "can't follow the metadata", kv("why", why.why));
    for (const auto& [offset, wakeup] : waiting_->by_offset) wakeup->notify();
    failed_(why);
}

}  // namespace milena::drivers
