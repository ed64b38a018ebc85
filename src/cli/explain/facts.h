// SPDX-License-Identifier: Apache-2.0
// What a Milena coordinator tells of a group beyond Kafka's answers: a blob in a tagged field of
// DescribeGroups and ConsumerGroupDescribe, which only who asks for it gets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "milena/base/bytes.h"

namespace milena::cli {

/// All empty: nobody.
struct NamedMember {
    std::string id;
    std::string instance_id;
    std::string client_id;
    std::string host;
};

/// Ages, and times that are left, when the answer was given.
struct GroupFacts {
    std::int64_t state_age_ms = -1;   ///< −1: not known
    bool is_since_take_over = false;  ///< the state is at least as old
    struct Rebalance {
        std::string cause;  ///< a word; a later broker may have others than those known here
        NamedMember by;
        std::string said;
        std::int64_t began_ago_ms = 0;
        std::int32_t rounds = 1;
        std::int64_t took_ms = -1;  ///< −1: it is under way
        NamedMember slowest;
        std::int64_t slowest_ms = 0;
    };
    std::optional<Rebalance> rebalance{};
    struct Awaited {
        NamedMember member;
        std::string step;
        std::int64_t removed_in_ms = -1;
    };
    std::size_t awaited_count = 0;
    std::vector<Awaited> awaited{};  ///< the first of them
    struct Expiring {
        std::string topic;
        std::int32_t partitions = 0;
        std::int64_t first_in_ms = 0;
        std::int64_t last_in_ms = 0;
    };
    std::vector<Expiring> expiring{};
};

/// Nothing if the broker has told nothing, or what this tool can't read.
std::optional<GroupFacts> parse_facts(BytesView blob);

}  // namespace milena::cli
