// SPDX-License-Identifier: Apache-2.0
// One connection of a Client: requests go out in the order of the calls, answers come back in that
// order. It opens with ApiVersions, so it knows which versions the node has. When an answer is late
// or wrong the connection ends and every call that waits on it fails: what follows on it would be
// out of step.
#pragma once

#include <deque>

#include "milena/wire/client.h"

namespace milena::wire {

/// A range of versions that a node serves.
struct VersionRange {
    std::int16_t min = 0;
    std::int16_t max = -1;
};

class Channel : public std::enable_shared_from_this<Channel> {
public:
    /// Connects and asks for the versions.
    static env::Task<Result<std::shared_ptr<Channel>>> open(env::Env& env, env::Executor owner,
                                                            const ClientOptions& options,
                                                            env::Endpoint endpoint,
                                                            env::Instant give_up);
    Channel(env::Env& env, env::Executor owner, const ClientOptions& options,
            std::unique_ptr<env::Stream> stream);

    /// Null if no answer is expected.
    env::Task<Result<std::unique_ptr<AnswerMemory>>> call(Outgoing outgoing, env::Instant give_up);
    /// The highest common version up to `version_max`.
    Result<std::int16_t> pick_version(const protocol::Api& api, std::int16_t version_max) const;

    bool is_open() const { return !closed_; }
    void close(Error why);

private:
    /// A call under way, shared with it: either may end first.
    struct Waiter {
        std::function<void()> wake;
        AnswerFrame frame;
        std::optional<Error> failure;
        std::int32_t correlation_id = 0;
        bool is_done = false;
    };

    static env::Task<void> read_answers(std::shared_ptr<Channel> self);
    static env::Task<void> write_requests(std::shared_ptr<Channel> self);
    env::Task<Result<void>> negotiate(env::Instant give_up);
    env::Task<Result<std::unique_ptr<AnswerMemory>>> exchange(Outgoing outgoing,
                                                              std::int16_t version,
                                                              env::Instant give_up);
    Result<void> enqueue(const Outgoing& outgoing, std::int16_t version,
                         const std::shared_ptr<Waiter>& waiter);
    env::Task<Result<AnswerFrame>> read_frame();
    env::Task<Result<void>> read_until(std::size_t size);
    AnswerFrame take_frame(std::size_t size);
    Result<void> deliver(AnswerFrame frame);
    static void finish(Waiter& waiter);

    env::Env& env_;
    env::Executor owner_;
    const ClientOptions options_;  ///< a copy: this may outlive the client by a moment
    std::unique_ptr<env::Stream> stream_;
    std::map<std::int16_t, VersionRange> versions_;
    /// What has come and was not taken yet, in memory for as much as the last answer had: most
    /// often one read brings the next one whole.
    struct Incoming {
        std::unique_ptr<std::byte[]> memory;
        std::size_t capacity = 0;
        std::size_t size = 0;
    };
    Incoming incoming_;
    std::vector<std::byte> unsent_;
    std::deque<std::shared_ptr<Waiter>> sending_;  ///< unanswered ones, done when `unsent_` is out
    std::deque<std::shared_ptr<Waiter>> answering_;  ///< the oldest first
    std::int32_t correlation_id_ = 0;
    bool writing_ = false;
    bool closed_ = false;
    Error closed_why_;
};

}  // namespace milena::wire
