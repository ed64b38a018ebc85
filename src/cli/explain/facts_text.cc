// SPDX-License-Identifier: Apache-2.0
// A table for each kind of word: what it means, and what to do.
#include "explain/facts_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace milena::cli {
namespace {

/// No list in a text names more.
constexpr std::size_t kNamedMax = 5;

struct Cause {
    std::string_view word;
    std::string_view meaning;  ///< "{}" is the member
    std::string_view remedy;
};
constexpr std::array kCauses{
    Cause{"member_joined", "{} joined",
          "Each coming and going makes the others stop; processes that only restart keep their "
          "places if each has a group.instance.id."},
    Cause{"member_left", "{} left",
          "Each coming and going makes the others stop; processes that only restart keep their "
          "places if each has a group.instance.id."},
    Cause{
        "session_timeout", "{} was silent until its session had ended",
        "See whether its process lives and reaches the broker; if it only pauses, give it a longer "
        "session.timeout.ms."},
    Cause{"rebalance_timeout", "{} did not do in time what the last rebalance asked of it",
          "Let it read less at once (max.poll.records), or give it more time "
          "(max.poll.interval.ms)."},
    Cause{"subscription_changed", "{} wants other topics than before, or knows other assignors",
          "If that was not meant, see that all its members run with the same configuration."},
    Cause{"leader_rejoined", "its leader {} asked for it, as it does when partitions have changed",
          "If nobody has changed them and it comes often, the leader's log says why."},
    Cause{"instance_returned", "the process of {} has started again in the midst of another one",
          "Nothing is to be done."},
    Cause{"topics_changed", "its topics came or went, or have other partitions",
          "Nothing is to be done."},
    Cause{"assignment_not_stored", "its assignment could not be stored",
          "See whether __consumer_offsets has enough replicas: milena topics --describe "
          "--under-min-isr-partitions."},
    Cause{"protocol_changed", "{}, the last with group.protocol=consumer, has left it",
          "Nothing is to be done."},
    Cause{"group_too_large", "it has more members than group.max.size",
          "Stop some, or raise group.max.size on the brokers."},
};

struct Step {
    std::string_view word;
    std::string_view task;
    std::string_view remedy;
};
constexpr std::array kSteps{
    Step{"join", "to join again",
         "A member that is busy with what it has read holds all others up. If that comes often, "
         "let it read less at once (max.poll.records)."},
    Step{"come_with_id", "to come with the id that it was given",
         "If its process has ended meanwhile nothing is to be done: it is not waited for any "
         "longer."},
    Step{"assign", "to deal the partitions as their leader",
         "That takes moments; if it lasts, the leader's log says why."},
    Step{"sync", "to ask for its assignment",
         "That takes moments; if it lasts, see whether its process lives."},
    Step{"revoke", "to give partitions up that others are to have",
         "It does when it has finished what it has read. If that takes long, let it read less at "
         "once (max.poll.records)."},
    Step{"heartbeat", "to come for its assignment",
         "It does with its next heartbeat; if it does not, see whether its process lives."},
    Step{"come_back", "to come back, as its instance has said it would",
         "Start its process again; if it shall not come back, its place is free when its session "
         "ends."},
};

template <class Row, std::size_t kCount>
const Row* find(const std::array<Row, kCount>& rows, std::string_view word) {
    const auto found = std::ranges::find(rows, word, &Row::word);
    return found == rows.end() ? nullptr : &*found;
}

/// Words of a client, which may hold what a terminal obeys.
std::string printable(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '?');
    return text;
}

std::string called(const NamedMember& member) {
    std::string text = printable(member.instance_id.empty() ? member.id : member.instance_id);
    if (!member.host.empty()) text += " at " + member.host;
    return text;
}

/// With what it is known by where it runs.
std::string introduced(const NamedMember& member) {
    if (member.client_id.empty()) return called(member);
    return fmt::format("{} (client {})", called(member), printable(member.client_id));
}

std::string meaning_of(const GroupFacts::Rebalance& rebalance) {
    const Cause* const cause = find(kCauses, rebalance.cause);
    std::string text =
        cause == nullptr ? "of " + printable(rebalance.cause) : std::string(cause->meaning);
    const std::string who = rebalance.by.id.empty() ? "somebody" : introduced(rebalance.by);
    if (const auto place = text.find("{}"); place != std::string::npos) text.replace(place, 2, who);
    if (!rebalance.said.empty()) text += fmt::format(" (\"{}\")", printable(rebalance.said));
    return text;
}

std::string_view remedy_of(const GroupFacts::Rebalance& rebalance) {
    const Cause* const cause = find(kCauses, rebalance.cause);
    return cause == nullptr ? "A later version of this tool knows what that is." : cause->remedy;
}

std::string awaited_one(const GroupFacts::Awaited& one) {
    const Step* const step = find(kSteps, one.step);
    std::string text =
        fmt::format("{} {}", introduced(one.member), step == nullptr ? one.step : step->task);
    if (one.removed_in_ms >= 0)
        text += fmt::format(", for {} more at most", time_text(one.removed_in_ms));
    return text;
}

/// "in 6 d 23 h", or "with the next check" if that is over.
std::string expiry(std::int64_t in_ms) {
    return in_ms == 0 ? "with the next check" : "in " + time_text(in_ms);
}

std::string expiring_one(const GroupFacts::Expiring& one) {
    const std::string_view partitions = one.partitions == 1 ? "partition" : "partitions";
    const std::string first = expiry(one.first_in_ms);
    const std::string last = expiry(one.last_in_ms);
    if (first == last)
        return fmt::format("{} ({} {}) {}", one.topic, one.partitions, partitions, first);
    return fmt::format("{} ({} {}), the first {}, the last {}", one.topic, one.partitions,
                       partitions, first, last);
}

}  // namespace

std::string time_text(std::int64_t ms) {
    constexpr std::int64_t kSecond = 1000;
    constexpr std::int64_t kMinute = 60 * kSecond;
    constexpr std::int64_t kHour = 60 * kMinute;
    constexpr std::int64_t kDay = 24 * kHour;
    if (ms < 10 * kSecond) return fmt::format("{}.{} s", ms / kSecond, ms % kSecond / 100);
    if (ms < 2 * kMinute) return fmt::format("{} s", ms / kSecond);
    if (ms < kHour) return fmt::format("{} min", ms / kMinute);
    if (ms < kDay) return fmt::format("{} h {} min", ms / kHour, ms % kHour / kMinute);
    return fmt::format("{} d {} h", ms / kDay, ms % kDay / kHour);
}

std::string age_text(const GroupFacts& facts) {
    if (facts.state_age_ms < 0) return "";
    if (facts.is_since_take_over) {
        return fmt::format(", for at least {}, since its coordinator took over",
                           time_text(facts.state_age_ms));
    }
    return fmt::format(", for {} now", time_text(facts.state_age_ms));
}

std::string rebalance_text(const GroupFacts& facts) {
    if (!facts.rebalance) return "";
    const GroupFacts::Rebalance& last = *facts.rebalance;
    const std::string in_a_row = last.rounds < 2
                                     ? ""
                                     : fmt::format(" {} before it {} broken off.", last.rounds - 1,
                                                   last.rounds == 2 ? "was" : "were");
    if (last.took_ms < 0) {
        return fmt::format("Its rebalance has lasted for {}: {}.{} {}\n",
                           time_text(last.began_ago_ms), meaning_of(last), in_a_row,
                           remedy_of(last));
    }
    const std::string slowest = last.slowest.id.empty() || last.slowest_ms == 0
                                    ? ""
                                    : fmt::format(" The slowest was {}, after {}.",
                                                  called(last.slowest), time_text(last.slowest_ms));
    return fmt::format("Its last rebalance began {} ago and took {}: {}.{}{} {}\n",
                       time_text(last.began_ago_ms), time_text(last.took_ms), meaning_of(last),
                       in_a_row, slowest, remedy_of(last));
}

std::string awaited_text(const GroupFacts& facts) {
    if (facts.awaited.empty()) return "";
    const std::size_t shown = std::min(facts.awaited.size(), kNamedMax);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < shown; ++i) names.push_back(awaited_one(facts.awaited[i]));
    std::string text = fmt::format("It waits for {}", fmt::join(names, "; for "));
    if (facts.awaited_count > shown)
        text += fmt::format("; and for {} more", facts.awaited_count - shown);
    const Step* const step = find(kSteps, facts.awaited.front().step);
    if (step == nullptr) return text + ".\n";
    return fmt::format("{}. {}\n", text, step->remedy);
}

std::string expiring_text(const GroupFacts& facts) {
    if (facts.expiring.empty()) return "";
    std::vector<GroupFacts::Expiring> sorted = facts.expiring;
    std::ranges::sort(sorted, {}, [](const GroupFacts::Expiring& one) {
        return std::pair(one.first_in_ms, std::string_view(one.topic));
    });
    const std::size_t shown = std::min(sorted.size(), kNamedMax);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < shown; ++i) names.push_back(expiring_one(sorted[i]));
    std::string text = fmt::format("Offsets that nobody uses expire: {}", fmt::join(names, "; "));
    if (sorted.size() > shown)
        text += fmt::format("; and of {} more topics", sorted.size() - shown);
    return text +
           ". Start consumers of their topics before that to keep them; brokers keep unused "
           "offsets "
           "for offsets.retention.minutes.\n";
}

}  // namespace milena::cli
