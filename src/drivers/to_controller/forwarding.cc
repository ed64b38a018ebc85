// SPDX-License-Identifier: Apache-2.0
// One request after the other finds the leader by itself: it asks whoever leads now, and again when
// that one is lost.
#include "milena/drivers/forwarding.h"

#include <algorithm>
#include <array>

#include "leader_client.h"
#include "milena/drivers/metadata_publisher.h"
#include "milena/protocol/messages/describe_quorum.h"
#include "milena/protocol/messages/envelope.h"

namespace milena::drivers {
namespace {

/// For one answer; a controller that is asked for something that it can't commit says so earlier.
constexpr env::Duration kAnswerTime = std::chrono::seconds(30);
/// For how far the controller has committed, which it always knows.
constexpr env::Duration kQuestionTime = std::chrono::seconds(2);
/// Between tries while there is no controller.
constexpr env::Duration kPauseMin = std::chrono::milliseconds(10);
constexpr env::Duration kPauseMax = std::chrono::milliseconds(100);

using telemetry::Kind;
using telemetry::Metric;
constexpr Metric kQueueLength{"kafka_server_forwardingmanager_queuelength", Kind::gauge,
                              "Clients' requests on their way to the active controller."};
constexpr Metric kRemoteTime99{"kafka_server_forwardingmanager_remotetimems_p99", Kind::gauge,
                               "Milliseconds until the active controller answered."};
constexpr Metric kRemoteTime999{"kafka_server_forwardingmanager_remotetimems_p999", Kind::gauge,
                                "Milliseconds until the active controller answered."};
constexpr Metric kQueueTime99{"kafka_server_forwardingmanager_queuetimems_p99", Kind::gauge,
                              "Milliseconds until a request left for the controller that "
                              "answered it."};
constexpr Metric kQueueTime999{"kafka_server_forwardingmanager_queuetimems_p999", Kind::gauge,
                               "Milliseconds until a request left for the controller that "
                               "answered it."};

std::uint64_t microseconds(env::Duration time) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(time).count());
}

void add_times(telemetry::Page& page, const telemetry::Histogram& times_us, const Metric& p99,
               const Metric& p999) {
    telemetry::Distribution sum;
    times_us.add_to(sum);
    constexpr double kPerMillisecond = 1000;
    page.add(p99, static_cast<double>(sum.quantile(0.99)) / kPerMillisecond);
    page.add(p999, static_cast<double>(sum.quantile(0.999)) / kPerMillisecond);
}

}  // namespace

/// Counts one request for as long as it lives.
struct Forwarding::OnItsWay {
    OnItsWay(Forwarding& owner, std::size_t its_bytes) : self(owner), bytes(its_bytes) {
        ++self.requests_;
        self.bytes_ += bytes;
    }
    ~OnItsWay() {
        --self.requests_;
        self.bytes_ -= bytes;
    }
    OnItsWay(const OnItsWay&) = delete;
    OnItsWay& operator=(const OnItsWay&) = delete;
    Forwarding& self;
    const std::size_t bytes;
};

Forwarding::Forwarding(env::Env& env, Logger logger, ForwardingParts parts)
    : env_(env),
      log_(std::move(logger)),
      parts_(parts),
      leader_(std::make_unique<LeaderClient>(env, parts.self, parts.quorum, kAnswerTime)),
      questions_(std::make_unique<LeaderClient>(env, parts.self, parts.quorum, kQuestionTime)) {}

Forwarding::~Forwarding() = default;

void Forwarding::stop() {
    stopped_ = true;
    leader_->close();
    questions_->close();
}

void Forwarding::on_leader_change(LeaderEpoch, BrokerId leader, bool) {
    leader_->leads(leader);
    questions_->leads(leader);
}

void Forwarding::write_metrics(telemetry::Page& page) const {
    page.add(kQueueLength, static_cast<double>(requests_));
    add_times(page, queue_us_, kQueueTime99, kQueueTime999);
    add_times(page, remote_us_, kRemoteTime99, kRemoteTime999);
}

env::Task<Result<server::ControllerPort::Reached>> Forwarding::ask(server::ForwardedRequest request,
                                                                   env::Instant deadline) {
    return env::run_on(env_.control(), ask_on_control(request, deadline));
}

env::Task<Result<server::ControllerPort::Reached>> Forwarding::ask_on_control(
    server::ForwardedRequest request, env::Instant deadline) {
    if (parts_.local.is_active()) co_return Reached{.is_here = true};
    const bool is_full = requests_ >= kRequestsMax || bytes_ + request.frame.size() > kBytesMax;
    if (is_full) {
        co_return fail(ErrorCode::throttling_quota_exceeded,
                       "too many requests are on their way to the active controller");
    }
    const OnItsWay counted(*this, request.frame.size());
    const env::Instant began = env_.clock().now();
    env::Duration pause = kPauseMin;
    for (;;) {
        if (stopped_) co_return fail(ErrorCode::not_controller, "this node stops");
        if (parts_.local.is_active()) co_return Reached{.is_here = true};
        const env::Instant left = env_.clock().now();
        CO_TRY(auto reached, co_await try_once(request));
        const env::Instant now = env_.clock().now();
        if (reached) {
            queue_us_.record(microseconds(left - began));
            remote_us_.record(microseconds(now - left));
            co_return *std::move(reached);
        }
        if (now >= deadline) {
            co_return fail(ErrorCode::request_timed_out,
                           "The active controller has not answered in time.");
        }
        co_await env_.sleep(env_.control(), std::min<env::Duration>(pause, deadline - now));
        pause = std::min(pause * 2, kPauseMax);
    }
}

env::Task<Result<std::optional<server::ControllerPort::Reached>>> Forwarding::try_once(
    const server::ForwardedRequest& request) {
    const auto to = leader_->remote();
    if (!to) co_return std::nullopt;
    const std::shared_ptr<LeaderClient::Remote> remote = *to;
    protocol::EnvelopeRequest envelope;
    envelope.request_data = request.frame;
    envelope.request_principal = request.principal;
    envelope.client_host_address = request.client_address;
    const auto answer =
        co_await remote->client.call<protocol::EnvelopeResponse>(wire::Target::any(), envelope);
    if (!answer) {
        const bool is_other = answer.error().code == ErrorCode::unsupported_version;
        co_return settle(is_other ? ErrorCode::unsupported_version : ErrorCode::not_controller,
                         remote->id);
    }
    const auto code = static_cast<ErrorCode>((*answer)->error_code);
    if (code != ErrorCode::none) co_return settle(code, remote->id);
    const auto& inner = (*answer)->response_data;
    const BytesView data = inner ? BytesView(*inner) : BytesView();
    co_return Reached{.answer = {data.begin(), data.end()}};
}

Result<std::optional<server::ControllerPort::Reached>> Forwarding::settle(ErrorCode code,
                                                                          BrokerId controller) {
    // It was lost, or another leads by now.
    if (code == ErrorCode::not_controller) return std::nullopt;
    std::uint64_t suppressed = 0;
    if (refusals_.admit(env_.clock().now().time_since_epoch(), suppressed)) {
        LOG_WARN(log_, "the active controller refuses a forwarded request",
                 kv("controller", controller), kv("error", error_name(code)),
                 kv("lines_suppressed", suppressed));
    }
    if (code == ErrorCode::unsupported_version)
        return fail(code, "the active controller can't read the request");
    // Not the client's fault, whatever it is.
    return fail(ErrorCode::unknown_server_error, "the active controller refuses this broker");
}

env::Task<void> Forwarding::catch_up(env::Instant deadline) {
    return env::run_on(env_.control(), catch_up_on_control(deadline));
}

env::Task<void> Forwarding::catch_up_on_control(env::Instant deadline) {
    while (!stopped_ && !parts_.local.is_active()) {
        if (const auto end = co_await committed_end()) {
            const auto reached =
                co_await parts_.publisher.wait_for_image(Offset(end->value - 1), deadline);
            if (!reached) LOG_DEBUG(log_, "behind the controller", kv("why", reached.error().why));
            co_return;
        }
        if (env_.clock().now() + kPauseMin >= deadline) co_return;
        co_await env_.sleep(env_.control(), kPauseMin);
    }
}

env::Task<std::optional<Offset>> Forwarding::committed_end() {
    const auto to = questions_->remote();
    if (!to) co_return std::nullopt;
    const std::shared_ptr<LeaderClient::Remote> remote = *to;
    using Request = protocol::DescribeQuorumRequest;
    std::array<Request::PartitionData, 1> partitions{};
    std::array<Request::TopicData, 1> topics{};
    topics[0].topic_name = "__cluster_metadata";
    topics[0].partitions = partitions;
    Request request;
    request.topics = topics;
    const auto answer = co_await remote->client.call<protocol::DescribeQuorumResponse>(
        wire::Target::any(), request);
    if (!answer || (*answer)->error_code != 0 || (*answer)->topics.empty() ||
        (*answer)->topics[0].partitions.empty() ||
        (*answer)->topics[0].partitions[0].error_code != 0) {
        co_return std::nullopt;
    }
    const Offset end{(*answer)->topics[0].partitions[0].high_watermark};
    if (end.value < 0) co_return std::nullopt;
    co_return end;
}

env::Task<BrokerId> Forwarding::active_controller() {
    const auto ask = [](const Quorum& quorum) -> env::Task<BrokerId> {
        co_return quorum.status().leader;
    };
    return env::run_on(env_.control(), ask(parts_.quorum));
}

}  // namespace milena::drivers
