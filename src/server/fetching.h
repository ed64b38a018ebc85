// SPDX-License-Identifier: Apache-2.0
// The partitions of one Fetch and what each has given so far, within the request's limits. Reads
// nothing: a partition answers with ranges of files.
#pragma once

#include <vector>

#include "milena/protocol/messages/fetch.h"
#include "topics.h"

namespace milena::server {

/// One partition's part of the request.
struct FetchPart {
    std::int32_t index = 0;
    std::shared_ptr<replication::Partition> replica;  ///< null where `answer` is an error already
    replication::FetchQuestion question;
    std::uint64_t partition_bytes_max = 0;
    replication::FetchAnswer answer;
};

class Fetching {
public:
    Fetching(const Request& request, const protocol::FetchRequest& body);

    /// Asks every partition, in the order of the request.
    void ask_all();
    /// Asks again the one with that number; others keep what they gave.
    void ask(std::size_t number);

    /// There is enough, or something that the client must hear of now.
    bool is_complete() const { return has_urgent_ || bytes_ >= bytes_min_; }
    std::vector<FetchPart>& parts() { return parts_; }

    /// Encodes the answer in its place. On the connection's thread.
    Result<void> answer_to(Request& request) const;

private:
    void add_part(const TopicLookup& topic, const protocol::FetchRequest::FetchPartition& asked);
    protocol::FetchResponse::PartitionData describe(
        const FetchPart& part, protocol::Arena& arena,
        std::vector<replication::FileRange>& files) const;

    const Request& request_;
    const protocol::FetchRequest& body_;
    std::vector<FetchPart> parts_;
    std::uint64_t bytes_min_ = 0;
    std::uint64_t bytes_max_ = 0;
    std::uint64_t bytes_ = 0;
    bool has_urgent_ = false;
};

}  // namespace milena::server
