// SPDX-License-Identifier: Apache-2.0
// One function for each request to groups; each has a file of its name. They answer in the
// decision, at once or later.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "decision.h"

namespace milena::coordinator {

/// What the state store has of what reads_of() named.
using StoredRecords = std::span<const RecordView>;

void join(Decision& decision, Ticket ticket, const JoinRequest& request);
void sync(Decision& decision, Ticket ticket, const SyncRequest& request);
void heartbeat(Decision& decision, Ticket ticket, const HeartbeatRequest& request);
void leave(Decision& decision, Ticket ticket, const LeaveRequest& request);
void describe(Decision& decision, Ticket ticket, const DescribeGroupRequest& request,
              StoredRecords stored);
void list(Decision& decision, Ticket ticket, const ListGroupsRequest& request);
void delete_group(Decision& decision, Ticket ticket, const DeleteGroupRequest& request,
                  StoredRecords stored);

void consumer_heartbeat(Decision& decision, Ticket ticket, const ConsumerHeartbeatRequest& request);
void describe_consumer_group(Decision& decision, Ticket ticket,
                             const DescribeConsumerGroupRequest& request, StoredRecords stored);

void commit_offsets(Decision& decision, Ticket ticket, const CommitRequest& request);
void fetch_offsets(Decision& decision, Ticket ticket, const FetchOffsetsRequest& request,
                   StoredRecords stored);
void delete_offsets(Decision& decision, Ticket ticket, const DeleteOffsetsRequest& request,
                    StoredRecords stored);
void expire_offsets(Decision& decision, Ticket ticket, const ExpireOffsetsRequest& request,
                    StoredRecords stored);
void forget_topics(Decision& decision, Ticket ticket, const ForgetTopicsRequest& request,
                   StoredRecords stored);

/// As Groups::summaries().
std::vector<GroupSummary> summaries_of(const Table& table, std::optional<std::string_view> behind,
                                       std::size_t most);

/// What a sequel comes to when its record is committed, and when it was not appended.
void after_commit(Decision& decision, Sequel sequel);
/// It is in the log and was not committed in time.
void after_giving_up(Decision& decision, Sequel sequel, ErrorCode code);
void after_failure(Decision& decision, Sequel sequel, ErrorCode code);

/// A static member whose id was replaced gets it back; it was not stored.
void take_return_back(Decision& decision, ClassicGroup& group, Sequel::Return&& back,
                      ErrorCode code);
/// It is told that it goes on in the generation that there is.
void welcome_back(Decision& decision, ClassicGroup& group, const Sequel::Return& back);

}  // namespace milena::coordinator
