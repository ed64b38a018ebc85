// SPDX-License-Identifier: Apache-2.0
// The world around the cores of a test: does what an Output asks for, in its order, and nothing
// else.
#include "cluster.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "milena/base/bytes.h"

namespace milena::raft::test {

namespace {

/// What makes two copies of a batch the same: its place, its epoch, its control records and its
/// bytes.
std::string identity(const Batch& batch) {
    std::string id = batch.text();
    if (batch.bytes) id += " " + std::string(as_text(*batch.bytes));
    return id;
}

/// The voter that a bootstrap server is.
BrokerId real(BrokerId id) {
    return is_bootstrap_server(id) ? BrokerId(static_cast<std::int32_t>(bootstrap_place(id)) + 1)
                                   : id;
}

std::shared_ptr<const std::vector<std::byte>> payload(const std::string& text) {
    const BytesView bytes = as_bytes(text);
    return std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
}

}  // namespace

std::string InFlight::text() const {
    const std::string what = std::visit([](const auto& one) { return raft::text(one); }, content);
    return fmt::format("{}->{} {} {}", from, to, content.index() == 0 ? "ask" : "answer", what);
}

Cluster::Cluster(const Options& options) : options_(options) {
    for (int id = 1; id <= options.voters + options.observers; ++id) nodes_[BrokerId(id)];
    std::vector<Voter> voters;
    for (int id = 1; id <= options.voters; ++id) {
        voters.push_back(voter(BrokerId(id)));
        if (options.kraft_version == 0) voters.back().key.directory = Uuid{};
    }
    voters_ = VoterSet(std::move(voters));
}

Voter Cluster::voter(BrokerId id) const {
    const Node& node = nodes_.at(id);
    const Uuid directory{0x1000 + static_cast<std::uint64_t>(node.disks),
                         static_cast<std::uint64_t>(id.value)};
    return {.key = {id, directory},
            .endpoints = {{"CONTROLLER", fmt::format("host{}-{}", id, node.moves), 9093}}};
}

std::vector<BrokerId> Cluster::ids() const {
    std::vector<BrokerId> ids;
    for (const auto& [id, node] : nodes_) ids.push_back(id);
    return ids;
}

RecoveredState Cluster::recover(BrokerId id) const {
    const Disk& disk = nodes_.at(id).disk;
    const bool knows = !options_.discovers || id <= BrokerId(options_.voters);
    RecoveredState state{
        .quorum = disk.quorum,
        .log_start_offset = Offset(0),
        .log_end_offset = disk.end(),
        .epochs = {},
        .voters = {{Offset(-1), options_.kraft_version, knows ? voters_ : VoterSet()}},
        .snapshot = {}};
    for (const Batch& batch : disk.batches) {
        if (state.epochs.empty() || state.epochs.back().epoch < batch.epoch) {
            state.epochs.push_back({batch.epoch, batch.base_offset});
        }
        for (const ControlRecord& record : batch.control) {
            if (const auto* named = std::get_if<VotersRecord>(&record)) {
                state.voters.push_back({batch.base_offset, 1, named->voters});
            }
        }
    }
    return state;
}

void Cluster::start(BrokerId id) {
    Node& node = nodes_.at(id);
    ASSERT_FALSE(node.core) << "started twice";
    ++node.incarnation;
    const Voter self = voter(id);
    CoreOptions core_options{
        .self = self.key,
        .endpoints = self.endpoints,
        .auto_join = options_.auto_join,
        .bootstrap_servers = options_.discovers ? static_cast<std::size_t>(options_.voters) : 0};
    core_options.seed =
        options_.seed * 1000 + static_cast<std::uint64_t>(id.value * 100 + node.incarnation);
    core_options.first_request_id = static_cast<std::uint64_t>(node.incarnation) << 32;
    node.core.emplace(core_options, recover(id));
    step(id, Start{});
}

void Cluster::crash(BrokerId id, Offset kept_end) {
    Node& node = nodes_.at(id);
    ASSERT_GE(kept_end, node.disk.durable_end) << "a disk that loses what was synced";
    node.core.reset();
    node.wake_at = env::kNever;
    while (node.disk.end() > kept_end) node.disk.batches.pop_back();
    node.disk.appended_end = node.disk.durable_end = node.disk.end();
    std::erase_if(network_,
                  [&](const InFlight& one) { return real(one.from) == id || real(one.to) == id; });
}

void Cluster::step(BrokerId id, const Event& event) {
    Node& node = nodes_.at(id);
    Output output = node.core->step(event, now_);
    node.wake_at = output.wake_at;
    ASSERT_GT(output.wake_at, now_) << "node " << id.value << " would spin";
    perform(id, std::move(output));
}

void Cluster::propose(BrokerId id, int records) {
    Node& node = nodes_.at(id);
    Output output = node.core->step(Propose{node.core->view().epoch, records}, now_);
    node.wake_at = output.wake_at;
    for (Batch& batch : output.appends)
        batch.bytes = payload(fmt::format("value {}", ++proposals_));
    perform(id, std::move(output));
}

void Cluster::ask(BrokerId id, const Request& request) {
    const RequestId request_id(++last_id_);
    asked_[request_id] = {kNoBroker, id, request_id, request};
    step(id, Received{request_id, request});
}

void Cluster::replace(BrokerId id) {
    Node& node = nodes_.at(id);
    ASSERT_FALSE(node.core) << "a disk taken out of a machine that runs";
    ++node.disks;
    node.disk = Disk{};
}

void Cluster::perform(BrokerId id, Output output) {
    Node& node = nodes_.at(id);
    const std::string lines = output.text();
    for (std::size_t begin = 0; begin < lines.size();) {
        const std::size_t end = lines.find('\n', begin);
        trace_ += fmt::format("{}: {}\n", id, lines.substr(begin, end - begin));
        begin = end + 1;
    }
    if (output.persist) {
        ASSERT_GE(output.persist->epoch, node.disk.quorum.epoch);
        if (output.persist->voted) check_vote(id, output.persist->epoch, *output.persist->voted);
        node.disk.quorum = *output.persist;
    }
    if (output.truncate_to) {
        while (node.disk.end() > *output.truncate_to) node.disk.batches.pop_back();
        ASSERT_EQ(node.disk.end(), *output.truncate_to) << "cut inside a batch";
        node.disk.appended_end = node.disk.durable_end = node.disk.end();
    }
    store(node, output.appends);
    for (Message& message : output.messages) {
        network_.push_back({id, message.to, message.id, std::move(message.request)});
    }
    for (Reply& one : output.replies) reply(id, std::move(one));
    if (output.leadership) check_leader(id, *output.leadership);
    if (output.high_watermark) check_committed(id, *output.high_watermark);
}

void Cluster::store(Node& node, const std::vector<Batch>& batches) {
    for (const Batch& batch : batches) {
        ASSERT_EQ(batch.base_offset, node.disk.end());
        node.disk.batches.push_back(batch);
        // A control batch of this node's own becomes bytes here, as a driver would encode it.
        if (!batch.bytes) node.disk.batches.back().bytes = payload("control");
    }
}

void Cluster::reply(BrokerId id, Reply reply) {
    const auto asked = asked_.extract(reply.id);
    ASSERT_FALSE(asked.empty()) << "an answer to nothing, or a second one";
    auto& [by, of, request_id, request] = asked.mapped();
    if (const auto* vote = std::get_if<VoteResponse>(&reply.response)) {
        const auto& asked_for = std::get<VoteRequest>(request);
        if (vote->granted && !asked_for.pre_vote) {
            check_vote(id, asked_for.epoch, asked_for.candidate);
        }
    }
    if (auto* fetch = std::get_if<FetchResponse>(&reply.response)) {
        for (const Batch& batch : nodes_.at(id).disk.batches) {
            if (batch.base_offset >= std::get<FetchRequest>(request).fetch_offset &&
                batch.base_offset < fetch->read_end && fetch->batches.size() < 3) {
                fetch->batches.push_back(batch);
            }
        }
    }
    if (by != kNoBroker) network_.push_back({of, by, request_id, std::move(reply.response)});
}

void Cluster::finish_append(BrokerId id, Offset end) {
    Node& node = nodes_.at(id);
    if (end <= node.disk.appended_end) return;
    node.disk.appended_end = end;
    step(id, Appended{end});
}

void Cluster::finish_sync(BrokerId id) {
    Node& node = nodes_.at(id);
    if (node.disk.appended_end == node.disk.durable_end) return;
    node.disk.durable_end = node.disk.appended_end;
    step(id, Synced{node.disk.durable_end});
}

void Cluster::deliver(std::size_t index) {
    InFlight one = network_.at(index);
    network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(index));
    const BrokerId to = real(one.to);
    if (!nodes_.contains(to) || !is_up(to)) return;
    trace_ += "deliver " + one.text() + "\n";
    if (auto* response = std::get_if<Response>(&one.content)) {
        step(to, Answered{one.from, one.id, std::move(*response)});
    } else {
        const RequestId id(++last_id_);
        asked_[id] = {one.from, one.to, one.id, std::get<Request>(one.content)};
        step(to, Received{id, std::get<Request>(one.content)});
    }
}

void Cluster::lose(std::size_t index, bool tell_sender) {
    const InFlight one = network_.at(index);
    network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(index));
    const BrokerId asker = one.content.index() == 0 ? one.from : one.to;
    const BrokerId asked = one.content.index() == 0 ? one.to : one.from;
    if (tell_sender && is_up(asker)) step(asker, SendFailed{asked, one.id});
}

void Cluster::advance(Duration by) {
    now_ += by;
    for (auto& [id, node] : nodes_) {
        if (node.core && node.wake_at <= now_) step(id, Tick{});
    }
}

void Cluster::settle(const std::set<BrokerId>& group) {
    for (bool moved = true; moved;) {
        moved = false;
        for (auto& [id, node] : nodes_) {
            if (!node.core) continue;
            moved |= node.disk.durable_end < node.disk.end();
            finish_append(id, node.disk.end());
            finish_sync(id);
        }
        if (!network_.empty()) {
            moved = true;
            const InFlight& next = network_.front();
            const bool is_cut = !group.empty() &&
                                !(group.contains(real(next.from)) && group.contains(real(next.to)));
            if (is_cut) {
                lose(0, false);
            } else {
                deliver(0);
            }
        }
    }
}

void Cluster::run(Duration duration, const std::set<BrokerId>& group) {
    constexpr Duration kStep = std::chrono::milliseconds(10);
    for (const Instant end = now_ + duration; now_ < end;) {
        settle(group);
        advance(kStep);
    }
    settle(group);
}

BrokerId Cluster::leader() const {
    BrokerId leader = kNoBroker;
    LeaderEpoch epoch = kNoLeaderEpoch;
    for (const auto& [id, node] : nodes_) {
        if (!node.core || node.core->role() != Role::leader) continue;
        if (node.core->view().epoch > epoch) {
            leader = id;
            epoch = node.core->view().epoch;
        }
    }
    return leader;
}

/// What a replica has said or saved once, before a crash or after it.
void Cluster::check_vote(BrokerId id, LeaderEpoch epoch, const ReplicaKey& candidate) {
    const auto [vote, is_first] = votes_.emplace(std::pair(voter(id).key, epoch), candidate);
    ASSERT_TRUE(is_first || vote->second == candidate)
        << id.value << " voted twice in epoch " << epoch.value;
}

/// Election safety, and leader completeness: who leads has everything that was ever committed.
void Cluster::check_leader(BrokerId id, const LeadershipChange& change) {
    if (!change.is_self) return;
    const auto [leader, is_first] = leaders_.emplace(change.epoch, id);
    ASSERT_EQ(leader->second, id) << "two leaders in epoch " << change.epoch.value;
    const std::vector<Batch>& log = nodes_.at(id).disk.batches;
    ASSERT_GE(log.size(), committed_.size()) << "leader " << id.value << " lacks committed records";
    for (std::size_t i = 0; i < committed_.size(); ++i) {
        ASSERT_EQ(identity(log[i]), identity(committed_[i]));
    }
}

void Cluster::check_committed(BrokerId id, Offset high_watermark) {
    const Disk& disk = nodes_.at(id).disk;
    for (std::size_t i = 0; i < disk.batches.size() && disk.batches[i].last_offset < high_watermark;
         ++i) {
        if (i < committed_.size()) {
            ASSERT_EQ(identity(disk.batches[i]), identity(committed_[i])) << "on node " << id.value;
        } else {
            committed_.push_back(disk.batches[i]);
        }
    }
    ASSERT_GE(disk.end(), high_watermark);
}

void Cluster::check_log_matching() const {
    for (const auto& [a, first] : nodes_) {
        for (const auto& [b, second] : nodes_) {
            const auto& left = first.disk.batches;
            const auto& right = second.disk.batches;
            std::size_t common = std::min(left.size(), right.size());
            while (common > 0 && (left[common - 1].epoch != right[common - 1].epoch ||
                                  left[common - 1].base_offset != right[common - 1].base_offset)) {
                --common;
            }
            for (std::size_t i = 0; i < common; ++i) {
                ASSERT_EQ(identity(left[i]), identity(right[i])) << a.value << " and " << b.value;
            }
        }
    }
}

std::string Cluster::take_trace() {
    return std::exchange(trace_, {});
}

std::string Cluster::state_text() const {
    std::string lines;
    for (const auto& [id, node] : nodes_) {
        if (!node.core) {
            lines += fmt::format("{} is down, log {}\n", id, node.disk.end());
            continue;
        }
        const LeaderView view = node.core->view();
        lines += fmt::format("{} {} epoch={} leader={} log={} durable={} hw={} voters={}\n", id,
                             text(node.core->role()), view.epoch, view.leader,
                             node.core->log_end_offset(), node.disk.durable_end,
                             node.core->high_watermark().value_or(Offset(-1)),
                             node.core->voters().ids().size());
    }
    return lines;
}

}  // namespace milena::raft::test
