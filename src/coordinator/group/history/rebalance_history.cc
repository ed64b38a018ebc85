// SPDX-License-Identifier: Apache-2.0
// Each step of a rebalance is a copy of the one before with what is new.
#include "rebalance_history.h"

#include <algorithm>
#include <utility>

namespace milena::coordinator {
namespace {

/// A client may write a book.
constexpr std::size_t kWordsMax = 256;
constexpr std::size_t kNameMax = 255;

}  // namespace

std::int64_t whole_ms(env::Duration time) {
    return std::max<std::int64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(time).count(), 0);
}

std::string kept_words(std::string_view said) {
    return std::string(said.substr(0, kWordsMax));
}

GroupMemberName kept_name(std::string_view member_id, std::string_view instance_id,
                          std::string_view client_id, std::string_view client_host) {
    const auto kept = [](std::string_view name) { return std::string(name.substr(0, kNameMax)); };
    return {.member_id = kept(member_id),
            .instance_id = kept(instance_id),
            .client_id = kept(client_id),
            .client_host = kept(client_host)};
}

SharedHistory begun(const SharedHistory& last, RebalanceReason reason, env::Instant now) {
    const bool goes_on = last != nullptr && !last->is_over;
    return std::make_shared<const RebalanceHistory>(
        RebalanceHistory{.reason = std::move(reason),
                         .began = goes_on ? last->began : now,
                         .round_began = now,
                         .rounds = goes_on ? last->rounds + 1 : 1});
}

SharedHistory ended(const RebalanceHistory& rebalance, env::Instant now, GroupMemberName slowest,
                    std::int64_t slowest_ms) {
    RebalanceHistory over = rebalance;
    over.is_over = true;
    over.ended = now;
    over.slowest = std::move(slowest);
    over.slowest_ms = slowest_ms;
    return std::make_shared<const RebalanceHistory>(std::move(over));
}

std::optional<GroupFacts::Rebalance> fact_of(const SharedHistory& rebalance, env::Instant now) {
    if (rebalance == nullptr) return std::nullopt;
    return GroupFacts::Rebalance{
        .reason = rebalance->reason,
        .began_ago_ms = whole_ms(now - rebalance->began),
        .rounds = rebalance->rounds,
        .took_ms = rebalance->is_over ? whole_ms(rebalance->ended - rebalance->began) : -1,
        .slowest = rebalance->slowest,
        .slowest_ms = rebalance->slowest_ms};
}

}  // namespace milena::coordinator
