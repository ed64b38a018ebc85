// SPDX-License-Identifier: Apache-2.0
// The way of a client's request to the active controller, wherever that is (KIP-590).
#pragma once

#include <vector>

#include "milena/base/bytes.h"
#include "milena/base/ids.h"
#include "milena/base/result.h"
#include "milena/env/clock.h"
#include "milena/env/task.h"

namespace milena::server {

/// A request, and who sent it, in the forms in which they travel. The views outlive the call.
struct ForwardedRequest {
    BytesView frame;  ///< header and body, as the client sent them
    BytesView principal;
    BytesView client_address;
};

class ControllerPort {
public:
    virtual ~ControllerPort() = default;

    struct Reached {
        /// This node decides: the request is to be served here.
        bool is_here = false;
        /// Else the answer, header and body, as the active controller's node gave it.
        std::vector<std::byte> answer{};
    };
    /// Tries at once, and until `deadline` as long as there is no controller or the one that was
    /// asked is lost before it answers; what it was asked may have happened then.
    ///
    /// REQUEST_TIMED_OUT at the deadline, THROTTLING_QUOTA_EXCEEDED if too many requests are on
    /// their way, NOT_CONTROLLER if this node stops; UNSUPPORTED_VERSION if the controller can't
    /// read the request, UNKNOWN_SERVER_ERROR if it refuses this node. From any executor; goes on
    /// there.
    virtual env::Task<Result<Reached>> ask(ForwardedRequest request, env::Instant deadline) = 0;

    /// Until this node's image holds whatever the active controller has committed by now, or
    /// `deadline`. From any executor; goes on there.
    virtual env::Task<void> catch_up(env::Instant deadline) = 0;

    /// The active controller as far as this node knows; kNoBroker if it knows none. From any
    /// executor; goes on there.
    virtual env::Task<BrokerId> active_controller() = 0;
};

}  // namespace milena::server
