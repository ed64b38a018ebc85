// SPDX-License-Identifier: Apache-2.0
// ListGroups: the groups of all protocols, by state and type. What a filter says that is no state
// or type fits nothing.
#include <algorithm>
#include <cctype>

#include "requests.h"

namespace milena::coordinator {
namespace {

bool is_same(std::string_view a, std::string_view b) {
    return std::ranges::equal(
        a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string_view trimmed(std::string_view text) {
    const auto is_space = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

bool fits(const std::vector<std::string>& states, std::string_view state) {
    return states.empty() || std::ranges::any_of(states, [&](const std::string& wanted) {
               return is_same(trimmed(wanted), state);
           });
}

bool fits(const std::vector<std::string>& types, GroupKind kind) {
    return types.empty() || std::ranges::any_of(types, [&](const std::string& wanted) {
               return is_same(wanted, text(kind));
           });
}

}  // namespace

void list(Decision& decision, Ticket ticket, const ListGroupsRequest& request) {
    ListGroupsReply reply;
    const auto add = [&](const std::string& name, std::string_view type, std::string_view state,
                         GroupKind kind) {
        if (!fits(request.states, state) || !fits(request.types, kind)) return;
        reply.groups.push_back({.group = name,
                                .protocol_type = std::string(type),
                                .state = std::string(state),
                                .type = std::string(text(kind))});
    };
    for (const auto& [name, group] : decision.table.classic)
        add(name, group.protocol_type.value_or(""), text(group.state()), GroupKind::classic);
    for (const auto& [name, group] : decision.table.others) {
        // One that is about to make way for a classic group is listed as that.
        if (decision.table.find(name) == nullptr)
            add(name, text(group.kind()), group.state(), group.kind());
    }
    decision.answer(ticket, std::move(reply));
}

}  // namespace milena::coordinator
