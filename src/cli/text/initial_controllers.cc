// SPDX-License-Identifier: Apache-2.0
// id@host:port:directory-id; hosts may hold colons, so the text is taken apart from its ends.
#include "text/initial_controllers.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace milena::cli {
namespace {

template <class Number>
bool parse_whole(std::string_view digits, Number& number) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && end == digits.data() + digits.size();
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

Result<raft::Voter> parse_one(std::string_view text, std::string_view listener) {
    const auto wrong = [&](std::string_view what) {
        return fail(ErrorCode::invalid_request,
                    fmt::format("{} {} is to be id@host:port:directory-id", what, text));
    };
    const auto at = text.find('@');
    if (at == std::string_view::npos) return wrong("No @ found in dynamic voter string.");
    const auto last = text.rfind(':');
    if (last == std::string_view::npos || last < at)
        return wrong("No colon following hostname could be found.");
    const auto middle = text.substr(at + 1, last - at - 1);
    const auto colon = middle.rfind(':');
    if (colon == std::string_view::npos) return wrong("No colon following port could be found.");
    if (colon == 0) return wrong("Hostname is empty in dynamic voter string.");
    raft::Voter voter;
    raft::VoterEndpoint endpoint{std::string(listener), std::string(middle.substr(0, colon)), 0};
    const auto directory = Uuid::parse(text.substr(last + 1));
    if (!parse_whole(text.substr(0, at), voter.key.id.value) || voter.key.id.value < 0)
        return wrong("Failed to parse node id in dynamic voter string.");
    if (!parse_whole(middle.substr(colon + 1), endpoint.port))
        return wrong("Failed to parse port in dynamic voter string.");
    if (!directory) return wrong("Failed to parse directory ID in dynamic voter string.");
    voter.key.directory = *directory;
    voter.endpoints.push_back(std::move(endpoint));
    return voter;
}

}  // namespace

Result<std::vector<raft::Voter>> parse_initial_controllers(std::string_view text,
                                                           std::string_view listener) {
    if (trimmed(text).empty()) return fail(ErrorCode::invalid_request, "No voters given.");
    std::vector<raft::Voter> voters;
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        TRY(auto voter, parse_one(trimmed(text.substr(0, comma)), listener));
        for (const auto& other : voters) {
            if (other.key.id != voter.key.id) continue;
            return fail(ErrorCode::invalid_request,
                        fmt::format("Node id {} was specified more than once.", voter.key.id));
        }
        voters.push_back(std::move(voter));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return voters;
}

std::string initial_controllers_text(const std::vector<raft::Voter>& voters) {
    std::string all;
    for (const raft::Voter& voter : voters) {
        const raft::VoterEndpoint& endpoint = voter.endpoints.front();
        all += fmt::format("{}{}@{}:{}:{}", all.empty() ? "" : ",", voter.key.id, endpoint.host,
                           endpoint.port, voter.key.directory);
    }
    return all;
}

}  // namespace milena::cli
