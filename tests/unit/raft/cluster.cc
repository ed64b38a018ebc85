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

void Disk::begin_anew(const SnapshotId& id, std::string snapshot) {
    batches.clear();
    snapshots = {{id, std::move(snapshot)}};
    start = appended_end = durable_end = id.end_offset;
}

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
        .log_start_offset = disk.start,
        .log_end_offset = disk.end(),
        .epochs = {},
        .voters = {{Offset(-1), options_.kraft_version, knows ? voters_ : VoterSet()}},
        .snapshot = {}};
    if (!disk.snapshots.empty()) {
        state.snapshot = disk.snapshots.rbegin()->first;
        state.voters = {voters_of(*state.snapshot)};
    }
    if (disk.start > Offset(0)) {
        state.log_start_snapshot = disk.snapshots.begin()->first;
        state.epochs.push_back({state.log_start_snapshot->epoch, disk.start});
    }
    for (const Batch& batch : disk.batches) {
        if (state.epochs.empty() || state.epochs.back().epoch < batch.epoch) {
            state.epochs.push_back({batch.epoch, batch.base_offset});
        }
        if (batch.base_offset <= state.voters.front().offset) continue;
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

void Cluster::crash(BrokerId id, Offset kept_end, bool is_loaded) {
    Node& node = nodes_.at(id);
    ASSERT_GE(kept_end, node.disk.durable_end) << "a disk that loses what was synced";
    node.core.reset();
    node.wake_at = env::kNever;
    if (node.is_loading && is_loaded) node.disk.begin_anew(*node.part_of, node.part);
    node.is_loading = false;
    node.part_of.reset();
    Disk& disk = node.disk;
    while (disk.end() > kept_end && !disk.batches.empty()) disk.batches.pop_back();
    disk.appended_end = disk.durable_end = disk.end();
    // A snapshot of what this disk had not synced, and others had.
    if (!disk.snapshots.empty() && disk.snapshots.rbegin()->first.end_offset > disk.end()) {
        const auto newest = *disk.snapshots.rbegin();
        disk.begin_anew(newest.first, newest.second);
    }
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
    ASSERT_FALSE(node.is_loading && (output.truncate_to || !output.appends.empty()))
        << "the log is changed while it begins anew";
    if (output.truncate_to) {
        while (node.disk.end() > *output.truncate_to) node.disk.batches.pop_back();
        ASSERT_EQ(node.disk.end(), *output.truncate_to) << "cut inside a batch";
        node.disk.appended_end = node.disk.durable_end = node.disk.end();
    }
    store(node, output.appends);
    if (output.snapshot_chunk) store(node, *output.snapshot_chunk);
    if (output.load_snapshot) {
        ASSERT_EQ(node.part_of, output.load_snapshot);
        node.is_loading = true;
    }
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
    const Disk& disk = nodes_.at(id).disk;
    if (auto* fetch = std::get_if<FetchResponse>(&reply.response))
        add_records(disk, std::get<FetchRequest>(request), *fetch);
    if (auto* fetch = std::get_if<FetchSnapshotResponse>(&reply.response)) add_bytes(disk, *fetch);
    if (by != kNoBroker) network_.push_back({of, by, request_id, std::move(reply.response)});
}

void Cluster::add_records(const Disk& disk, const FetchRequest& request,
                          FetchResponse& response) const {
    for (const Batch& batch : disk.batches) {
        if (batch.base_offset >= request.fetch_offset && batch.base_offset < response.read_end &&
            response.batches.size() < 3) {
            response.batches.push_back(batch);
        }
    }
}

void Cluster::add_bytes(const Disk& disk, FetchSnapshotResponse& response) const {
    constexpr std::size_t kChunk = 24;
    if (response.error != ErrorCode::none) return;
    const auto snapshot = disk.snapshots.find(response.snapshot);
    if (snapshot == disk.snapshots.end()) {
        response.error = ErrorCode::snapshot_not_found;
        return;
    }
    response.size = BytePosition(static_cast<std::int64_t>(snapshot->second.size()));
    if (response.position >= response.size) {
        response.error = ErrorCode::position_out_of_range;
        return;
    }
    response.bytes =
        payload(snapshot->second.substr(static_cast<std::size_t>(response.position.value), kChunk));
}

void Cluster::store(Node& node, const SnapshotChunk& chunk) {
    ASSERT_FALSE(node.is_loading);
    if (chunk.position == BytePosition(0)) {
        node.part_of = chunk.id;
        node.part.clear();
    }
    ASSERT_EQ(node.part_of, chunk.id);
    ASSERT_EQ(chunk.position.value, static_cast<std::int64_t>(node.part.size()));
    node.part += as_text(*chunk.bytes);
}

std::size_t Cluster::committed_below(Offset end) const {
    const auto first =
        std::partition_point(committed_.begin(), committed_.end(),
                             [&](const Batch& batch) { return batch.base_offset < end; });
    return static_cast<std::size_t>(first - committed_.begin());
}

/// What `by` writes: pieces of two replicas' never make a whole.
std::string Cluster::content_of(BrokerId by, const SnapshotId& id) const {
    std::string records;
    for (std::size_t i = 0; i < committed_below(id.end_offset); ++i)
        records += identity(committed_[i]) + "\n";
    return fmt::format("{} wrote {}-{} of {:016x}, end of {}'s", by, id.end_offset, id.epoch,
                       std::hash<std::string>{}(records), by);
}

VotersAt Cluster::voters_of(const SnapshotId& id) const {
    VotersAt voters{id.end_offset + -1, options_.kraft_version, voters_};
    for (std::size_t i = 0; i < committed_below(id.end_offset); ++i) {
        for (const ControlRecord& record : committed_[i].control) {
            if (const auto* named = std::get_if<VotersRecord>(&record))
                voters.voters = named->voters;
        }
    }
    return voters;
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

void Cluster::finish_load(BrokerId id) {
    Node& node = nodes_.at(id);
    if (!node.is_loading) return;
    const SnapshotId loaded = *node.part_of;
    const bool is_whole = std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& by) {
        return node.part == content_of(by.first, loaded);
    });
    ASSERT_TRUE(is_whole) << node.part << " loaded by " << id.value << " as "
                          << loaded.end_offset.value;
    node.disk.begin_anew(loaded, node.part);
    node.is_loading = false;
    node.part_of.reset();
    ++loads_;
    step(id, SnapshotLoaded{loaded, voters_of(loaded)});
}

void Cluster::refuse_snapshot(BrokerId id) {
    Node& node = nodes_.at(id);
    if (!node.part_of) return;
    node.is_loading = false;
    step(id, SnapshotRefused{*node.part_of, "no room for it"});
}

bool Cluster::take_snapshot(BrokerId id) {
    Node& node = nodes_.at(id);
    const Offset committed = node.core->high_watermark().value_or(Offset(0));
    SnapshotId taken;
    for (const Batch& batch : node.disk.batches) {
        if (batch.last_offset < std::min(committed, node.disk.appended_end))
            taken = {batch.last_offset.next(), batch.epoch};
    }
    if (!node.core->may_snapshot(taken)) return false;
    node.disk.snapshots[taken] = content_of(id, taken);
    step(id, SnapshotTaken{taken});
    return true;
}

void Cluster::clean(BrokerId id, int skipped) {
    Disk& disk = nodes_.at(id).disk;
    // A log is not cleaned while it begins anew.
    if (nodes_.at(id).is_loading) return;
    const auto first = std::find_if(disk.snapshots.begin(), disk.snapshots.end(), [&](auto& one) {
        return one.first.end_offset > disk.start && skipped-- <= 0;
    });
    if (first == disk.snapshots.end()) return;
    disk.snapshots.erase(disk.snapshots.begin(), first);
    disk.start = first->first.end_offset;
    std::erase_if(disk.batches, [&](const Batch& one) { return one.base_offset < disk.start; });
    step(id, LogCleaned{first->first});
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
            moved |= node.disk.durable_end < node.disk.end() || node.is_loading;
            finish_load(id);
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
    // What lies below the start is in a snapshot, which was compared when it was loaded.
    const std::vector<Batch>& log = nodes_.at(id).disk.batches;
    const std::size_t first = committed_below(nodes_.at(id).disk.start);
    ASSERT_GE(first + log.size(), committed_.size())
        << "leader " << id.value << " lacks committed records";
    for (std::size_t i = first; i < committed_.size(); ++i) {
        ASSERT_EQ(identity(log[i - first]), identity(committed_[i]));
    }
}

void Cluster::check_committed(BrokerId id, Offset high_watermark) {
    const Disk& disk = nodes_.at(id).disk;
    const std::size_t first = committed_below(disk.start);
    for (std::size_t i = 0; i < disk.batches.size() && disk.batches[i].last_offset < high_watermark;
         ++i) {
        if (first + i < committed_.size()) {
            ASSERT_EQ(identity(disk.batches[i]), identity(committed_[first + i]))
                << "on node " << id.value;
        } else {
            committed_.push_back(disk.batches[i]);
        }
    }
    ASSERT_GE(disk.end(), high_watermark);
}

void Cluster::check_log_matching() const {
    for (const auto& [a, first] : nodes_) {
        for (const auto& [b, second] : nodes_) {
            const std::vector<Batch>& right = second.disk.batches;
            bool agree = false;
            for (auto left = first.disk.batches.rbegin(); left != first.disk.batches.rend();
                 ++left) {
                const auto other = std::lower_bound(
                    right.begin(), right.end(), left->base_offset,
                    [](const Batch& one, Offset at) { return one.base_offset < at; });
                const bool is_there =
                    other != right.end() && other->base_offset == left->base_offset;
                agree |= is_there && other->epoch == left->epoch;
                if (!agree || left->base_offset < second.disk.start) continue;
                ASSERT_TRUE(is_there) << a.value << " and " << b.value;
                ASSERT_EQ(identity(*left), identity(*other)) << a.value << " and " << b.value;
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
        const std::string start =
            node.disk.start == Offset(0) ? "" : fmt::format("{}..", node.core->log_start_offset());
        lines += fmt::format("{} {} epoch={} leader={} log={}{} durable={} hw={} voters={}\n", id,
                             text(node.core->role()), view.epoch, view.leader, start,
                             node.core->log_end_offset(), node.disk.durable_end,
                             node.core->high_watermark().value_or(Offset(-1)),
                             node.core->voters().ids().size());
    }
    return lines;
}

}  // namespace milena::raft::test
