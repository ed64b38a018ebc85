// SPDX-License-Identifier: Apache-2.0
// Counts what is committed; one snapshot at a time.
#include "milena/drivers/snapshots.h"

namespace milena::drivers {
namespace {

constexpr env::Duration kRetryPause = std::chrono::minutes(1);
}  // namespace

Snapshots::Snapshots(env::Env& env, Logger logger, SnapshotPolicy policy, Quorum& quorum,
                     MetadataPublisher& publisher)
    : env_(env),
      log_(std::move(logger)),
      policy_(policy),
      quorum_(quorum),
      publisher_(publisher),
      ended_(env, env.control()),
      newest_at_(env.clock().now()) {
    publisher_.follow([this](const metadata::Update& update) {
        has_changes_ = has_changes_ || !update.changes.empty();
    });
}

void Snapshots::on_snapshot(const MetadataSnapshot& snapshot) {
    end_ = snapshot.end_offset;
    bytes_since_ = bytes_taken_ = 0;
    has_changes_ = false;
    if (end_ == Offset(0)) return;
    ++loaded_;
    if (const auto newest = quorum_.newest_snapshot()) newest_bytes_ = newest->bytes;
}

void Snapshots::on_committed(std::span<const MetadataBatch> batches) {
    for (const MetadataBatch& batch : batches) bytes_since_ += batch.bytes;
    end_ = batches.back().last_offset.next();
    auto image = publisher_.image();
    // Inside a transaction the image is the one from before it.
    if (!is_due() || image->provenance.last_offset.next() != end_) return;
    writing_ = true;
    env::spawn(env_.control(), write(std::move(image)));
}

bool Snapshots::is_due() const {
    const env::Instant now = env_.clock().now();
    if (writing_ || has_failed_ || now < not_before_) return false;
    return bytes_since_ >= policy_.after_bytes ||
           (has_changes_ && now - newest_at_ >= policy_.after);
}

env::Task<void> Snapshots::write(std::shared_ptr<const metadata::Image> image) {
    const env::Instant began = env_.clock().now();
    const metadata::Provenance at = image->provenance;
    bytes_taken_ = bytes_since_;
    has_changes_ = false;
    const auto written = co_await quorum_.write_snapshot(
        {.end_offset = at.last_offset.next(),
         .epoch = at.last_epoch,
         .last_contained_timestamp = Timestamp(at.timestamp_ms),
         .records = [image](const RecordSink& sink) { metadata::emit_records(*image, sink); }});
    if (written) {
        newest_at_ = env_.clock().now();
        newest_bytes_ = *written;
        bytes_since_ -= bytes_taken_;
        LOG_INFO(
            log_, "wrote a metadata snapshot", kv("end_offset", at.last_offset.next()),
            kv("bytes", *written),
            kv("ms",
               std::chrono::duration_cast<std::chrono::milliseconds>(newest_at_ - began).count()));
    } else {
        has_changes_ = true;
        not_before_ = env_.clock().now() + kRetryPause;
        if (written.error().code != ErrorCode::not_controller) {
            LOG_WARN(log_, "could not write a metadata snapshot; trying again in a minute",
                     kv("why", written.error().why));
        }
    }
    writing_ = false;
    ended_.notify();
}

env::Task<void> Snapshots::stop() {
    while (writing_) co_await ended_.wait_until(env::kNever);
}

SnapshotFigures Snapshots::figures() const {
    return {.newest_bytes = newest_bytes_,
            .newest_age = env_.clock().now() - newest_at_,
            .loaded = loaded_};
}

}  // namespace milena::drivers
