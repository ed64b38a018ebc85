// SPDX-License-Identifier: Apache-2.0
// What the handlers of groups have in common: the right on a group, the question to its coordinator
// and what is copied from a request that the coordinator keeps.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../request.h"
#include "milena/coordinator/group_gateway.h"

namespace milena::server {

bool may_group(const Request& request, security::Operation operation, std::string_view group);

std::optional<std::string> owned(const protocol::NullableString& text);
coordinator::Bytes owned(BytesView bytes);
protocol::NullableString nullable(const std::optional<std::string>& text);

/// What the group's coordinator answers. It is asked from the connection's core, and the request
/// waits; so does the next one of the connection. COORDINATOR_NOT_AVAILABLE where there are none.
env::Task<Result<coordinator::GroupReply>> ask_coordinator(Request& request, std::string_view group,
                                                           coordinator::GroupRequest question);

/// The same for a question of one kind.
template <class Reply>
env::Task<Result<Reply>> ask_coordinator_for(Request& request, std::string_view group,
                                             coordinator::GroupRequest question) {
    CO_TRY(auto reply, co_await ask_coordinator(request, group, std::move(question)));
    co_return std::get<Reply>(std::move(reply));
}

/// What the answers of one request may take together: a small request must not make one of
/// gigabytes by naming large groups, or one again and again. Who asks while something is left is
/// answered whole; the rest is POLICY_VIOLATION (docs/deviations.md).
class AnswerBudget {
public:
    static constexpr std::size_t kBytesMax = 64UL << 20;

    bool is_spent() const { return left_ == 0; }
    void spend(std::size_t bytes) { left_ -= std::min(bytes, left_); }

private:
    std::size_t left_ = kBytesMax;
};

/// Of names that may come twice each once, where it came first.
std::vector<std::string_view> each_once(std::span<const std::string_view> names);

// What an answer takes, roughly.
std::size_t bytes_of(const coordinator::FetchOffsetsReply& reply);
std::size_t bytes_of(const coordinator::DescribeGroupReply& reply);
std::size_t bytes_of(const coordinator::DescribeConsumerGroupReply& reply);

}  // namespace milena::server
