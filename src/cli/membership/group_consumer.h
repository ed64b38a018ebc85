// SPDX-License-Identifier: Apache-2.0
// Reads as a member of a consumer group: the partitions that the group gives it, from the committed
// offsets on, and commits what was read. The membership goes on by itself between two polls, so
// that it lasts while records are being printed.
#pragma once

#include "cluster/assignment.h"
#include "cluster/consumer.h"
#include "membership/group_member.h"

namespace milena::cli {

/// Where to begin in a partition of which nothing is committed.
enum class OffsetReset { earliest, latest, none };

struct GroupConsumerOptions {
    MemberOptions member;
    TopicChoice topics;
    std::int32_t session_timeout_ms = 45'000;
    std::int32_t rebalance_timeout_ms = 300'000;  ///< how long others wait for this one
    OffsetReset reset = OffsetReset::latest;
    bool commits = true;  ///< by itself, in this interval and when it gives partitions up
    env::Duration commit_interval = std::chrono::seconds(5);
    env::Duration metadata_interval = std::chrono::minutes(5);  ///< to look for new partitions
};

/// The options that the client's properties say. The group's name is `group`.
Result<GroupConsumerOptions> group_consumer_options(const ClientProperties& properties,
                                                    std::string group, bool from_beginning);

class GroupConsumer {
public:
    GroupConsumer(Session& session, GroupConsumerOptions options, ConsumerOptions reading);
    ~GroupConsumer();

    /// Follows what the group wants, and asks the leaders of its partitions once. False when
    /// `on_record` has said so. Everything given was dealt with when the next poll begins: it may
    /// be committed.
    env::Task<Result<bool>> poll(const Consumer::OnRecord& on_record);
    /// Commits what was given and leaves the group. The last call.
    env::Task<void> close();

private:
    struct Membership;
    env::Task<Result<void>> follow();
    env::Task<Result<void>> begin_round();
    env::Task<Result<std::map<TopicPartition, std::int64_t>>> begin_offsets(
        std::vector<TopicPartition> without);
    /// False if it is worth trying again, with the coordinator as it is then.
    env::Task<bool> commit(BrokerId coordinator);
    /// Before partitions are given up: tries for a while.
    env::Task<void> commit_at_last();

    Session& session_;
    std::shared_ptr<Membership> membership_;
    Consumer consumer_;
    std::map<TopicPartition, std::int64_t> committed_;  ///< positions as they were committed last
    std::int64_t round_ = 0;
    env::Instant next_commit_{};
};

}  // namespace milena::cli
