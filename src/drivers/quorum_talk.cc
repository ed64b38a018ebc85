// SPDX-License-Identifier: Apache-2.0
// What replicas say to each other: the core's messages go out and their answers come back to it;
// requests of others go to it and are answered when it says so.
#include <fmt/format.h>

#include "quorum_node.h"

namespace milena::drivers {

namespace {

/// Requests of others that may wait for their answers. A fetch whose connection has gone counts
/// until the core answers it: after its max_wait or the request timeout, whichever is shorter.
constexpr std::size_t kAskingMax = 10'000;

/// The answer of a replica that takes no part any more, of the request's kind.
struct Unavailable {
    static constexpr ErrorCode kError = ErrorCode::broker_not_available;
    raft::Response operator()(const raft::VoteRequest&) const {
        return raft::VoteResponse{kError, {}, false};
    }
    raft::Response operator()(const raft::BeginQuorumEpochRequest&) const {
        return raft::BeginQuorumEpochResponse{kError, {}};
    }
    raft::Response operator()(const raft::EndQuorumEpochRequest&) const {
        return raft::EndQuorumEpochResponse{kError, {}};
    }
    raft::Response operator()(const raft::FetchRequest&) const {
        raft::FetchResponse response;
        response.error = kError;
        return response;
    }
};

BrokerId leader_in(const raft::Response& response) {
    return std::visit([](const auto& one) { return one.view.leader; }, response);
}

}  // namespace

env::Task<server::QuorumAnswer> QuorumNode::answer(std::shared_ptr<QuorumNode> self,
                                                   raft::Request request, std::uint64_t bytes_max) {
    if (!self->started_ || self->stopping_ || self->failure_ || self->asking_.size() >= kAskingMax)
        co_return server::QuorumAnswer{std::visit(Unavailable{}, request), {}, {}};
    const raft::RequestId id(++self->last_asking_);
    const auto asking = std::make_shared<Asking>(self->env_, std::move(request), bytes_max);
    self->asking_[id] = asking;
    self->step_and_queue(raft::Received{id, asking->request});
    while (!asking->answer) co_await asking->wakeup.wait_until(env::kNever);
    co_return *std::move(asking->answer);
}

/// Reads where the records of a fetch lie; the file is read when they are sent.
env::Task<void> QuorumNode::reply(raft::Reply reply) {
    auto found = asking_.extract(reply.id);
    if (found.empty()) co_return;
    Asking& asking = *found.mapped();
    server::QuorumAnswer answer{std::move(reply.response), {}, {}};
    if (auto* fetch = std::get_if<raft::FetchResponse>(&answer.response)) {
        const Offset from = std::get<raft::FetchRequest>(asking.request).fetch_offset;
        if (from < fetch->read_end && from < core_.log_start_offset()) {
            // The log was cleaned after the core had answered: it answers anew, without records.
            LOG_DEBUG(log_, "a fetch from below the start of the metadata log", kv("offset", from));
            const raft::Received again{reply.id, asking.request};
            asking_.insert(std::move(found));
            step_and_queue(again);
            co_return;
        }
        Result<storage::FileRange> range;
        const auto read = [&] {
            range = metadata_log_->log().read(from, fetch->read_end, asking.bytes_max, true);
        };
        if (from < fetch->read_end && from >= warm_from_) {
            read();
        } else if (from < fetch->read_end) {
            co_await env_.offload(env::Pool::quorum, read);
        }
        if (range) {
            answer.records = *std::move(range);
        } else {
            LOG_ERROR(log_, "could not read the metadata log for another replica",
                      kv("why", range.error().why));
            fetch->error = ErrorCode::kafka_storage_error;
        }
    }
    const BrokerId leader = leader_in(answer.response);
    const raft::Voter* const voter = core_.voters().find(leader);
    if (voter != nullptr && !voter->endpoints.empty())
        answer.leader = raft::LeaderNode{leader, voter->endpoints.front()};
    asking.answer = std::move(answer);
    asking.wakeup.notify();
}

void QuorumNode::answer_all_unavailable() {
    for (const auto& [id, asking] : std::exchange(asking_, {})) {
        asking->answer = server::QuorumAnswer{std::visit(Unavailable{}, asking->request), {}, {}};
        asking->wakeup.notify();
    }
}

void QuorumNode::send(raft::Message message) {
    // A leader that stops, or has failed, wants its farewell to arrive.
    const bool is_awaited = stopping_ || failure_;
    if (is_awaited) ++background_;
    env::spawn(env_.control(), exchange(shared_from_this(), std::move(message), is_awaited));
}

env::Task<void> QuorumNode::exchange(std::shared_ptr<QuorumNode> self, raft::Message message,
                                     bool is_awaited) {
    const raft::Voter* const known = self->core_.voters().find(message.to);
    const raft::Voter to =
        known == nullptr ? raft::Voter{.key = {message.to, {}}, .endpoints = {}} : *known;
    const raft::Voter* const own = self->core_.voters().find(self->options_.node_id);
    const std::vector<raft::VoterEndpoint> endpoints =
        own == nullptr ? std::vector<raft::VoterEndpoint>() : own->endpoints;
    auto answered = co_await self->peers_.ask(to, message.request, endpoints);
    if (!self->ended_ && !self->failure_) {
        if (answered) {
            self->step_and_queue(raft::Answered{message.to, message.id, *std::move(answered)});
        } else {
            self->step_and_queue(raft::SendFailed{message.to, message.id});
            if (answered.error().is_gone && self->core_.view().leader == message.to)
                self->step_and_queue(raft::LeaderRefused{message.to});
        }
    }
    if (is_awaited) --self->background_;
    self->work_ready_.notify();
}

}  // namespace milena::drivers
