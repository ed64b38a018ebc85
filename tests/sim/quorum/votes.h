// SPDX-License-Identifier: Apache-2.0
// Listens to what controllers say to each other: who asked for a vote, and who gave one. Keeps
// some of the requests, to be sent once more.
#pragma once

#include <deque>

#include "milena/protocol/arena.h"
#include "sim/network/fabric.h"
#include "sim/quorum/laws.h"

namespace milena::sim {

/// A request as it went over the wire, its length in front.
struct HeardRequest {
    std::string to;
    std::uint16_t port = 0;
    FileBytes frame;
};

class Eavesdropper {
public:
    /// `number` of a host's name, −1 for a host that is no server.
    using NodeOf = std::function<std::int32_t(const std::string& host)>;

    Eavesdropper(QuorumLaws& laws, NodeOf node_of) : laws_(laws), node_of_(std::move(node_of)) {}

    /// One whole frame, without its length, has left one end of a connection.
    void hear(Connection& connection, Connection::Side from, BytesView frame);
    /// Those that may come again without harm, the newest last.
    const std::deque<HeardRequest>& requests() const { return requests_; }

private:
    struct Asked {
        std::int32_t correlation_id = 0;
        std::int16_t version = 0;
        std::int32_t epoch = 0;
        std::int32_t candidate = -1;
    };
    static constexpr std::size_t kRequestsMax = 64;
    static constexpr std::size_t kAskedMax = 1024;

    void hear_request(Connection& connection, BytesView frame);
    void hear_answer(Connection& connection, BytesView frame);
    void keep(const Connection& connection, BytesView frame);

    QuorumLaws& laws_;
    NodeOf node_of_;
    protocol::Arena arena_;
    std::deque<HeardRequest> requests_;
    std::uint64_t heard_ = 0;
    /// Votes that were asked for, by connection, in order.
    std::map<std::uint64_t, std::deque<Asked>> asked_;
};

}  // namespace milena::sim
