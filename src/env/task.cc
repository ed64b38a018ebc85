// SPDX-License-Identifier: Apache-2.0
// How coroutines start and what becomes of an exception that leaves one.
#include "milena/env/task.h"

#include <cstdio>
#include <utility>

#include <boost/asio/post.hpp>

#include "milena/base/invariant.h"

namespace milena::env {
namespace {

/// Nobody waits for a spawned task, so an exception that leaves it has nowhere to go: say which and
/// stop.
void end_on_exception(const std::exception_ptr& thrown) {
    if (!thrown) return;
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
        INVARIANT(false, exception.what());
    } catch (...) {
        INVARIANT(false, "something that is no std::exception left a task");
    }
}

}  // namespace

void spawn(Executor executor, Task<void> task) {
    boost::asio::co_spawn(executor, std::move(task), end_on_exception);
}

void post(Executor executor, std::function<void()> work) {
    boost::asio::post(executor, std::move(work));
}

}  // namespace milena::env
