// SPDX-License-Identifier: Apache-2.0
// Code that waits: coroutines bound to one core's thread. Only env, wire, server, drivers and node
// write them.
#pragma once

#include <exception>
#include <functional>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "milena/base/result.h"

namespace milena::env {

/// A core's thread, as something to run code on. In the simulator every core is the one thread of
/// the world.
using Executor = boost::asio::io_context::executor_type;

/// A coroutine that runs on one Executor from its first line to its last. Its frames come from
/// Asio's recycling allocator: no allocation in the steady state.
template <class T = void>
using Task = boost::asio::awaitable<T, Executor>;

/// Starts `task` on `executor` and lets it go. An exception that leaves it is a bug of ours and
/// ends the process.
void spawn(Executor executor, Task<void> task);

/// Runs `work` on `executor` some time soon, never inside this call; from any thread.
void post(Executor executor, std::function<void()> work);

/// Runs `task` on `executor` from its first to its last step, while the caller, bound to another,
/// waits for its value.
template <class T>
Task<T> run_on(Executor executor, Task<T> task) {
    co_return co_await boost::asio::co_spawn(executor, std::move(task),
                                             boost::asio::use_awaitable_t<Executor>());
}

}  // namespace milena::env
