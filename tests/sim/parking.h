// SPDX-License-Identifier: Apache-2.0
// Where the coroutines of one node wait. A suspended coroutine is owned by whoever will resume it;
// in a simulation that is always the Parking of its node, so a crash can drop all of them: their
// frames are destroyed where they stand, as a power cut would, and nothing of them runs again.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include "milena/env/task.h"

namespace milena::sim {

class Parking {
public:
    /// A coroutine that waits.
    class Waiter {
    public:
        virtual ~Waiter() = default;
        /// Lets it go on, on its executor, some time soon.
        virtual void resume() = 0;
    };

    /// A ticket for it, never 0; 0 if the node has ended.
    std::uint64_t add(std::unique_ptr<Waiter> waiter);
    /// The waiter, if it is still there and the node lives.
    std::unique_ptr<Waiter> take(std::uint64_t ticket);
    /// Destroys all that wait, and all that come later.
    void close();
    bool is_closed() const { return closed_; }

    /// True if something may be ready on a loop of the node since the last time: whatever goes on,
    /// goes on by a waiter that was taken, or by somebody who says so.
    bool take_ready() { return std::exchange(is_ready_, false); }
    void set_ready() { is_ready_ = true; }

private:
    bool is_ready_ = true;
    /// A place for one waiter, used again and again; a ticket is good for one of them only.
    struct Place {
        std::uint32_t generation = 1;
        std::unique_ptr<Waiter> waiter;
    };

    bool closed_ = false;
    std::vector<Place> places_;
    std::vector<std::uint32_t> free_;
};

/// One place to wait at, for one coroutine at a time.
class Pause {
public:
    explicit Pause(std::shared_ptr<Parking> parking) : parking_(std::move(parking)) {}
    ~Pause() { wake(); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

    /// Until wake(), or until this is destroyed: touch nothing of the owner afterwards that may be
    /// gone.
    env::Task<void> wait();
    /// Nothing if nobody waits.
    void wake();
    const std::shared_ptr<Parking>& parking() const { return parking_; }

private:
    template <class Handler>
    struct Suspended final : Parking::Waiter {
        explicit Suspended(Handler handler) : handler_(std::move(handler)) {}
        void resume() override {
            const auto executor = boost::asio::get_associated_executor(handler_);
            boost::asio::post(executor, std::move(handler_));
        }
        Handler handler_;
    };

    std::shared_ptr<Parking> parking_;
    std::uint64_t ticket_ = 0;
};

}  // namespace milena::sim
