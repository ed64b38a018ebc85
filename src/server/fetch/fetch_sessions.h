// SPDX-License-Identifier: Apache-2.0
// The fetch sessions of this broker, by their id; as many as
// max.incremental.fetch.session.cache.slots says. With them what those pay from who fetch many
// partitions without a session. From any thread.
#pragma once

#include "fetch_session.h"
#include "milena/env/byte_budget.h"
#include "milena/env/env.h"
#include "milena/telemetry/page.h"
#include "session_slots.h"

namespace milena::server {

class FetchSessions {
public:
    /// `sessionless_bytes_max` is for the partitions of large requests that have no session.
    FetchSessions(env::Env& env, std::size_t slots, std::uint64_t sessionless_bytes_max)
        : env_(env), slots_(slots), sessionless_budget_(sessionless_bytes_max) {}

    /// Null if there is none.
    std::shared_ptr<FetchSession> find(std::int32_t id) const;
    /// Opens a session with what `body`, a full request, asks, and `parts` was answered to it. Its
    /// id; 0 if none is to be had.
    std::int32_t open(const protocol::FetchRequest& body, std::int16_t version, bool is_follower,
                      std::span<const FetchPart> parts);
    /// A turn of the session was begun. False if it has too many partitions now: then it has ended.
    bool touch(FetchSession& session, const SessionTurn& turn);
    /// Ends the session, if there is one.
    void remove(std::int32_t id);

    /// Its own, so that neither producers keep fetches waiting nor fetches producers.
    env::ByteBudget& sessionless_budget() { return sessionless_budget_; }

    /// How many there are, and what they hold.
    void write_metrics(telemetry::Page& page) const;

private:
    env::Env& env_;
    env::Guarded<SessionSlots> slots_;
    env::ByteBudget sessionless_budget_;
};

}  // namespace milena::server
