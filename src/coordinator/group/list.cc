// SPDX-License-Identifier: Apache-2.0
// ListGroups: the groups of all protocols, by state and type. What a filter says that is no state
// or type fits nothing.
#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <span>

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

/// Of groups of all protocols; NotReady of those of streams.
constexpr std::array<std::string_view, 8> kStates{
    "PreparingRebalance", "CompletingRebalance", "Stable",  "Dead", "Empty",
    "Assigning",          "Reconciling",         "NotReady"};
constexpr std::array kKinds{GroupKind::classic, GroupKind::consumer, GroupKind::share,
                            GroupKind::streams};

/// A word that no group has.
constexpr std::string_view kNone = "-";

std::vector<std::string> known(const std::vector<std::string>& wanted,
                               std::span<const std::string_view> words, bool trims) {
    std::set<std::string> found;
    for (const std::string& one : wanted) {
        const std::string_view text = trims ? trimmed(one) : std::string_view(one);
        const auto word =
            std::ranges::find_if(words, [&](std::string_view w) { return is_same(w, text); });
        if (word != words.end()) found.emplace(*word);
    }
    if (found.empty() && !wanted.empty()) found.emplace(kNone);
    return {found.begin(), found.end()};
}

bool fits(const std::vector<std::string>& wanted, std::string_view word) {
    return wanted.empty() || std::ranges::find(wanted, word) != wanted.end();
}

}  // namespace

ListGroupsRequest resolved(const ListGroupsRequest& request) {
    std::vector<std::string_view> kinds;
    for (const GroupKind kind : kKinds) kinds.push_back(text(kind));
    return {.states = known(request.states, kStates, true),
            .types = known(request.types, kinds, false)};
}

void list(Decision& decision, Ticket ticket, const ListGroupsRequest& request) {
    ListGroupsReply reply;
    const ListGroupsRequest wanted = resolved(request);
    const auto add = [&](const std::string& name, std::string_view type, std::string_view state,
                         GroupKind kind) {
        if (!fits(wanted.states, state) || !fits(wanted.types, text(kind))) return;
        reply.groups.push_back({.group = name,
                                .protocol_type = std::string(type),
                                .state = std::string(state),
                                .type = std::string(text(kind))});
    };
    for (const auto& [name, group] : decision.table.classic)
        add(name, group.protocol_type.value_or(""), text(group.state()), GroupKind::classic);
    for (const auto& [name, group] : decision.table.consumers.groups())
        add(name, "consumer", group.state(), GroupKind::consumer);
    for (const auto& [name, group] : decision.table.others) {
        // One that is about to make way for a classic group is listed as that.
        if (decision.table.find(name) == nullptr)
            add(name, text(group.kind()), group.state(), group.kind());
    }
    decision.answer(ticket, std::move(reply));
}

}  // namespace milena::coordinator
