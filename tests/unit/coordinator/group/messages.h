// SPDX-License-Identifier: Apache-2.0
// Requests that several tests make.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "milena/coordinator/group_requests.h"

namespace milena::coordinator::test {

Bytes bytes(std::string_view text);
/// What a consumer says when it joins: version 0 and its topics.
Bytes subscription(const std::vector<std::string>& topics);
/// Of a consumer that need not know its id first.
JoinRequest join_request(std::string group, std::string client);
/// From outside the group.
CommitRequest commit_request(std::string group, std::string topic, std::int64_t offset);
/// One partition of a topic.
FetchOffsetsRequest fetch_request(std::string group, std::string topic);

}  // namespace milena::coordinator::test
