// SPDX-License-Identifier: Apache-2.0
// The signals come on the control executor and are passed on to the tool's own.
#include "interrupt.h"

#include <cstdlib>

namespace milena::cli {
namespace {

env::Task<void> watch(env::RealEnv& env, env::Executor executor, std::shared_ptr<int> noted) {
    const int first = co_await env.next_signal();
    if (first == 0) co_return;
    env::post(executor, [noted, first] { *noted = first; });
    if (const int second = co_await env.next_signal(); second != 0)
        std::_Exit(exit_code_of(second));
}

}  // namespace

Interrupt::Interrupt(Session& session) {
    env::spawn(session.env().control(), watch(session.env(), session.executor(), signal_));
}

int exit_code_of(int signal) {
    return 128 + signal;
}

}  // namespace milena::cli
