// SPDX-License-Identifier: Apache-2.0
// What replicas say to each other: the core's messages go out and their answers come back to it;
// requests of others go to it and are answered when it says so.
#include <algorithm>

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
    raft::Response operator()(const raft::FetchSnapshotRequest&) const {
        raft::FetchSnapshotResponse response;
        response.error = kError;
        return response;
    }
    raft::Response operator()(const raft::AddVoterRequest&) const { return change(); }
    raft::Response operator()(const raft::RemoveVoterRequest&) const { return change(); }
    raft::Response operator()(const raft::UpdateVoterRequest&) const { return change(); }
    raft::Response operator()(const raft::SupportedVersionsRequest&) const {
        return raft::SupportedVersionsResponse{.error = kError};
    }
    static raft::Response change() { return raft::VoterChangeResponse{kError, {}, {}}; }
};

/// The endpoint of that listener, or the first.
const raft::VoterEndpoint* endpoint_in(const std::vector<raft::VoterEndpoint>& endpoints,
                                       std::string_view listener) {
    const auto same = std::ranges::find(endpoints, listener, &raft::VoterEndpoint::listener);
    if (same != endpoints.end()) return &*same;
    return endpoints.empty() ? nullptr : &endpoints.front();
}

LeaderEpoch epoch_in(const raft::Response& response) {
    return std::visit([](const auto& one) { return one.view.epoch; }, response);
}

BrokerId leader_in(const raft::Response& response) {
    return std::visit([](const auto& one) { return one.view.leader; }, response);
}

}  // namespace

env::Task<server::QuorumAnswer> QuorumNode::answer(std::shared_ptr<QuorumNode> self,
                                                   raft::Request request, std::uint64_t bytes_max) {
    if (!self->started_ || self->stopping_ || self->failure_ || self->asking_.size() >= kAskingMax)
        co_return server::QuorumAnswer{std::visit(Unavailable{}, request), {}, {}};
    if (const auto* begin = std::get_if<raft::BeginQuorumEpochRequest>(&request)) {
        if (const auto* const at = endpoint_in(begin->endpoints, self->options_.listener))
            self->note_leader(begin->epoch, {begin->leader, *at});
    }
    const raft::RequestId id(++self->last_asking_);
    const auto asking = std::make_shared<Asking>(self->env_, std::move(request), bytes_max);
    self->asking_[id] = asking;
    self->step_and_queue(raft::Received{id, asking->request});
    while (!asking->answer) co_await asking->wakeup.wait_until(env::kNever);
    co_return *std::move(asking->answer);
}

/// Reads where the records of a fetch lie, or the bytes of a snapshot; the file is read when they
/// are sent.
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
    if (auto* snapshot = std::get_if<raft::FetchSnapshotResponse>(&answer.response))
        answer.records = co_await find_bytes(*snapshot, asking.bytes_max);
    const BrokerId leader = leader_in(answer.response);
    if (auto at = endpoint_of(leader)) answer.leader = raft::LeaderNode{leader, *std::move(at)};
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

/// Where the leader is reached is said by itself and by who knows it; the newest word counts.
void QuorumNode::note_leader(LeaderEpoch epoch, raft::LeaderNode node) {
    const bool is_news = !named_leader_ || epoch >= named_leader_epoch_;
    if (node.id < BrokerId(0) || epoch < core_.view().epoch || !is_news) return;
    // An answer names no listener: it is the one that was asked.
    if (node.endpoint.listener.empty()) node.endpoint.listener = options_.listener;
    named_leader_ = std::move(node);
    named_leader_epoch_ = epoch;
}

/// By what is configured, by what the leader has said, by the log.
std::optional<raft::VoterEndpoint> QuorumNode::endpoint_of(BrokerId id) const {
    if (raft::is_bootstrap_server(id)) {
        const std::size_t place = raft::bootstrap_place(id);
        if (place >= options_.bootstrap_servers.size()) return std::nullopt;
        const env::Endpoint& server = options_.bootstrap_servers[place];
        return raft::VoterEndpoint{options_.listener, server.host, server.port};
    }
    if (id == options_.node_id) {
        const auto* const own = endpoint_in(options_.endpoints, options_.listener);
        if (own != nullptr) return *own;
    }
    const bool is_named = named_leader_ && named_leader_->id == id &&
                          named_leader_epoch_ == core_.view().epoch && core_.kraft_version() > 0;
    const raft::Voter* const voter = core_.voters().find(id);
    const auto* const known =
        voter == nullptr ? nullptr : endpoint_in(voter->endpoints, options_.listener);
    if (is_named || known == nullptr) {
        return named_leader_ && named_leader_->id == id ? std::optional(named_leader_->endpoint)
                                                        : std::nullopt;
    }
    return *known;
}

/// Those of the log if nobody has configured any.
std::vector<raft::VoterEndpoint> QuorumNode::own_endpoints() const {
    const raft::Voter* const own = core_.voters().find(options_.node_id);
    return options_.endpoints.empty() && own != nullptr ? own->endpoints : options_.endpoints;
}

env::Task<void> QuorumNode::exchange(std::shared_ptr<QuorumNode> self, raft::Message message,
                                     bool is_awaited) {
    std::optional<raft::VoterEndpoint> at;
    if (message.endpoints.empty()) {
        at = self->endpoint_of(message.to);
    } else {
        at = *endpoint_in(message.endpoints, self->options_.listener);
    }
    const std::vector<raft::VoterEndpoint> own = self->own_endpoints();
    QuorumPeers::Answer answered = std::unexpected(QuorumPeers::Refusal{
        {ErrorCode::broker_not_available, "it is not known where this replica is reached"}});
    if (at) {
        answered =
            co_await self->peers_.ask(message.to, {at->host, at->port}, message.request, own);
    }
    if (!message.endpoints.empty()) self->peers_.forget(message.to);
    if (!self->ended_ && !self->failure_) {
        if (answered) {
            if (answered->leader)
                self->note_leader(epoch_in(answered->response), *answered->leader);
            self->step_and_queue(
                raft::Answered{message.to, message.id, std::move(answered->response)});
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
