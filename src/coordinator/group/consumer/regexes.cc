// SPDX-License-Identifier: Apache-2.0
// Looks patterns up when that is due.
#include "regexes.h"

#include <algorithm>

#include <fmt/format.h>

#include "membership.h"
#include "pattern.h"

namespace milena::coordinator {
namespace {

/// New topics are looked at no more often than this, however often they come.
constexpr std::int64_t kRefreshMinMs = 10'000;

bool has_unresolved(const ConsumerGroup& group) {
    return std::ranges::any_of(
        group.regexes(), [&](const auto& one) { return !group.resolved().contains(one.first); });
}

bool is_due(const Decision& decision, const ConsumerGroup& group) {
    if (group.regexes().empty()) return false;
    if (has_unresolved(group)) return true;
    const std::int64_t age_ms = decision.wall_ms() - group.resolved_ms;
    const bool has_news = group.resolved_version != decision.table.consumers.topics_version();
    if (has_news && (age_ms < 0 || age_ms >= kRefreshMinMs)) return true;
    return age_ms >= decision.table.options.consumer.regex_refresh_interval_ms;
}

}  // namespace

Result<void> check_regex(const std::string& regex) {
    const auto pattern = Pattern::make(regex);
    if (pattern) return ok();
    return fail(ErrorCode::invalid_regular_expression,
                fmt::format("SubscribedTopicRegex `{}` is not a valid regular expression: {}.",
                            regex, pattern.error().why));
}

RegexWork::RegexWork(const Table& table, const ConsumerGroup& group)
    : group_(group.name),
      version_(table.consumers.topics_version()),
      topics_(table.consumers.shared_topics()) {
    for (const auto& [regex, count] : group.regexes()) matched_[regex];
}

void RegexWork::run() {
    for (auto& [regex, names] : matched_) {
        const auto pattern = Pattern::make(regex);
        if (!pattern) continue;
        topics_->each([&](std::string_view name) {
            if (pattern->matches(name)) names.emplace_back(name);
        });
        std::ranges::sort(names);
    }
}

void resolve_if_due(Decision& decision, ConsumerGroup& group) {
    if (group.resolving != nullptr || !is_due(decision, group)) return;
    auto work = std::make_shared<RegexWork>(decision.table, group);
    group.resolving = work.get();
    decision.start(std::move(work));
}

void resolved(Decision& decision, const RegexWork& work) {
    ConsumerGroup* const group = decision.table.find_consumer(work.group());
    if (group == nullptr || group->resolving != &work) return;
    group->resolving = nullptr;
    group->resolved_ms = decision.wall_ms();
    group->resolved_version = work.version();
    std::optional<RebalanceReason> why;
    for (const auto& [regex, topics] : work.matched()) {
        if (!group->regexes().contains(regex)) continue;
        const auto before = group->resolved().find(regex);
        const bool is_same = before != group->resolved().end() && before->second.topics == topics;
        if (is_same) continue;
        // That nothing matches a new pattern is no news to an assignor.
        const bool is_known = before != group->resolved().end();
        if (is_known || !topics.empty()) {
            why = {.cause = is_known ? RebalanceCause::topics_changed
                                     : RebalanceCause::subscription_changed};
        }
        decision.change(*group,
                        RegexChange{regex, ResolvedRegex{.topics = topics,
                                                         .version = work.version(),
                                                         .resolved_ms = decision.wall_ms()}});
    }
    if (why) advance_epoch(decision, *group, std::move(why));
}

}  // namespace milena::coordinator
