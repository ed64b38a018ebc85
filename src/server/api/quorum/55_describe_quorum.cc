// SPDX-License-Identifier: Apache-2.0
// DescribeQuorum: the voters of the metadata log and how far each has come (KIP-595, KIP-836), as
// its leader knows them.
#include "milena/protocol/messages/describe_quorum.h"

#include "../../api.h"
#include "../../topics.h"

namespace milena::server {
namespace {

using controller::QuorumDescription;
using controller::QuorumReplica;
using protocol::DescribeQuorumRequest;
using protocol::DescribeQuorumResponse;
using DescribedPartition = DescribeQuorumResponse::PartitionData;

constexpr std::string_view kMetadataTopic = "__cluster_metadata";
constexpr std::int16_t kFirstVersionWithNodes = 2;
/// The request has no time of its own.
constexpr env::Duration kWait = std::chrono::seconds(30);

/// Whether it asks for the one log that there is, and nothing else.
bool asks_for_metadata_log(const DescribeQuorumRequest& body) {
    return body.topics.size() == 1 && body.topics[0].topic_name == kMetadataTopic &&
           body.topics[0].partitions.size() == 1 &&
           body.topics[0].partitions[0].partition_index == 0;
}

class QuorumAnswer {
public:
    explicit QuorumAnswer(Request& request)
        : arena_(request.arena), has_nodes_(request.version() >= kFirstVersionWithNodes) {}

    /// Every partition that is asked for is another one than the metadata log's, or one too many.
    void add_unknown(const DescribeQuorumRequest& body) {
        auto topics = arena_.make_array<DescribeQuorumResponse::TopicData>(body.topics.size());
        for (std::size_t i = 0; i < topics.size(); ++i) {
            const auto& asked = body.topics[i].partitions;
            auto partitions = arena_.make_array<DescribedPartition>(asked.size());
            for (std::size_t j = 0; j < partitions.size(); ++j) {
                partitions[j].partition_index = asked[j].partition_index;
                partitions[j].error_code =
                    static_cast<std::int16_t>(ErrorCode::unknown_topic_or_partition);
                partitions[j].error_message = "This server does not host this topic-partition.";
            }
            topics[i].topic_name = body.topics[i].topic_name;
            topics[i].partitions = partitions;
        }
        response_.topics = topics;
    }

    void add(const QuorumDescription& quorum) {
        auto topics = arena_.make_array<DescribeQuorumResponse::TopicData>(1);
        auto partitions = arena_.make_array<DescribedPartition>(1);
        partitions[0].leader_id = quorum.leader.value;
        partitions[0].leader_epoch = quorum.epoch.value;
        partitions[0].high_watermark = quorum.high_watermark.value;
        partitions[0].current_voters = replicas(quorum.voters);
        partitions[0].observers = replicas(quorum.observers);
        topics[0].topic_name = kMetadataTopic;
        topics[0].partitions = partitions;
        response_.topics = topics;
        if (has_nodes_) add_nodes(quorum);
    }

    void fail_with(const Error& error) {
        response_.error_code = static_cast<std::int16_t>(error.code);
        response_.error_message = error_text(error.why);
    }

    const DescribeQuorumResponse& response() const { return response_; }

private:
    protocol::Array<DescribeQuorumResponse::ReplicaState> replicas(
        const std::vector<QuorumReplica>& all) {
        auto out = arena_.make_array<DescribeQuorumResponse::ReplicaState>(all.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i].replica_id = all[i].id.value;
            if (has_nodes_) out[i].replica_directory_id = all[i].directory;
            out[i].log_end_offset = all[i].log_end_offset.value;
            out[i].last_fetch_timestamp = all[i].last_fetch_ms;
            out[i].last_caught_up_timestamp = all[i].last_caught_up_ms;
        }
        return out;
    }

    void add_nodes(const QuorumDescription& quorum) {
        auto nodes = arena_.make_array<DescribeQuorumResponse::Node>(quorum.nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto& endpoints = quorum.nodes[i].endpoints;
            auto out = arena_.make_array<DescribeQuorumResponse::Listener>(endpoints.size());
            for (std::size_t j = 0; j < out.size(); ++j)
                out[j] = {endpoints[j].listener, endpoints[j].host, endpoints[j].port};
            nodes[i].node_id = quorum.nodes[i].id.value;
            nodes[i].listeners = out;
        }
        response_.nodes = nodes;
    }

    protocol::Arena& arena_;
    bool has_nodes_;
    DescribeQuorumResponse response_;
};

env::Task<Result<QuorumDescription>> describe(Request& request) {
    CO_TRY_VOID(check_cluster_right(request, security::Operation::describe));
    co_return co_await ask_controller(request, [&](controller::Gateway& controller) {
        return controller.describe_quorum(request.received + kWait);
    });
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<DescribeQuorumRequest>(request));
    QuorumAnswer out(request);
    const auto quorum = co_await describe(request);
    if (!quorum) {
        out.fail_with(quorum.error());
    } else if (asks_for_metadata_log(body)) {
        out.add(*quorum);
    } else {
        out.add_unknown(body);
    }
    co_return answer(request, out.response());
}

}  // namespace

Api api_55() {
    return make_api(protocol::ApiKey::describe_quorum, &serve);
}

}  // namespace milena::server
