// SPDX-License-Identifier: Apache-2.0
// One client's connection as the server sees it: who it is, on which listener, and the memory its
// requests work in. Cuts the header from each frame, finds the API and lets its handler serve the
// request.
#pragma once

#include <string>

#include "core_state.h"
#include "milena/protocol/arena.h"
#include "milena/protocol/header.h"
#include "milena/security/authorizer.h"
#include "milena/server/broker.h"
#include "milena/wire/connection.h"
#include "produce_answers.h"

namespace milena::server {

struct FetchScratch;
struct Request;

/// Who sends requests, and from where.
struct Client {
    security::Principal principal;
    std::string host;
};

class Session final : public wire::FrameHandler {
public:
    Session(const Broker& broker, CoreState& core, const config::Listener& listener, Client client);
    ~Session() override;
    void ended() override;

    env::Task<Result<void>> serve(MutableBytes frame, wire::Connection& connection) override;
    /// Serves a request that came inside another, of this session's client, and gives header and
    /// body of its answer. INVALID_REQUEST if such a one is not sent to a controller,
    /// UNSUPPORTED_VERSION if it can't be read, NOT_CONTROLLER if this node does not decide, or no
    /// longer did when it was to answer.
    env::Task<Result<std::vector<std::byte>>> serve_inside(MutableBytes frame,
                                                           wire::Connection& connection);

    void answer_sent(const wire::ReplyTag& tag, env::Instant now) override {
        core_->metrics.answer_sent(tag, now);
    }

    const Broker& broker() const { return broker_; }
    CoreState& core() { return *core_; }
    /// The connection goes on there, between two requests. On that core's thread.
    void arrive(CoreState& core);
    const config::Listener& listener() const { return listener_; }
    bool is_controller_listener() const {
        return broker_.config.is_controller_listener(listener_.name);
    }
    const Client& client() const { return client_; }
    bool may(security::Operation operation, security::ResourceType type,
             std::string_view resource) const {
        return broker_.authorizer.allows(client_.principal, operation, type, resource);
    }

    /// A broker's heartbeats come over this connection: when it closes, the controller hears of it.
    void carries_heartbeats(BrokerId broker, BrokerEpoch epoch) { heartbeats_ = {broker, epoch}; }

    /// Where the answer to one Produce is gathered: the same object again and again, unless the
    /// last one is parked.
    const std::shared_ptr<ProduceAnswers>& produce_answers();
    FetchScratch& fetch_scratch() { return *fetch_scratch_; }
    /// The batch that is being produced: a Produce has one at a time on its way.
    replication::Production& production() { return production_; }

    /// An answer has sent the client to this node, by its name `told`, for topics it asked for.
    /// Says in the log when it seems to know no way there (client_reach.h).
    void told_to_come(const env::Endpoint& told, bool may_create_topics, const Request& request);

private:
    /// Remembers that the client has come to where it wanted.
    void note_arrival(const protocol::RequestHead& head, const wire::Connection& connection,
                      env::Instant now);
    const Broker& broker_;
    CoreState* core_;
    const config::Listener& listener_;
    const Client client_;
    protocol::Arena arena_;
    std::shared_ptr<ProduceAnswers> produce_answers_;
    replication::Production production_;
    std::unique_ptr<FetchScratch> fetch_scratch_;
    LeaderQuestions leader_questions_;
    std::optional<std::pair<BrokerId, BrokerEpoch>> heartbeats_;
    env::Instant next_note_{};
};

}  // namespace milena::server
