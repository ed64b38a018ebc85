// SPDX-License-Identifier: Apache-2.0
// A connection to whoever leads the metadata quorum, made when it is needed and given up when
// another leads. On the control thread.
#pragma once

#include <memory>

#include "milena/drivers/quorum.h"
#include "milena/env/env.h"
#include "milena/wire/client.h"

namespace milena::drivers {

class LeaderClient {
public:
    /// `answer_time` is how long a call may take. `quorum` outlives this.
    LeaderClient(env::Env& env, BrokerId self, const Quorum& quorum, env::Duration answer_time);

    /// To one leader; kept by the calls that use it. A call connects once, or fails.
    struct Remote {
        Remote(env::Env& env, BrokerId its_id, wire::ClientOptions options)
            : id(its_id),
              endpoint(options.bootstrap.front()),
              client(env, env.control(), std::move(options), Logger()) {}
        const BrokerId id;
        const env::Endpoint endpoint;
        wire::Client client;
    };
    /// NOT_CONTROLLER if no leader is known, or if it is this node.
    Result<std::shared_ptr<Remote>> remote();

    /// Another leads: what the one before has not answered a moment from now fails.
    void leads(BrokerId leader);
    /// What is on its way fails, and whatever comes.
    void close();

private:
    void retire();

    env::Env& env_;
    const BrokerId self_;
    const Quorum& quorum_;
    const env::Duration answer_time_;
    std::shared_ptr<Remote> remote_;
    bool closed_ = false;
};

}  // namespace milena::drivers
