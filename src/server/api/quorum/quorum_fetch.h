// SPDX-License-Identifier: Apache-2.0
// Fetch of the metadata log, on a controller's listener: by the other voters, and by observers
// (KIP-595).
#pragma once

#include "../../request.h"
#include "milena/protocol/messages/fetch.h"

namespace milena::server {

/// Whether the request is for the replica of the metadata quorum rather than for a topic.
bool is_quorum_fetch(const Request& request, const protocol::FetchRequest& body);

env::Task<Result<void>> serve_quorum_fetch(Request& request, const protocol::FetchRequest& body);

}  // namespace milena::server
