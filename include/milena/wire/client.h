// SPDX-License-Identifier: Apache-2.0
// A client of a cluster: connections to its nodes, made when they are needed; requests as structs,
// in the newest version that both sides have; answers as structs. It belongs to one executor, where
// every call is made; calls may overlap, and those to one node share a connection, where they are
// under way at the same time and answered in order.
//
//   wire::Client client(env, env.core(0), options, log);
//   protocol::MetadataRequest request;
//   CO_TRY(auto answer, co_await client.call<protocol::MetadataResponse>(Target::any(), request));
//
// It tries to connect again until call_timeout; a request that was sent is never sent twice. An
// error that an answer carries is the caller's to read.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "milena/base/logger.h"
#include "milena/env/env.h"
#include "milena/protocol/api.h"
#include "milena/protocol/codec.h"
#include "milena/protocol/messages/metadata.h"

namespace milena::wire {

class Channel;

struct ClientOptions {
    std::vector<env::Endpoint> bootstrap;
    /// The bootstrap endpoints are controllers: the cluster is asked for its controllers.
    bool to_controllers = false;
    std::string client_id;
    std::string software_version = "unknown";                  ///< told to brokers (KIP-511)
    env::Duration request_timeout = std::chrono::seconds(30);  ///< for one answer
    env::Duration connect_timeout = env::Duration::max();      ///< for a connection, if it is less
    env::Duration call_timeout = std::chrono::seconds(60);     ///< with all attempts to connect
    /// All attempts to connect to a broker that is named, if it is less: for who asks another then.
    env::Duration broker_timeout = env::Duration::max();
    env::Duration backoff_min = std::chrono::milliseconds(50);
    env::Duration backoff_max = std::chrono::seconds(1);
    std::uint32_t frame_bytes_max = 256U << 20;  ///< of an answer
};

/// "host:port,[::1]:port" as endpoints; the error is Kafka's for bootstrap.servers.
Result<std::vector<env::Endpoint>> parse_bootstrap(std::string_view text);

/// Which node a request goes to.
struct Target {
    enum class Kind { any, controller, broker };
    Kind kind = Kind::any;
    BrokerId broker_id = kNoBroker;

    static Target any() { return {}; }
    static Target controller() { return {Kind::controller, kNoBroker}; }
    static Target broker(BrokerId id) { return {Kind::broker, id}; }
};

/// The bytes of an answer, without its length, and what they lie in.
struct AnswerFrame {
    std::unique_ptr<std::byte[]> memory;
    BytesView bytes;
};

/// What an answer views.
struct AnswerMemory {
    AnswerFrame frame;
    protocol::Arena arena;
    void* message = nullptr;
    std::int16_t version = 0;
};

/// An answer, and what it views.
template <class T>
class Answer {
public:
    explicit Answer(std::unique_ptr<AnswerMemory> memory) : memory_(std::move(memory)) {}
    const T& operator*() const { return *static_cast<const T*>(memory_->message); }
    const T* operator->() const { return &**this; }
    /// Of the request and the answer.
    std::int16_t version() const { return memory_->version; }

private:
    std::unique_ptr<AnswerMemory> memory_;
};

/// A request of any type, for the code that is compiled once.
struct Outgoing {
    const protocol::MessageType* type = nullptr;
    const void* message = nullptr;
    const protocol::MessageType* answer = nullptr;  ///< null: there will be none (acks=0)
    std::int16_t version_max = protocol::kNoVersion;
};

struct ClusterNode {
    BrokerId id = kNoBroker;
    env::Endpoint endpoint;
    std::optional<std::string> rack;
};

class Client {
public:
    Client(env::Env& env, env::Executor owner, ClientOptions options, Logger log);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// UNSUPPORTED_VERSION if the node has no version in common with us up to `version_max`, or
    /// none that carries what is in the request.
    template <protocol::Message Response, protocol::Message Request>
    env::Task<Result<Answer<Response>>> call(Target target, const Request& request,
                                             std::int16_t version_max = protocol::kNoVersion) {
        const Outgoing outgoing{&Request::kType, &request, &Response::kType, version_max};
        CO_TRY(auto memory, co_await exchange(target, outgoing));
        co_return Answer<Response>(std::move(memory));
    }
    /// Sends a request that is not answered, and returns when it is out.
    template <protocol::Message Request>
    env::Task<Result<void>> send(Target target, const Request& request,
                                 std::int16_t version_max = protocol::kNoVersion) {
        const Outgoing outgoing{&Request::kType, &request, nullptr, version_max};
        CO_TRY_VOID(co_await exchange(target, outgoing));
        co_return ok();
    }

    /// Asks for the cluster's nodes, its controller, and the leaders of `topics` (all topics if it
    /// is null), and remembers them. Never creates a topic.
    env::Task<Result<Answer<protocol::MetadataResponse>>> refresh(
        const std::vector<std::string>* topics);
    /// Asks for the nodes and the controller alone.
    env::Task<Result<void>> refresh_nodes();
    /// The nodes, as the last refresh gave them, by id.
    const std::map<BrokerId, ClusterNode>& nodes() const { return nodes_; }
    /// As the last refresh said; nothing if it said none.
    std::optional<BrokerId> leader_of(std::string_view topic, PartitionIndex partition) const;
    /// Forgets who the controller is, so that the next request to it asks first.
    void forget_controller() { controller_ = kNoBroker; }

    /// The highest version of an API that a node and we have; nothing if there is none.
    env::Task<Result<std::optional<std::int16_t>>> version_of(Target target, protocol::ApiKey key);

    void close();

private:
    /// When attempts to connect for a call end that itself ends at `give_up`.
    env::Instant connected_by(Target target, env::Instant give_up) const;
    env::Task<Result<std::unique_ptr<AnswerMemory>>> exchange(Target target, Outgoing outgoing);
    env::Task<Result<std::shared_ptr<Channel>>> channel_to(Target target, env::Instant give_up);
    env::Task<Result<std::shared_ptr<Channel>>> channel_to_any(env::Instant give_up);
    env::Task<Result<std::shared_ptr<Channel>>> channel_to_node(BrokerId id, env::Instant give_up);
    env::Task<Result<std::shared_ptr<Channel>>> open(env::Endpoint endpoint, env::Instant give_up);
    env::Task<Result<void>> refresh_controllers();
    std::shared_ptr<Channel> open_channel(const env::Endpoint& endpoint);
    void remember(const protocol::MetadataResponse& metadata);

    env::Env& env_;
    env::Executor owner_;
    ClientOptions options_;
    Logger log_;
    std::map<env::Endpoint, std::shared_ptr<Channel>> channels_;
    std::map<BrokerId, ClusterNode> nodes_;
    std::map<std::pair<std::string, PartitionIndex>, BrokerId, std::less<>> leaders_;
    BrokerId controller_ = kNoBroker;
    std::size_t next_any_ = 0;
    bool closed_ = false;
};

}  // namespace milena::wire
