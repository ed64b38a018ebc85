// SPDX-License-Identifier: Apache-2.0
// The partitions of one Fetch and what each has given so far, within the request's limits. Reads
// nothing: a partition answers with ranges of files.
#pragma once

#include <vector>

#include "fetch/fetch_part.h"
#include "topics.h"

namespace milena::server {

struct FetchScratch;

/// Who asks: a broker's id, or a negative number for a consumer.
BrokerId fetching_replica(const Request& request, const protocol::FetchRequest& body);

class Fetching {
public:
    /// With no partitions yet. Works in `scratch` and leaves it empty.
    Fetching(const Request& request, const protocol::FetchRequest& body, FetchScratch& scratch);
    ~Fetching();
    Fetching(const Fetching&) = delete;
    Fetching& operator=(const Fetching&) = delete;

    bool uses_topic_ids() const;
    /// A broker asks, and may: it needs CLUSTER_ACTION and no right on topics.
    bool is_followers() const { return reads_as_ == ReadsAs::follower; }
    /// The topic, or why whoever asks does not get it.
    TopicLookup find(const metadata::Image& image, std::string_view name) const {
        return find_as(image, name);
    }
    TopicLookup find(const metadata::Image& image, Uuid id) const { return find_as(image, id); }
    /// All partitions that the request names.
    void add_all();
    /// The partition with that number, which may be a new one, is asked so.
    FetchPart& set(std::size_t number, const FetchTopic& topic,
                   const protocol::FetchRequest::FetchPartition& asked, const TopicLookup& found);
    /// The part is answered with an error in place of being asked, and the wait ends.
    void refuse(FetchPart& part, ErrorCode code);

    /// Asks every partition, in the order of the request.
    void ask_all();
    /// Asks again the one with that number; others keep what they gave.
    void ask(std::size_t number);
    /// The same, but not if the others have filled the answer.
    void ask_if_room(std::size_t number);

    /// There is enough, or something that the client must hear of now.
    bool is_complete() const { return has_urgent_ || bytes_ >= bytes_min_; }
    std::vector<FetchPart>& parts() { return parts_; }

    /// Encodes the answer in its place: the parts that are to be told. On the connection's thread.
    Result<void> answer_to(Request& request, std::int32_t session_id);

private:
    enum class ReadsAs : std::uint8_t { consumer, follower, impostor };
    TopicLookup find_as(const metadata::Image& image, auto key) const {
        if (reads_as_ == ReadsAs::follower) return find_topic(image, key);
        if (reads_as_ == ReadsAs::impostor) return fail(ErrorCode::topic_authorization_failed, {});
        return find_topic(request_, image, key, security::Operation::read);
    }
    bool sends_to_rack(FetchPart& part);
    std::uint64_t room() const { return bytes_max_ - std::min(bytes_, bytes_max_); }
    void count(const FetchPart& part) const;
    protocol::FetchResponse::PartitionData describe(const FetchPart& part, protocol::Arena& arena);
    void describe_records(const replication::FileRange& range, protocol::Arena& arena,
                          protocol::FetchResponse::PartitionData& out);
    protocol::Array<protocol::FetchResponse::FetchableTopicResponse> describe_all(
        protocol::Arena& arena);

    const Request& request_;
    const protocol::FetchRequest& body_;
    FetchScratch& scratch_;
    std::vector<FetchPart>& parts_;
    ReadsAs reads_as_ = ReadsAs::consumer;
    /// A consumer that names its rack, where the rack decides whom it reads from.
    bool has_rack_ = false;
    std::uint64_t bytes_min_ = 0;
    std::uint64_t bytes_max_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t copied_bytes_left_ = 0;
    bool has_urgent_ = false;
    /// Of throttled followers; null if there is no limit.
    replication::ReplicationQuota* quota_ = nullptr;
};

}  // namespace milena::server
