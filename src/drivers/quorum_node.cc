// SPDX-License-Identifier: Apache-2.0
// Events in, outputs done one after the other. An append is written at once; whatever is appended
// while a sync is on its way shares the next one.
#include "quorum_node.h"

#include <algorithm>

#include <fmt/format.h>

#include "milena/base/invariant.h"

namespace milena::drivers {

namespace {

/// A write of this length, or one after a write that took this long, does not run on the control
/// thread.
constexpr std::size_t kWriteInPlaceBytesMax = 1 << 20;
constexpr env::Duration kCalmWrite = std::chrono::milliseconds(5);
/// How often what is old is looked for; as often as Kafka does.
constexpr env::Duration kCleanInterval = std::chrono::seconds(60);

raft::CoreOptions core_options(env::Env& env, const QuorumOptions& options) {
    raft::CoreOptions core{.self = {options.node_id, options.directory_id}};
    core.election_timeout = options.election_timeout;
    core.election_backoff_max = options.election_backoff_max;
    core.fetch_timeout = options.fetch_timeout;
    core.request_timeout = options.request_timeout;
    core.retry_backoff = options.retry_backoff;
    core.endpoints = options.endpoints;
    core.auto_join = options.auto_join;
    core.bootstrap_servers = options.bootstrap_servers.size();
    core.seed = env.random().next();
    core.first_request_id = env.random().next() >> 1;
    return core;
}

std::vector<std::byte> encode(const raft::Batch& batch, Timestamp now) {
    std::vector<raft::AnyControlRecord> records;
    for (const raft::ControlRecord& record : batch.control) {
        records.push_back(
            std::visit([](const auto& one) -> raft::AnyControlRecord { return one; }, record));
    }
    return raft::encode_control_batch(batch.base_offset, batch.epoch, now, records);
}

}  // namespace

QuorumNode::QuorumNode(env::Env& env, Logger logger, QuorumOptions options,
                       std::unique_ptr<raft::MetadataLog> log)
    : env_(env),
      log_(std::move(logger)),
      options_(std::move(options)),
      metadata_log_(std::move(log)),
      core_(core_options(env, options_), metadata_log_->recovered()),
      counter_({options_.node_id, options_.directory_id}, metadata_log_->recovered()),
      peers_(env, log_,
             {.self = options_.node_id,
              .cluster_id = options_.cluster_id,
              .request_timeout = options_.request_timeout,
              .fetch_bytes_max = options_.fetch_bytes_max,
              .snapshot_bytes_max = options_.snapshot_bytes_max}),
      work_ready_(env, env.control()),
      timer_changed_(env, env.control()),
      warm_from_(metadata_log_->recovered().log_end_offset) {
    const auto& snapshot = metadata_log_->recovered().snapshot;
    if (snapshot) newest_snapshot_ = metadata_log_->snapshots().back();
    kraft_version_.with([this](std::int16_t& version) { version = core_.kraft_version(); });
    delivered_ = committed_ = snapshot ? snapshot->end_offset : Offset(0);
}

raft::Output QuorumNode::step(const raft::Event& event) {
    const env::Instant now = env_.clock().now();
    raft::Output output = core_.step(event, now);
    counter_.note(core_, output, now);
    kraft_version_.with([this](std::int16_t& version) { version = core_.kraft_version(); });
    if (output.wake_at != wake_at_) {
        wake_at_ = output.wake_at;
        timer_changed_.notify();
    }
    return output;
}

void QuorumNode::queue(Work work) {
    works_.push_back(std::move(work));
    work_ready_.notify();
}

void QuorumNode::start(std::vector<QuorumListener*> listeners) {
    INVARIANT(!started_, "a quorum that is started twice");
    started_ = true;
    listeners_ = std::move(listeners);
    next_clean_ = env_.clock().now() + kCleanInterval;
    env::spawn(env_.control(), run(shared_from_this()));
    env::spawn(env_.control(), keep_time(shared_from_this()));
}

void QuorumNode::abandon() {
    listeners_.clear();
    stopping_ = true;
    abandon_snapshot();
    if (started_ && !ended_) work_ready_.notify();
}

env::Task<void> QuorumNode::keep_time(std::shared_ptr<QuorumNode> self) {
    while (!self->ended_) {
        co_await self->timer_changed_.wait_until(std::min(self->wake_at_, self->next_clean_));
        if (self->ended_) break;
        const env::Instant now = self->env_.clock().now();
        if (now >= self->next_clean_) {
            self->next_clean_ = now + kCleanInterval;
            self->queue(Clean{});
        }
        if (now >= self->wake_at_) self->step_and_queue(raft::Tick{});
    }
}

env::Task<void> QuorumNode::run(std::shared_ptr<QuorumNode> self) {
    if (const auto found = self->metadata_log_->take_snapshot()) self->deliver_snapshot(*found);
    self->step_and_queue(raft::Start{});
    while (true) {
        while (!self->works_.empty() && !self->failure_) {
            Work work = std::move(self->works_.front());
            self->works_.pop_front();
            Result<void> done =
                co_await std::visit([&](auto& one) { return self->perform(std::move(one)); }, work);
            if (done) done = co_await self->deliver();
            if (!done) self->give_up(done.error());
        }
        if (self->failure_) self->works_.clear();
        const bool is_busy = self->syncing_ || self->background_ > 0;
        if ((self->stopping_ || self->failure_) && !is_busy) break;
        co_await self->work_ready_.wait_until(env::kNever);
    }
    co_await self->close();
}

void QuorumNode::deliver_snapshot(const raft::Snapshot& snapshot) {
    MetadataSnapshot whole{.end_offset = snapshot.id.end_offset,
                           .epoch = snapshot.id.epoch,
                           .last_contained_timestamp = snapshot.last_contained_timestamp,
                           .batches = {}};
    std::vector<raft::RecordValues> owners;
    for (const record::BatchView batch : snapshot.batches) {
        Result<raft::RecordValues> values = raft::decode_values(batch);
        if (!values) {
            give_up({values.error().code,
                     fmt::format("{}/{}: {}", options_.directory,
                                 raft::snapshot_file_name(snapshot.id), values.error().why)});
            return;
        }
        whole.batches.push_back({batch.base_offset(), batch.last_offset(), batch.leader_epoch(),
                                 batch.max_timestamp(), values->values});
        owners.push_back(*std::move(values));
    }
    for (QuorumListener* listener : listeners_) listener->on_snapshot(whole);
}

env::Task<Result<void>> QuorumNode::perform(raft::Output output) {
    for (const std::string& complaint : output.complaints) {
        LOG_WARN(log_, "raft", kv("complaint", complaint));
    }
    if (output.persist) {
        Result<void> saved = ok();
        // Copies: events change the core meanwhile.
        const std::int16_t kraft_version = core_.kraft_version();
        const raft::VoterSet voters = core_.voters();
        co_await env_.offload(env::Pool::quorum, [&] {
            saved = metadata_log_->save(*output.persist, kraft_version, voters);
        });
        CO_TRY_VOID(std::move(saved));
    }
    if (output.truncate_to) {
        Result<void> cut = ok();
        co_await env_.offload(env::Pool::quorum,
                              [&] { cut = metadata_log_->log().truncate_to(*output.truncate_to); });
        CO_TRY_VOID(std::move(cut));
    }
    if (!output.appends.empty()) CO_TRY_VOID(co_await write(std::move(output.appends)));
    const bool has_chunk = !output.snapshot_chunk || co_await take_chunk(*output.snapshot_chunk);
    if (output.load_snapshot && has_chunk)
        CO_TRY_VOID(co_await load_snapshot(*output.load_snapshot));
    for (raft::Message& message : output.messages) send(std::move(message));
    for (raft::Reply& one : output.replies) co_await reply(std::move(one));
    if (output.leadership) tell_leader(*output.leadership);
    if (output.high_watermark) committed_ = std::max(committed_, *output.high_watermark);
    co_return ok();
}

env::Task<Result<void>> QuorumNode::perform(Synced synced) {
    storage::Log& log = metadata_log_->log();
    if (!synced.result) {
        log.mark_offline();
        co_return fail_at("sync of the metadata log", synced.result.error());
    }
    log.mark_durable(synced.done);
    step_and_queue(raft::Synced{log.durable_end_offset()});
    if (!synced.done.lacks_epochs) start_sync();  // on a full disk the next write asks for it
    co_return ok();
}

env::Task<Result<void>> QuorumNode::write(std::vector<raft::Batch> batches) {
    std::vector<std::byte> bytes;
    for (const raft::Batch& batch : batches) {
        if (batch.bytes) {
            bytes.insert(bytes.end(), batch.bytes->begin(), batch.bytes->end());
        } else {
            const std::vector<std::byte> encoded = encode(batch, env_.clock().wall());
            bytes.insert(bytes.end(), encoded.begin(), encoded.end());
        }
    }
    Result<void> written = ok();
    const auto append = [&] { written = metadata_log_->log().append(bytes); };
    const env::Instant began = env_.clock().now();
    if (disk_is_slow_ || bytes.size() > kWriteInPlaceBytesMax) {
        co_await env_.offload(env::Pool::quorum, append);
    } else {
        append();
    }
    disk_is_slow_ = env_.clock().now() - began > kCalmWrite;
    CO_TRY_VOID(std::move(written));
    step_and_queue(raft::Appended{batches.back().last_offset.next()});
    start_sync();
    co_return ok();
}

void QuorumNode::start_sync() {
    if (syncing_) return;
    storage::Log::PendingSync pending = metadata_log_->log().pending_sync();
    if (pending.empty()) return;
    syncing_ = true;
    env::spawn(env_.control(), sync(shared_from_this(), std::move(pending)));
}

env::Task<void> QuorumNode::sync(std::shared_ptr<QuorumNode> self,
                                 storage::Log::PendingSync pending) {
    Result<void> result = ok();
    co_await self->env_.offload(env::Pool::quorum, [&] { result = pending.run(); });
    self->syncing_ = false;
    self->queue(Synced{std::move(pending), std::move(result)});
}

void QuorumNode::give_up(const Error& why) {
    if (failure_) return;
    failure_ = why;
    abandon_snapshot();
    LOG_ERROR(log_, "metadata quorum failed", kv("why", why.why));
    raft::Output last = step(raft::StorageFailed{why.why});
    for (raft::Message& message : last.messages) send(std::move(message));
    fail_waiting(why);
    answer_all_unavailable();
    for (QuorumListener* listener : listeners_) listener->on_failed(why);
}

env::Task<void> QuorumNode::stop() {
    INVARIANT(!stopping_, "a quorum that is stopped twice");
    stopping_ = true;
    abandon_snapshot();
    if (!started_) {
        co_await close();
        co_return;
    }
    if (!ended_) {
        step_and_queue(raft::Shutdown{});
        const auto end = std::make_shared<env::Wakeup>(env_, env_.control());
        ends_.push_back(end);
        while (!ended_) co_await end->wait_until(env::kNever);
    }
}

env::Task<void> QuorumNode::close() {
    if (!failure_) {
        Result<void> closed = ok();
        co_await env_.offload(env::Pool::quorum, [&] {
            download_.reset();
            closed = metadata_log_->log().close();
        });
        if (!closed)
            LOG_ERROR(log_, "could not close the metadata log", kv("why", closed.error().why));
    }
    ended_ = true;
    fail_waiting({ErrorCode::not_controller, "the quorum has stopped"});
    answer_all_unavailable();
    peers_.close();
    timer_changed_.notify();
    for (const auto& end : ends_) end->notify();
}

std::int16_t QuorumNode::kraft_version() const {
    return kraft_version_.with([](const std::int16_t& version) { return version; });
}

QuorumStatus QuorumNode::status() const {
    const raft::LeaderView view = core_.view();
    return {.leader = view.leader,
            .epoch = view.epoch,
            .is_leader = core_.role() == raft::Role::leader,
            .log_start_offset = core_.log_start_offset(),
            .log_end_offset = core_.log_end_offset(),
            .high_watermark = core_.high_watermark(),
            .voters = core_.voters(),
            .kraft_version = core_.kraft_version(),
            .leader_endpoint = endpoint_of(view.leader),
            .figures = counter_.figures(core_, env_.clock().now())};
}

}  // namespace milena::drivers
