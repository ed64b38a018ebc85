// SPDX-License-Identifier: Apache-2.0
// One who has asked a coordinator, and waits on his own core for what it says. Usually it is there
// before he looks: a heartbeat costs no more than the decision.
#pragma once

#include <functional>
#include <optional>

#include "milena/coordinator/group_requests.h"
#include "milena/env/env.h"
#include "milena/env/guarded.h"

namespace milena::drivers {

class Asker {
public:
    using Answer = Result<coordinator::GroupReply>;

    /// Once, from any thread, with no guard held.
    void answer(Answer what);
    /// Once, from a coroutine on `owner`.
    env::Task<Answer> wait(env::Env& env, env::Executor owner);

private:
    struct State {
        std::optional<Answer> answer;
        std::function<void()> wake;
    };
    bool is_answered() const;

    env::Guarded<State> state_;
};

}  // namespace milena::drivers
