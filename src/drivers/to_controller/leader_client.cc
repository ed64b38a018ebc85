// SPDX-License-Identifier: Apache-2.0
// Who leads, and where, is the quorum's own word.
#include "leader_client.h"

#include <fmt/format.h>

namespace milena::drivers {
namespace {

/// A process that has stopped takes connections and says nothing.
constexpr env::Duration kConnectTime = std::chrono::seconds(2);
/// What a leader that has been replaced had decided is still on its way for that long.
constexpr env::Duration kLastAnswers = std::chrono::milliseconds(500);

env::Task<void> close_later(env::Env& env, std::shared_ptr<LeaderClient::Remote> remote) {
    co_await env.sleep(env.control(), kLastAnswers);
    remote->client.close();
}

}  // namespace

LeaderClient::LeaderClient(env::Env& env, BrokerId self, const Quorum& quorum,
                           env::Duration answer_time)
    : env_(env), self_(self), quorum_(quorum), answer_time_(answer_time) {}

Result<std::shared_ptr<LeaderClient::Remote>> LeaderClient::remote() {
    const QuorumStatus status = quorum_.status();
    if (closed_ || !status.leader_endpoint || status.leader == self_)
        return fail(ErrorCode::not_controller, "no active controller is known");
    const env::Endpoint endpoint{status.leader_endpoint->host, status.leader_endpoint->port};
    if (remote_ != nullptr && remote_->endpoint == endpoint) return remote_;
    retire();
    wire::ClientOptions options;
    options.bootstrap = {endpoint};
    options.client_id = fmt::format("node-{}", self_);
    options.request_timeout = options.call_timeout = answer_time_;
    options.connect_timeout = kConnectTime;
    // One try: whoever asks tries again, and by then there may be another leader.
    options.backoff_min = answer_time_;
    remote_ = std::make_shared<Remote>(env_, status.leader, std::move(options));
    return remote_;
}

void LeaderClient::leads(BrokerId leader) {
    if (remote_ != nullptr && leader != kNoBroker && leader != remote_->id) retire();
}

void LeaderClient::retire() {
    if (remote_ == nullptr) return;
    env::spawn(env_.control(), close_later(env_, std::exchange(remote_, nullptr)));
}

void LeaderClient::close() {
    closed_ = true;
    if (remote_ != nullptr) remote_->client.close();
}

}  // namespace milena::drivers
