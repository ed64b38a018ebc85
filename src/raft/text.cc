// SPDX-License-Identifier: Apache-2.0
// Messages, batches and outputs as lines of text: what scripts expect, and what a log shows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "milena/base/error_code.h"
#include "milena/raft/core.h"

namespace milena::raft {

namespace {

std::string view_text(const LeaderView& view) {
    return view.leader == kNoBroker ? fmt::format("epoch={} leader=none", view.epoch)
                                    : fmt::format("epoch={} leader={}", view.epoch, view.leader);
}

std::string error_text(ErrorCode error) {
    return error == ErrorCode::none ? std::string() : fmt::format(" {}", error_name(error));
}

std::string ids_text(const std::vector<ReplicaKey>& keys) {
    std::string all;
    for (const ReplicaKey& key : keys) all += fmt::format("{}{}", all.empty() ? "" : ",", key.id);
    return "[" + all + "]";
}

std::string snapshot_text(const SnapshotId& id) {
    return fmt::format("{}-{}", id.end_offset, id.epoch);
}

struct RequestText {
    std::string operator()(const VoteRequest& r) const {
        return fmt::format("{} epoch={} candidate={} last={}@{}", r.pre_vote ? "PreVote" : "Vote",
                           r.epoch, r.candidate.id, r.end_offset, r.last_epoch);
    }
    std::string operator()(const BeginQuorumEpochRequest& r) const {
        return fmt::format("BeginQuorumEpoch epoch={} leader={}", r.epoch, r.leader);
    }
    std::string operator()(const EndQuorumEpochRequest& r) const {
        return fmt::format("EndQuorumEpoch epoch={} leader={} preferred={}", r.epoch, r.leader,
                           ids_text(r.preferred_candidates));
    }
    std::string operator()(const FetchRequest& r) const {
        return fmt::format("Fetch epoch={} replica={} from={}@{} hw={}", r.current_leader_epoch,
                           r.replica.id, r.fetch_offset, r.last_fetched_epoch, r.high_watermark);
    }
    std::string operator()(const AddVoterRequest& r) const {
        return fmt::format("AddVoter {}{}", r.voter.text(),
                           r.ack_when_committed ? "" : " ack=appended");
    }
    std::string operator()(const RemoveVoterRequest& r) const {
        return fmt::format("RemoveVoter {}", r.voter.text());
    }
    std::string operator()(const UpdateVoterRequest& r) const {
        return fmt::format("UpdateVoter epoch={} {}", r.current_leader_epoch, r.voter.key.text());
    }
    std::string operator()(const SupportedVersionsRequest&) const { return "SupportedVersions"; }
    std::string operator()(const FetchSnapshotRequest& r) const {
        return fmt::format("FetchSnapshot epoch={} replica={} snapshot={} from={}",
                           r.current_leader_epoch, r.replica.id, snapshot_text(r.snapshot),
                           r.position);
    }
};

struct ResponseText {
    std::string operator()(const VoteResponse& r) const {
        return fmt::format("Vote{} {} {}", error_text(r.error), r.granted ? "granted" : "rejected",
                           view_text(r.view));
    }
    std::string operator()(const BeginQuorumEpochResponse& r) const {
        return fmt::format("BeginQuorumEpoch{} {}", error_text(r.error), view_text(r.view));
    }
    std::string operator()(const EndQuorumEpochResponse& r) const {
        return fmt::format("EndQuorumEpoch{} {}", error_text(r.error), view_text(r.view));
    }
    std::string operator()(const FetchResponse& r) const {
        std::string line = fmt::format("Fetch{} {}", error_text(r.error), view_text(r.view));
        if (r.error != ErrorCode::none) return line;
        line += fmt::format(" hw={}", r.high_watermark);
        if (r.diverging) {
            line += fmt::format(" diverging={}@{}", r.diverging->end_offset, r.diverging->epoch);
        } else if (r.snapshot) {
            line += " snapshot=" + snapshot_text(*r.snapshot);
        } else if (r.batches.empty()) {
            line += fmt::format(" up to {}", r.read_end);
        }
        for (const Batch& batch : r.batches) line += " " + batch.text();
        return line;
    }
    std::string operator()(const VoterChangeResponse& r) const {
        return fmt::format("VoterChange{}{}", error_text(r.error),
                           r.why.empty() ? "" : ": " + r.why);
    }
    std::string operator()(const SupportedVersionsResponse& r) const {
        return fmt::format("SupportedVersions{} kraft.version {} to {}", error_text(r.error),
                           r.kraft_version_min, r.kraft_version_max);
    }
    std::string operator()(const FetchSnapshotResponse& r) const {
        std::string line =
            fmt::format("FetchSnapshot{} {}", error_text(r.error), view_text(r.view));
        if (r.error != ErrorCode::none) return line;
        line += fmt::format(" snapshot={} from={}", snapshot_text(r.snapshot), r.position);
        if (r.bytes) line += fmt::format(" {} bytes of {}", r.bytes->size(), r.size);
        return line;
    }
};

struct ControlText {
    std::string operator()(const LeaderChangeRecord& r) const {
        return fmt::format("LeaderChange({} of {} by {})", r.leader, fmt::join(r.voters, ","),
                           fmt::join(r.granting_voters, ","));
    }
    std::string operator()(const KRaftVersionRecord& r) const {
        return fmt::format("KRaftVersion({})", r.version);
    }
    std::string operator()(const VotersRecord& r) const {
        return fmt::format("Voters{}", r.voters.text());
    }
};

}  // namespace

std::string text(const Request& request) {
    return std::visit(RequestText{}, request);
}
std::string text(const Response& response) {
    return std::visit(ResponseText{}, response);
}

std::string Batch::text() const {
    std::string line = fmt::format("[{}..{}]@{}", base_offset, last_offset, epoch);
    for (const ControlRecord& record : control) line += " " + std::visit(ControlText{}, record);
    return line;
}

std::string QuorumState::text() const {
    return fmt::format("{} voted={}", view_text({epoch, leader}), voted ? voted->text() : "none");
}

std::string Output::text() const {
    std::string lines;
    const auto add = [&](std::string line) { lines += line + "\n"; };
    if (persist) add("persist " + persist->text());
    if (truncate_to) add(fmt::format("truncate to {}", *truncate_to));
    for (const Batch& batch : appends) add("append " + batch.text());
    if (snapshot_chunk) {
        add(fmt::format("write {} bytes at {} of snapshot {}", snapshot_chunk->bytes->size(),
                        snapshot_chunk->position, snapshot_text(snapshot_chunk->id)));
    }
    if (load_snapshot) add("load snapshot " + snapshot_text(*load_snapshot));
    for (const Message& message : messages) {
        add(fmt::format("send to {}: {}", message.to, raft::text(message.request)));
    }
    for (const Reply& reply : replies) add("reply " + raft::text(reply.response));
    if (refused) add("refused: " + refused->why);
    if (leadership) {
        add("leadership " + view_text({leadership->epoch, leadership->leader}) +
            (leadership->is_self ? fmt::format(" self from {}", leadership->epoch_start_offset)
                                 : ""));
    }
    if (high_watermark) add(fmt::format("high watermark {}", *high_watermark));
    for (const std::string& complaint : complaints) add("complaint: " + complaint);
    return lines;
}

}  // namespace milena::raft
