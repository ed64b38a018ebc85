// SPDX-License-Identifier: Apache-2.0
// Looks patterns up with RE2, which is known to this file alone.
#include "regexes.h"

#include <algorithm>

#include <fmt/format.h>
#include <re2/re2.h>

#include "membership.h"

namespace milena::coordinator {
namespace {

/// New topics are looked at no more often than this, however often they come.
constexpr std::int64_t kRefreshMinMs = 10'000;

RE2::Options quiet() {
    RE2::Options options;
    options.set_log_errors(false);
    return options;
}

/// As Kafka's own library says it.
std::string_view text(RE2::ErrorCode code) {
    switch (code) {
        case RE2::NoError:
        case RE2::ErrorInternal: break;
        case RE2::ErrorBadEscape: return "invalid escape sequence";
        case RE2::ErrorBadCharClass: return "invalid character class";
        case RE2::ErrorBadCharRange: return "invalid character class range";
        case RE2::ErrorMissingBracket: return "missing closing ]";
        case RE2::ErrorMissingParen: return "missing closing )";
        case RE2::ErrorUnexpectedParen: return "unexpected )";
        case RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
        case RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
        case RE2::ErrorRepeatSize: return "invalid repeat count";
        case RE2::ErrorRepeatOp: return "invalid nested repetition operator";
        case RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
        case RE2::ErrorBadUTF8: return "invalid UTF-8";
        case RE2::ErrorBadNamedCapture: return "invalid named capture";
        case RE2::ErrorPatternTooLarge: return "expression too large";
    }
    return "internal error";
}

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
    const RE2 pattern(regex, quiet());
    if (pattern.ok()) return ok();
    return fail(ErrorCode::invalid_regular_expression,
                fmt::format("SubscribedTopicRegex `{}` is not a valid regular expression: {}.",
                            regex, text(pattern.error_code())));
}

RegexWork::RegexWork(const Table& table, const ConsumerGroup& group)
    : group_(group.name),
      version_(table.consumers.topics_version()),
      topics_(table.consumers.shared_topics()) {
    for (const auto& [regex, count] : group.regexes()) matched_[regex];
}

void RegexWork::run() {
    for (auto& [regex, names] : matched_) {
        const RE2 pattern(regex, quiet());
        if (!pattern.ok()) continue;
        topics_->each([&](std::string_view name) {
            if (RE2::FullMatch(re2::StringPiece(name.data(), name.size()), pattern))
                names.emplace_back(name);
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
    bool has_changed = false;
    for (const auto& [regex, topics] : work.matched()) {
        if (!group->regexes().contains(regex)) continue;
        const auto before = group->resolved().find(regex);
        const bool is_same = before != group->resolved().end() && before->second.topics == topics;
        if (is_same) continue;
        // That nothing matches a new pattern is no news to an assignor.
        has_changed |= before != group->resolved().end() || !topics.empty();
        decision.change(*group,
                        RegexChange{regex, ResolvedRegex{.topics = topics,
                                                         .version = work.version(),
                                                         .resolved_ms = decision.wall_ms()}});
    }
    if (has_changed) advance_epoch(decision, *group, true);
}

}  // namespace milena::coordinator
