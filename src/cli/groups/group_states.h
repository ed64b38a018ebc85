// SPDX-License-Identifier: Apache-2.0
// Groups as their coordinators describe them: state, members, and what they are assigned.
#pragma once

#include <optional>
#include <set>

#include "cluster/offsets.h"
#include "explain/facts.h"

namespace milena::cli {

/// Partitions of topics.
using Assigned = std::map<std::string, std::set<std::int32_t>>;

/// How many they are.
std::size_t count(const Assigned& partitions);

struct MemberState {
    std::string id;
    std::string instance_id;  ///< empty unless the member is a static one
    std::string client_id;
    std::string host;
    Assigned assigned;
    std::optional<Assigned> target;     ///< what it shall have; classic groups do not tell
    std::optional<std::int32_t> epoch;  ///< of the member; classic groups do not tell
    std::vector<std::string> topics{};  ///< what it subscribes to, if that is told
};

struct GroupDescription {
    std::string name;
    std::string state;     ///< "Stable", "Empty", "Dead", …
    std::string assignor;  ///< empty if there is none now
    BrokerId coordinator = kNoBroker;
    env::Endpoint endpoint{};  ///< of the coordinator
    bool is_classic = true;
    std::optional<std::int32_t> epoch{};             ///< classic groups have none
    std::optional<std::int32_t> assignment_epoch{};  ///< nor this
    std::vector<MemberState> members{};              ///< as they came
    /// If they were asked for, and the coordinator is one of Milena's.
    std::optional<GroupFacts> facts{};

    /// Members are there and it is not settled who has what.
    bool is_rebalancing() const;
    /// Nobody is in it: its offsets can be changed.
    bool is_inactive() const { return state == "Empty" || state == "Dead"; }
};

/// A description, or why there is none.
using GroupDescriptions = std::map<std::string, Result<GroupDescription>>;

enum class Telling : std::uint8_t {
    as_kafka,
    with_facts,  ///< what Milena's coordinators know beyond that
};

/// Asks the coordinators. A group that is not one of consumers, or does not exist, has an error of
/// its own.
env::Task<Result<GroupDescriptions>> describe_groups(Session& session,
                                                     std::vector<std::string> groups,
                                                     env::Instant give_up,
                                                     Telling telling = Telling::as_kafka);
/// The same, where an error of any group is one of all.
env::Task<Result<std::map<std::string, GroupDescription>>> describe_all(
    Session& session, std::vector<std::string> groups, env::Instant give_up);

/// What a classic member's assignment says, a blob that its leader has made. Nothing if it says
/// nothing that can be read.
Assigned parse_assignment(BytesView blob);
/// The topics that a member subscribes to, in the same way.
std::vector<std::string> parse_subscription(BytesView blob);

}  // namespace milena::cli
