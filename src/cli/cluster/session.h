// SPDX-License-Identifier: Apache-2.0
// A tool at work on a cluster: an env with one thread, a client, and what was asked to connect
// with.
#pragma once

#include <functional>
#include <optional>

#include "cluster/client_properties.h"
#include "milena/wire/client.h"

namespace milena::cli {

/// What Connect::broker_timeout is for tools that follow leaders and coordinators.
inline constexpr env::Duration kBrokerTimeout = std::chrono::seconds(1);

struct Connect {
    std::string bootstrap;  ///< --bootstrap-server or --bootstrap-controller
    bool to_controllers = false;
    std::string config_file;              ///< --command-config
    std::vector<std::string> properties;  ///< "key=value", which win
    std::string client_id;                ///< unless the properties say another
    /// Of attempts to connect to one broker, for tools that look for another then.
    env::Duration broker_timeout = env::Duration::max();
    std::optional<env::Duration> call_timeout{};  ///< of one call; wins over the properties
};

class Session {
public:
    /// `apart` is the same session on connections of its own, if it has such a one.
    Session(env::RealEnv& env, wire::Client& client, ClientProperties properties,
            const Connect& connect, Session* apart = nullptr)
        : env_(env),
          client_(client),
          properties_(std::move(properties)),
          connect_(connect),
          apart_(apart) {}

    env::RealEnv& env() { return env_; }
    env::Executor executor() { return env_.core(0); }
    wire::Client& client() { return client_; }
    const ClientProperties& properties() const { return properties_; }
    /// For requests whose answers may be long in coming, which others would have to wait for.
    Session& apart() { return apart_ == nullptr ? *this : *apart_; }
    bool to_controllers() const { return connect_.to_controllers; }
    /// Who decides: the active controller if the tool talks to controllers, or any broker, which
    /// passes it on.
    wire::Target decider() const {
        return connect_.to_controllers ? wire::Target::controller() : wire::Target::any();
    }

    /// client().call(), again and again while connections break, for as long as a call may take.
    /// For requests that may be sent twice.
    template <protocol::Message Response, protocol::Message Request>
    env::Task<Result<wire::Answer<Response>>> ask(wire::Target target, const Request& request,
                                                  std::int16_t version_max = protocol::kNoVersion) {
        const env::Instant give_up = env_.clock().now() + std::chrono::seconds(60);
        for (;;) {
            auto answer = co_await client_.call<Response>(target, request, version_max);
            if (answer || answer.error().code != ErrorCode::network_exception ||
                env_.clock().now() >= give_up)
                co_return answer;
            co_await env_.sleep(executor(), std::chrono::milliseconds(100));
        }
    }

private:
    env::RealEnv& env_;
    wire::Client& client_;
    ClientProperties properties_;
    const Connect& connect_;
    Session* apart_;
};

using Work = std::function<env::Task<Result<void>>(Session&)>;

/// Connects, does `work`, and gives its result.
Result<void> in_session(const Connect& connect, const Work& work);
/// The same for a tool that ends with it: a failure is printed as Kafka's tools print one that came
/// out of a future. Gives the exit code.
int run_in_session(const Connect& connect, const Work& work);

}  // namespace milena::cli
