// SPDX-License-Identifier: Apache-2.0
// Groups of all protocols in the order of their names, page by page: whoever walks over many lets
// others decide in between.
#include <algorithm>

#include "requests.h"

namespace milena::coordinator {
namespace {

/// The next of one kind, at most so many; those of which there is no summary are passed over.
template <class All, class Summarize>
void add_next(std::vector<GroupSummary>& out, const All& all,
              std::optional<std::string_view> behind, std::size_t most,
              const Summarize& summarize) {
    auto at = behind ? all.upper_bound(*behind) : all.begin();
    for (std::size_t added = 0; at != all.end() && added < most; ++at) {
        std::optional<GroupSummary> summary = summarize(at->first, at->second);
        if (!summary) continue;
        out.push_back(*std::move(summary));
        ++added;
    }
}

}  // namespace

std::vector<GroupSummary> summaries_of(const Table& table, std::optional<std::string_view> behind,
                                       std::size_t most) {
    using Summary = std::optional<GroupSummary>;
    std::vector<GroupSummary> out;
    add_next(out, table.classic, behind, most, [](const auto& name, const ClassicGroup& group) {
        return Summary({name, text(group.state()), group.members().size()});
    });
    add_next(out, table.consumers.groups(), behind, most,
             [](const auto& name, const ConsumerGroup& group) {
                 return Summary({name, group.state(), group.members().size()});
             });
    add_next(out, table.others, behind, most, [&](const auto& name, const OtherGroup& group) {
        // One that is about to make way for a classic group counts as that.
        if (table.find(name) != nullptr) return Summary();
        return Summary({name, group.state(), group.members()});
    });
    std::ranges::sort(out, {}, &GroupSummary::group);
    if (out.size() > most) out.resize(most);
    return out;
}

}  // namespace milena::coordinator
