// SPDX-License-Identifier: Apache-2.0
// Clients that are told an address and never come to it: they bootstrap here, Metadata sends them
// to this node by its advertised name, and from where they are that name leads nowhere. All they
// can do is ask again. The decisions about that, without log and clock; what is remembered is
// bounded.
//
// A connection is suspicious when
//  * it came by another address than the one it was told, and
//  * it keeps asking where leaders of named topics are: producers (they let topics be made) three
//    times in five seconds or longer, others ten times, never with a pause of more than half a
//    minute, and
//  * nothing else is asked on it, and no client of the same address and client id has ever sent a
//    request that is for the broker it has come to.
// docs/operating/reach.md says what an operator sees.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "milena/env/network.h"
#include "milena/protocol/api.h"

namespace milena::server {

/// Whether a request is sent to any broker that is at hand, before a client knows or reaches the
/// one that it needs. All others show that it has arrived.
bool is_asked_of_any_broker(protocol::ApiKey key);

/// Whether `told` is where a connection has come to whose own end is `local`: the same port, and
/// the same host or both this machine's loopback.
bool is_same_place(const env::Endpoint& local, const env::Endpoint& told);

/// How one connection asks where leaders are.
class LeaderQuestions {
public:
    /// A Metadata answer told this connection that this node leads topics it asked for by name.
    /// True once: when it has asked often enough to be noticed.
    bool asked(bool may_create_topics, env::Instant now);
    /// Something else was asked: the count begins anew.
    void went_on() { count_ = 0; }
    std::int64_t count() const { return count_; }

private:
    std::int64_t count_ = 0;
    env::Instant first_{};
    env::Instant last_{};
    bool is_noticed_ = false;
};

/// Clients, by address and client id, that have come to where they were sent. Of more than 4096
/// the ones that were noted longest ago may be forgotten.
class ReachedClients {
public:
    void note(std::string_view address, std::string_view client_id);
    bool contains(std::string_view address, std::string_view client_id) const;

private:
    static constexpr std::size_t kBuckets = 1024;
    static constexpr std::size_t kWays = 4;
    struct Bucket {
        std::array<std::uint64_t, kWays> marks{};  ///< the newest first; 0 is free
    };
    std::array<Bucket, kBuckets> buckets_{};
};

}  // namespace milena::server
