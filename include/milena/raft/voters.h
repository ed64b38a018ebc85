// SPDX-License-Identifier: Apache-2.0
// Who votes in the metadata quorum. With kraft.version 0 the set comes from
// controller.quorum.voters and never changes; with kraft.version 1 (KIP-853) it stands in the
// bootstrap snapshot and in the log, takes effect where it is appended, and a voter is an id
// together with the directory that holds its log.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/uuid.h"

namespace milena::raft {

/// One replica of the metadata log. A zero directory is one that is not known.
struct ReplicaKey {
    BrokerId id = kNoBroker;
    Uuid directory;

    auto operator<=>(const ReplicaKey&) const = default;
    std::string text() const;
};

/// A listener under which a voter is reached, by its name (CONTROLLER).
struct VoterEndpoint {
    std::string listener;
    std::string host;
    std::uint16_t port = 0;

    auto operator<=>(const VoterEndpoint&) const = default;
};

struct Voter {
    ReplicaKey key;
    std::vector<VoterEndpoint> endpoints;
    std::int16_t kraft_version_min = 0;
    std::int16_t kraft_version_max = 1;

    auto operator<=>(const Voter&) const = default;
};

/// A node of controller.quorum.bootstrap.servers is named by its place there until it is known who
/// it is.
constexpr BrokerId bootstrap_server(std::size_t place) {
    return BrokerId(-2 - static_cast<std::int32_t>(place));
}
constexpr bool is_bootstrap_server(BrokerId id) {
    return id <= BrokerId(-2);
}
constexpr std::size_t bootstrap_place(BrokerId id) {
    return static_cast<std::size_t>(-2 - id.value);
}

/// A set of voters with distinct ids; a value.
class VoterSet {
public:
    VoterSet() = default;
    explicit VoterSet(std::vector<Voter> voters);

    bool empty() const { return by_id_.empty(); }
    std::size_t size() const { return by_id_.size(); }
    /// Voters that are more than half of the set.
    std::size_t majority() const { return by_id_.size() / 2 + 1; }
    const std::map<BrokerId, Voter>& by_id() const { return by_id_; }
    std::vector<BrokerId> ids() const;
    const Voter* find(BrokerId id) const;

    /// True if `replica` is one of the set: its id is, and its directory is the voter's, where both
    /// are known.
    bool contains(const ReplicaKey& replica) const;
    /// True if `replica` is all of the set.
    bool is_only(const ReplicaKey& replica) const { return size() == 1 && contains(replica); }

    /// True if `other` differs in one voter at most: one more, one less, or one with other words.
    bool is_one_change_from(const VoterSet& other) const;

    auto operator<=>(const VoterSet&) const = default;
    std::string text() const;

private:
    std::map<BrokerId, Voter> by_id_;
};

}  // namespace milena::raft
