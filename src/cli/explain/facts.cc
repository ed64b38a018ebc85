// SPDX-License-Identifier: Apache-2.0
// The blob's version stands before it; of a later one what is known here is read.
#include "explain/facts.h"

#include <algorithm>

#include "milena/protocol/codec.h"
#include "milena/protocol/messages/milena.h"

namespace milena::cli {
namespace {

using protocol::MilenaGroupFacts;

NamedMember named(const MilenaGroupFacts::Member& told) {
    return {.id = std::string(told.member_id),
            .instance_id = std::string(told.instance_id),
            .client_id = std::string(told.client_id),
            .host = std::string(told.client_host)};
}

GroupFacts::Rebalance rebalance_of(const MilenaGroupFacts::Rebalance& told) {
    return {.cause = std::string(told.cause),
            .by = named(told.caused_by),
            .said = std::string(told.said),
            .began_ago_ms = told.began_ago_ms,
            .rounds = told.rounds,
            .took_ms = told.took_ms,
            .slowest = named(told.slowest),
            .slowest_ms = told.slowest_ms};
}

}  // namespace

std::optional<GroupFacts> parse_facts(BytesView blob) {
    if (blob.size() < sizeof(std::int16_t)) return std::nullopt;
    const auto version = load<std::int16_t>(blob.data());
    if (version < 0) return std::nullopt;
    protocol::Arena arena;
    const auto told = protocol::decode<MilenaGroupFacts>(
        blob.subspan(sizeof version), std::min(version, MilenaGroupFacts::kMaxVersion), arena);
    if (!told) return std::nullopt;
    GroupFacts facts{.state_age_ms = told->state_age_ms,
                     .is_since_take_over = told->is_since_take_over};
    if (told->rebalance) facts.rebalance = rebalance_of(*told->rebalance);
    facts.awaited_count = static_cast<std::size_t>(std::max(told->awaited_count, 0));
    for (const auto& one : told->awaited) {
        facts.awaited.push_back({.member = named(one.member),
                                 .step = std::string(one.step),
                                 .removed_in_ms = one.removed_in_ms});
    }
    for (const auto& one : told->expiring) {
        facts.expiring.push_back({.topic = std::string(one.topic_name),
                                  .partitions = one.partitions,
                                  .first_in_ms = one.first_in_ms,
                                  .last_in_ms = one.last_in_ms});
    }
    return facts;
}

}  // namespace milena::cli
