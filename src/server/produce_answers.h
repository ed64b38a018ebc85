// SPDX-License-Identifier: Apache-2.0
// The answer to one Produce as it comes together, partition by partition: in one go when nothing
// waits, else by the threads that move the high watermarks. Kept and reused by the session, so that
// the usual request allocates nothing.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "milena/base/uuid.h"
#include "milena/config/broker_config.h"
#include "milena/env/guarded.h"
#include "milena/protocol/arena.h"
#include "milena/replication/partition.h"
#include "milena/wire/connection.h"

namespace milena::server {

struct Broker;

/// What an answer needs besides its content; all of it outlives the connection.
struct AnswerContext {
    const Broker* broker = nullptr;
    const config::Listener* listener = nullptr;
    std::int16_t version = 0;
    std::int32_t correlation_id = 0;
};

/// Owned by shared_ptr; partitions hold a plain pointer, which seal() keeps alive until the last of
/// them has answered.
class ProduceAnswers : public std::enable_shared_from_this<ProduceAnswers> {
public:
    struct Topic {
        std::string_view name;
        Uuid id;
        std::size_t partition_count = 0;
    };
    struct Part {
        std::int32_t index = 0;
        replication::ProduceAnswer answer;
    };

    /// Forgets the request before: nothing is parked.
    void begin(const AnswerContext& context);
    void add_topic(std::string_view name, Uuid id) { topics_.push_back({name, id, 0}); }
    /// Adds a partition to the last topic and returns its number in the request.
    std::uint32_t add_partition(std::int32_t index);
    /// On the connection's thread, before seal().
    void answer(std::uint32_t part, replication::ProduceAnswer answer) {
        parts_[part].answer = std::move(answer);
    }
    /// `part` will be answered by on_done(part), maybe already from another thread.
    void expect() { ++expected_; }
    /// What a partition calls when its parked produce is decided. 16 trivially copied bytes: no
    /// allocation.
    replication::ProduceDone on_done(std::uint32_t part) {
        return
            [this, part](replication::ProduceAnswer answer) { arrived(part, std::move(answer)); };
    }
    bool has_parked() const { return expected_ != 0; }
    bool has_error() const;

    /// All partitions were asked and some are parked: `reply` goes out when the last is decided.
    /// Names are kept from here on, since the frame they lie in is about to be reused.
    void seal(wire::DeferredReply reply);

    /// Encodes the whole answer into the slot. On the connection's thread.
    Result<void> encode(wire::ReplySlot& slot);

private:
    struct Arrival {
        std::uint32_t part = 0;
        replication::ProduceAnswer answer;
    };
    /// What other threads bring, until the connection's thread puts it into its place.
    struct Arrivals {
        std::vector<Arrival> answers;
        std::optional<std::size_t> wanted;  ///< set when sealed
    };
    void arrived(std::uint32_t part, replication::ProduceAnswer answer);
    void deliver();
    void take_arrivals();

    AnswerContext context_;
    std::vector<Topic> topics_;
    std::vector<Part> parts_;
    std::size_t expected_ = 0;
    env::Guarded<Arrivals> arrivals_;
    std::vector<std::string> kept_names_;
    std::optional<wire::DeferredReply> reply_;
    protocol::Arena arena_;
    std::shared_ptr<ProduceAnswers> self_;
};

}  // namespace milena::server
