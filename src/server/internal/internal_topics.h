// SPDX-License-Identifier: Apache-2.0
// Topics that brokers make by themselves when they are first needed.
#pragma once

#include <optional>
#include <span>

#include "milena/protocol/messages/create_topics.h"
#include "request.h"

namespace milena::server {

inline constexpr std::string_view kOffsetsTopic = "__consumer_offsets";

/// How this broker makes the internal topic of that name; nothing if it makes no such topic by
/// itself. In the arena of the request.
std::optional<protocol::CreateTopicsRequest::CreatableTopic> internal_topic(const Request& request,
                                                                            std::string_view name);

/// Has the active controller make them; what could not be made is logged. Returns when this node
/// shows them, or after a few seconds.
env::Task<void> create_by_itself(
    const Request& request, std::span<const protocol::CreateTopicsRequest::CreatableTopic> topics);

}  // namespace milena::server
