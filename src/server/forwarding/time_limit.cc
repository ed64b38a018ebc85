// SPDX-License-Identifier: Apache-2.0
// Reads a message whose type is learned at run time for one field: nothing else of a forwarded
// request matters to the broker that passes it on.
#include "time_limit.h"

#include <algorithm>

#include "milena/protocol/inspector.h"

namespace milena::server {
namespace {

class TimeoutOfRequest final : public protocol::Inspector {
public:
    using Inspector::Inspector;
    bool wants(const protocol::Field& field, bool) override {
        const std::string_view name = field.name;
        return name == "TimeoutMs" || name == "timeoutMs";
    }
    void leaf(const protocol::Field&, protocol::Leaf place) override {
        if (const auto* const number = std::get_if<std::int32_t*>(&place)) found_ms = **number;
    }
    void list(const protocol::Field&, protocol::List) override {}
    void object(const protocol::Field&, protocol::Object) override {}

    std::optional<std::int32_t> found_ms;
};

std::optional<std::int32_t> timeout_ms(const Request& request, const Api& api) {
    const auto* const type = protocol::find_message_type(std::string(api.facts->name) + "Request");
    if (type == nullptr || !type->has_version(request.version())) return std::nullopt;
    void* const message = protocol::make_message(*type, request.arena);
    ByteReader reader(request.body);
    if (!protocol::decode_message(*type, reader, request.version(), request.arena, message))
        return std::nullopt;
    TimeoutOfRequest inspector(request.version());
    protocol::inspect_message(*type, message, inspector);
    return inspector.found_ms;
}

}  // namespace

env::Instant end_of_patience(const Request& request, const Api& api) {
    const auto asked_ms = timeout_ms(request, api);
    if (!asked_ms) return request.received + kForwardingTime;
    return std::min(request.deadline(*asked_ms), request.received + kForwardingTimeMax);
}

}  // namespace milena::server
