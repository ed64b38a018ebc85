// SPDX-License-Identifier: Apache-2.0
// A Fetch that goes on with a session: asks the partitions with news only, those that get some
// while it waits too, and answers with what the client does not know yet.
#pragma once

#include "../fetching.h"
#include "fetch_session.h"
#include "untold_high_watermark.h"

namespace milena::server {

class SessionFetch {
public:
    /// `turn` has begun.
    SessionFetch(Request& request, const protocol::FetchRequest& body,
                 std::shared_ptr<FetchSession> session, const SessionTurn& turn);

    /// Until there is enough, `deadline` comes, or the connection is closed. A follower does not
    /// wait as long where a high watermark has moved that it was not told, nor once it has
    /// something else to ask on its connection.
    env::Task<void> gather(env::Instant deadline);
    Result<void> answer();

private:
    bool ask_due();
    void ask(const DuePartition& due, const metadata::Image& image);
    env::Task<void> wait(env::Instant deadline);

    Request& request_;
    const std::shared_ptr<FetchSession> session_;
    const SessionTurn turn_;
    Fetching fetching_;
    UntoldHighWatermark untold_;
};

/// The answer to a request that can't go on with its session: no partitions.
Result<void> answer_session_error(Request& request, ErrorCode code, std::int32_t session_id = 0);

}  // namespace milena::server
