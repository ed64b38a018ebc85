// SPDX-License-Identifier: Apache-2.0
// This node's replica of the metadata quorum, as requests of other replicas reach it.
#pragma once

#include <optional>

#include "milena/env/task.h"
#include "milena/raft/wire_messages.h"
#include "milena/storage/log.h"

namespace milena::server {

struct QuorumAnswer {
    /// Of the request's kind.
    raft::Response response;
    /// To a fetch: the records that go along.
    storage::FileRange records;
    /// Where the leader that the response names is reached.
    std::optional<raft::LeaderNode> leader;
};

class QuorumPort {
public:
    virtual ~QuorumPort() = default;
    /// A fetch is kept as long as it allows, the others are answered when what they changed is
    /// durable. About `bytes_max` bytes of records go along, at least one batch. A replica that
    /// ends answers BROKER_NOT_AVAILABLE. From any executor; goes on there.
    virtual env::Task<QuorumAnswer> ask(raft::Request request, std::uint64_t bytes_max) = 0;
    /// As of now, from any executor.
    virtual std::int16_t kraft_version() const = 0;
};

}  // namespace milena::server
