// SPDX-License-Identifier: Apache-2.0
// Questions to coordinators, and texts that outlive their frame.
#include "asking.h"

namespace milena::server {

bool may_group(const Request& request, security::Operation operation, std::string_view group) {
    return request.session.may(operation, security::ResourceType::group, group);
}

std::optional<std::string> owned(const protocol::NullableString& text) {
    return text ? std::optional<std::string>(*text) : std::nullopt;
}

coordinator::Bytes owned(BytesView bytes) {
    return {bytes.begin(), bytes.end()};
}

protocol::NullableString nullable(const std::optional<std::string>& text) {
    return text ? protocol::NullableString(*text) : protocol::NullableString();
}

env::Task<Result<coordinator::GroupReply>> ask_coordinator(Request& request, std::string_view group,
                                                           coordinator::GroupRequest question) {
    coordinator::GroupGateway* const groups = request.broker().groups;
    if (groups == nullptr)
        co_return fail(ErrorCode::coordinator_not_available, "no groups are coordinated here");
    const Waiting waiting(request);
    co_return co_await groups->ask(request.connection.owner(), group, std::move(question));
}

}  // namespace milena::server
