// SPDX-License-Identifier: Apache-2.0
// The loop of one fetcher, and what becomes of each partition's part of an answer.
#include "fetcher.h"

#include <algorithm>

#include <fmt/format.h>

#include "milena/protocol/messages/api_versions.h"
#include "milena/protocol/messages/list_offsets.h"

namespace milena::drivers {

namespace {

constexpr env::Duration kPauseMin = std::chrono::milliseconds(20);
/// A stop, or a leader that moves, waits for it.
constexpr env::Duration kConnectTime = std::chrono::seconds(2);
constexpr std::int64_t kLatest = -1;
constexpr std::int64_t kEarliest = -2;

/// A request of the wire, and what it views.
struct WireFetch {
    protocol::FetchRequest request;
    std::vector<protocol::FetchRequest::FetchTopic> topics;
    std::vector<std::vector<protocol::FetchRequest::FetchPartition>> partitions;
    std::vector<protocol::FetchRequest::ForgottenTopic> forgotten;
    std::vector<std::vector<std::int32_t>> forgotten_partitions;

    WireFetch(const LeaderSession::Request& asked, BrokerEpoch epoch,
              const FetcherOptions& options) {
        for (const auto& [key, plan] : asked.asks) add(key, plan, options.part_bytes);
        for (const PartitionKey& key : asked.forgotten) forget(key);
        for (std::size_t i = 0; i < topics.size(); ++i) topics[i].partitions = partitions[i];
        for (std::size_t i = 0; i < forgotten.size(); ++i)
            forgotten[i].partitions = forgotten_partitions[i];
        request.replica_state = {options.self.value, epoch.value};
        request.max_wait_ms = asked.may_wait ? options.wait_ms : 0;
        request.min_bytes = options.bytes_min;
        request.max_bytes = options.bytes_max;
        request.session_id = asked.session_id;
        request.session_epoch = asked.session_epoch;
        request.topics = topics;
        request.forgotten_topics_data = forgotten;
    }

private:
    void add(const PartitionKey& key, const replication::FetchPlan& plan, std::int32_t bytes) {
        if (topics.empty() || topics.back().topic_id != key.topic) {
            topics.emplace_back().topic_id = key.topic;
            partitions.emplace_back();
        }
        auto& partition = partitions.back().emplace_back();
        partition.partition = key.partition.value;
        partition.current_leader_epoch = plan.current_leader_epoch.value;
        partition.fetch_offset = plan.from.value;
        partition.last_fetched_epoch = plan.last_fetched_epoch.value;
        partition.log_start_offset = plan.log_start.value;
        partition.partition_max_bytes = bytes;
    }
    void forget(const PartitionKey& key) {
        if (forgotten.empty() || forgotten.back().topic_id != key.topic) {
            forgotten.emplace_back().topic_id = key.topic;
            forgotten_partitions.emplace_back();
        }
        forgotten_partitions.back().push_back(key.partition.value);
    }
};

/// The first answer of a leader to a follower that knows of its leadership earlier than itself, or
/// later: the metadata is on its way.
bool is_expected(ErrorCode code) {
    return code == ErrorCode::not_leader_or_follower || code == ErrorCode::fenced_leader_epoch ||
           code == ErrorCode::unknown_leader_epoch || code == ErrorCode::unknown_topic_id ||
           code == ErrorCode::unknown_topic_or_partition;
}

}  // namespace

Fetcher::Fetcher(const Place& place, const Logger& log, BrokerId leader)
    : env_(place.env),
      number_(place.number),
      core_(env_.core_for(number_)),
      log_(log.with("leader", leader)),
      leader_(leader),
      replicas_(place.replicas),
      options_(place.options),
      wakeup_(std::make_unique<env::Wakeup>(env_, owner())),
      session_(kPauseMin, std::max(kPauseMin, place.options.pause_max)) {}

void Fetcher::stop() {
    inbox_.with([](Inbox& inbox) { inbox.stops = true; });
    wakeup_->notify();
    env::spawn(owner(), [](std::shared_ptr<Fetcher> self) -> env::Task<void> {
        self->is_stopped_ = true;
        if (self->client_ != nullptr) self->client_->close();
        co_return;
    }(shared_from_this()));
}

void Fetcher::reach_at(env::Endpoint endpoint) {
    inbox_.with([&](Inbox& inbox) { inbox.endpoint = std::move(endpoint); });
    wakeup_->notify();
}

void Fetcher::speak_as(BrokerEpoch epoch) {
    inbox_.with([&](Inbox& inbox) { inbox.epoch = epoch; });
}

void Fetcher::follow(const PartitionKey& key) {
    inbox_.with([&](Inbox& inbox) { inbox.changes[key] = true; });
    wakeup_->notify();
}

void Fetcher::unfollow(const PartitionKey& key) {
    inbox_.with([&](Inbox& inbox) { inbox.changes[key] = false; });
    wakeup_->notify();
}

bool Fetcher::take_inbox() {
    Inbox taken = inbox_.with([](Inbox& inbox) {
        Inbox all = std::move(inbox);
        inbox = Inbox{.endpoint = {}, .epoch = {}, .changes = {}, .stops = all.stops};
        return all;
    });
    if (taken.stops) return false;
    if (taken.epoch) {
        epoch_ = *taken.epoch;
        session_.reset();
    }
    for (const auto& [key, is_followed] : taken.changes) {
        is_followed ? session_.follow(key) : session_.unfollow(key);
        note_failed(key, false);
    }
    if (taken.endpoint && taken.endpoint != endpoint_) {
        endpoint_ = std::move(taken.endpoint);
        counted_.with([&](Counted& counted) { counted.figures.leader_at = *endpoint_; });
        client_.reset();
        session_.reset();
        pause_ = {};
    }
    if (endpoint_ && client_ == nullptr) connect();
    return true;
}

void Fetcher::connect() {
    wire::ClientOptions client;
    client.bootstrap = {*endpoint_};
    client.client_id = fmt::format("broker-{}-fetcher", options_.self);
    client.request_timeout = client.call_timeout = options_.answer_time;
    // One try a call: what is tried next is decided here.
    client.backoff_min = client.backoff_max = options_.answer_time;
    client.connect_timeout = kConnectTime;
    client_ = std::make_shared<wire::Client>(env_, owner(), std::move(client), Logger());
}

void Fetcher::settle() {
    core_ = env_.core_for(number_);
    wakeup_ = std::make_unique<env::Wakeup>(env_, owner());
}

std::optional<replication::FetchPlan> Fetcher::plan_of(const PartitionKey& key) const {
    const auto partition = replicas_.find(key.topic, key.partition);
    if (partition == nullptr) return std::nullopt;
    if (is_over_quota() && is_throttled(key)) return std::nullopt;
    const auto plan = partition->next_fetch();
    return plan && plan->leader == leader_ ? plan : std::nullopt;
}

bool Fetcher::is_over_quota() const {
    return options_.quota != nullptr && options_.quota->is_exceeded(env_.clock().now());
}

bool Fetcher::is_throttled(const PartitionKey& key) const {
    const auto partition = replicas_.find(key.topic, key.partition);
    return partition != nullptr && partition->is_throttled(replication::CopySide::follower) &&
           partition->is_behind();
}

void Fetcher::count(const replication::Partition& partition, std::uint64_t bytes) const {
    if (options_.quota != nullptr && partition.is_throttled(replication::CopySide::follower))
        options_.quota->record(bytes, env_.clock().now());
}

env::Task<Fetcher::End> Fetcher::run(std::shared_ptr<Fetcher> self) {
    Fetcher& fetcher = *self;
    auto end = End::stopped;
    while (fetcher.take_inbox()) {
        if (fetcher.env_.core_for(fetcher.number_) != fetcher.core_) {
            end = End::moves;
            break;
        }
        if (fetcher.client_ == nullptr) {
            co_await fetcher.wakeup_->wait_until(env::kNever);
            continue;
        }
        const env::Instant now = fetcher.env_.clock().now();
        // The leader must not send what is in the session and has not come yet.
        if (fetcher.is_over_quota()) {
            fetcher.session_.hold_back_those(
                now, [&](const PartitionKey& key) { return fetcher.is_throttled(key); });
        }
        const auto request = fetcher.session_.next(
            now, [&](const PartitionKey& key) { return fetcher.plan_of(key); });
        if (request.partitions == 0 && request.forgotten.empty()) {
            co_await fetcher.wakeup_->wait_until(fetcher.session_.next_due());
            continue;
        }
        co_await fetcher.fetch(request);
    }
    if (fetcher.client_ != nullptr) fetcher.client_->close();
    fetcher.client_.reset();
    co_return end;
}

env::Task<void> Fetcher::fetch(const LeaderSession::Request& request) {
    const WireFetch wire(request, epoch_, options_);
    const auto answer = co_await ask(wire.request);
    if (is_stopped_) co_return;
    const auto refusal = answer ? static_cast<ErrorCode>((*answer)->error_code) : ErrorCode::none;
    // A session that the leader has forgotten is opened anew at once.
    const bool is_forgotten = refusal != ErrorCode::none && request.session_epoch != 0;
    if (!answer || refusal != ErrorCode::none) session_.reset();
    if (is_forgotten) co_return;
    if (!answer) options_.noticed(leader_, true);
    if (!answer || refusal != ErrorCode::none) {
        lost(answer ? Error{refusal, fmt::format("it answers {}", error_name(refusal))}
                    : answer.error());
        co_await wakeup_->wait_until(env_.clock().now() + pause_);
        co_return;
    }
    if (is_lost_) LOG_INFO(log_, "fetching from the leader again");
    if (is_lost_) options_.noticed(leader_, false);
    is_lost_ = false;
    pause_ = {};
    count_answer();
    co_await take(**answer);
    session_.answered((*answer)->session_id);
    if (std::exchange(was_cut_, false)) {
        Result<void> written;
        co_await env_.offload(env::Pool::disk, [&] { written = replicas_.checkpoint(); });
        if (!written) LOG_ERROR(log_, "no checkpoint after a cut", kv("why", written.error().why));
    }
}

struct Fetcher::Call {
    std::optional<Result<wire::Answer<Response>>> answer;
    bool is_waited_for = false;
};

env::Task<Result<wire::Answer<Fetcher::Response>>> Fetcher::ask(
    const protocol::FetchRequest& request) {
    const auto call = std::make_shared<Call>();
    env::spawn(owner(), carry(shared_from_this(), request, call));
    bool has_hurried = false;
    while (!call->answer) {
        call->is_waited_for = true;
        co_await wakeup_->wait_until(has_hurried ? env::kNever : session_.next_due());
        if (call->answer || has_hurried || !has_newcomers()) continue;
        has_hurried = true;
        env::spawn(owner(), hurry(client_));
    }
    co_return *std::move(call->answer);
}

env::Task<void> Fetcher::carry(std::shared_ptr<Fetcher> self, const protocol::FetchRequest& request,
                               std::shared_ptr<Call> call) {
    call->answer = co_await self->client_->call<Response>(wire::Target::any(), request);
    // One that has failed at once finds nobody waiting yet, and must not cut the pause after it
    // short.
    if (call->is_waited_for) self->wakeup_->notify();
}

/// A leader answers a follower that waits for news once it has something else to ask. Apache Kafka
/// answers this when the wait is over, and nothing is lost.
env::Task<void> Fetcher::hurry(std::shared_ptr<wire::Client> client) {
    protocol::ApiVersionsRequest request;
    request.client_software_name = "milena";
    request.client_software_version = "unknown";
    [[maybe_unused]] const auto answer =
        co_await client->call<protocol::ApiVersionsResponse>(wire::Target::any(), request);
}

/// What the request that is under way does not name, and could.
bool Fetcher::has_newcomers() const {
    if (session_.next_due() <= env_.clock().now()) return true;
    return inbox_.with([](const Inbox& inbox) {
        return std::ranges::any_of(inbox.changes, [](const auto& one) { return one.second; });
    });
}

Fetcher::Figures Fetcher::figures() const {
    const env::Instant now = env_.clock().now();
    return counted_.with([&](const Counted& counted) {
        Figures figures = counted.figures;
        figures.requests_per_second = counted.requests.per_second(now);
        return figures;
    });
}

void Fetcher::count_answer() {
    const env::Instant now = env_.clock().now();
    counted_.with([&](Counted& counted) {
        ++counted.figures.requests;
        counted.requests.add(1, now);
    });
}

void Fetcher::note_failed(const PartitionKey& key, bool has_failed) {
    if (has_failed ? !failed_.insert(key).second : failed_.erase(key) == 0) return;
    counted_.with([&](Counted& counted) { counted.figures.failed = failed_.size(); });
}

void Fetcher::lost(const Error& why) {
    pause_ = std::clamp(pause_ * 2, kPauseMin, std::max(kPauseMin, options_.pause_max));
    if (!is_lost_) LOG_WARN(log_, "can't fetch from the leader", kv("why", why.why));
    is_lost_ = true;
}

env::Task<void> Fetcher::take(const Response& response) {
    for (const auto& topic : response.responses) {
        for (const auto& part : topic.partitions) {
            co_await take_part({topic.topic_id, PartitionIndex(part.partition_index)}, part);
            if (is_stopped_) co_return;
        }
    }
}

env::Task<void> Fetcher::take_part(const PartitionKey& key, const Response::PartitionData& part) {
    const auto partition = replicas_.find(key.topic, key.partition);
    if (session_.asked(key) == nullptr) co_return;
    if (partition == nullptr) {
        // It has gone, and will be followed no more in a moment.
        session_.hold_back(key, env_.clock().now());
        co_return;
    }
    const auto code = static_cast<ErrorCode>(part.error_code);
    Result<void> done;
    if (code == ErrorCode::none) {
        done = co_await take_records(key, partition, part);
    } else if (code == ErrorCode::offset_out_of_range) {
        done = co_await find_range(key, partition);
    } else {
        done = fail(code, fmt::format("the leader answers {}", error_name(code)));
    }
    if (done) {
        session_.took(key);
        note_failed(key, false);
        co_return;
    }
    const bool is_first = session_.hold_back(key, env_.clock().now());
    note_failed(key, !is_expected(done.error().code));
    const Logger log = log_.with("partition", partition->name().text());
    if (!is_first || is_expected(done.error().code)) {
        LOG_DEBUG(log, "not fetched", kv("why", done.error().why));
    } else {
        LOG_WARN(log, "a follower can't go on for now", kv("why", done.error().why));
    }
}

env::Task<Result<void>> Fetcher::take_records(
    const PartitionKey& key, const std::shared_ptr<replication::Partition>& partition,
    const Response::PartitionData& part) {
    using replication::FollowStep;
    const replication::FetchPlan plan = *session_.asked(key);
    replication::FetchedPart fetched{.high_watermark = Offset(part.high_watermark),
                                     .log_start = Offset(part.log_start_offset),
                                     .diverging = {},
                                     .records = part.records.bytes()};
    if (part.diverging_epoch.epoch >= 0) {
        fetched.diverging = {LeaderEpoch(part.diverging_epoch.epoch),
                             Offset(part.diverging_epoch.end_offset)};
    }
    count(*partition, fetched.records.size());
    auto step = partition->take_fetched(plan, fetched, replication::ProducePlace::core);
    if (step && *step == FollowStep::needs_disk) {
        co_await partition->write_lane()->turns().run(env_, owner(), [&] {
            step = partition->take_fetched(plan, fetched, replication::ProducePlace::disk_pool);
        });
    }
    if (!step) co_return std::unexpected(std::move(step).error());
    counted_.with([&](Counted& counted) { counted.figures.bytes += fetched.records.size(); });
    co_return co_await settle(*step, partition);
}

env::Task<Result<void>> Fetcher::settle(replication::FollowStep step,
                                        const std::shared_ptr<replication::Partition>& partition) {
    was_cut_ |= step == replication::FollowStep::needs_record;
    Result<void> done = ok();
    if (step == replication::FollowStep::needs_sync)
        co_await env_.offload(env::Pool::disk, [&] { done = partition->flush(); });
    co_return done;
}

/// The leader's log begins or ends elsewhere than this follower thinks: it says where.
env::Task<Result<void>> Fetcher::find_range(
    const PartitionKey& key, const std::shared_ptr<replication::Partition>& partition) {
    const replication::FetchPlan plan = *session_.asked(key);
    const std::string topic = partition->name().topic;
    CO_TRY(const std::int64_t start, co_await leader_offset(topic, key, plan, kEarliest));
    CO_TRY(const std::int64_t end, co_await leader_offset(topic, key, plan, kLatest));
    Result<replication::FollowStep> step;
    co_await env_.offload(env::Pool::disk, [&] {
        step = partition->take_out_of_range(plan, Offset(start), Offset(end));
    });
    if (!step) co_return std::unexpected(std::move(step).error());
    if (*step == replication::FollowStep::taken && partition->next_fetch() == plan) {
        co_return fail(ErrorCode::offset_out_of_range,
                       fmt::format("offset {} is refused, though the leader's log is from {} to {}",
                                   plan.from, start, end));
    }
    co_return co_await settle(*step, partition);
}

env::Task<Result<std::int64_t>> Fetcher::leader_offset(const std::string& topic,
                                                       const PartitionKey& key,
                                                       const replication::FetchPlan& plan,
                                                       std::int64_t spec) {
    using Wire = protocol::ListOffsetsRequest;
    Wire::ListOffsetsPartition part;
    part.partition_index = key.partition.value;
    part.current_leader_epoch = plan.current_leader_epoch.value;
    part.timestamp = spec;
    Wire::ListOffsetsTopic one;
    one.name = topic;
    one.partitions = std::span<const Wire::ListOffsetsPartition>(&part, 1);
    Wire request;
    request.replica_id = options_.self.value;
    request.topics = std::span<const Wire::ListOffsetsTopic>(&one, 1);
    CO_TRY(const auto answer,
           co_await client_->call<protocol::ListOffsetsResponse>(wire::Target::any(), request));
    if (answer->topics.size() != 1 || answer->topics[0].partitions.size() != 1)
        co_return fail(ErrorCode::invalid_request, "an answer about other partitions");
    const auto& told = answer->topics[0].partitions[0];
    if (told.error_code != 0) {
        const auto code = static_cast<ErrorCode>(told.error_code);
        co_return fail(code, fmt::format("ListOffsets: {}", error_name(code)));
    }
    co_return told.offset;
}

}  // namespace milena::drivers
