// SPDX-License-Identifier: Apache-2.0
// Ids for producers, each given out once in the life of the cluster: from a block that the
// controller has made this broker's own. From any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "milena/controller/requests.h"
#include "milena/env/env.h"
#include "milena/env/guarded.h"

namespace milena::server {

class ProducerIds {
public:
    /// Asks the controller for a block; called from the coroutine that needs one.
    using Allocate = std::function<env::Task<Result<controller::ProducerIdBlock>>(env::Instant)>;

    ProducerIds(env::Env& env, Allocate allocate) : env_(env), allocate_(std::move(allocate)) {}

    /// From a coroutine bound to `owner`. Whoever comes while the controller is being asked waits
    /// for the same block; COORDINATOR_LOAD_IN_PROGRESS if there is none by `deadline`.
    env::Task<Result<ProducerId>> next(env::Executor owner, env::Instant deadline);

private:
    struct State {
        std::int64_t next = 0;
        std::int64_t end = 0;
        bool is_asking = false;
        std::vector<std::weak_ptr<env::Wakeup>> waiting;
    };
    std::optional<ProducerId> take();
    /// True if the caller has to ask; else `wakeup` is called when somebody has been answered.
    bool must_ask(const std::shared_ptr<env::Wakeup>& wakeup);
    void answered(const Result<controller::ProducerIdBlock>& block);

    env::Env& env_;
    const Allocate allocate_;
    env::Guarded<State> state_;
};

}  // namespace milena::server
