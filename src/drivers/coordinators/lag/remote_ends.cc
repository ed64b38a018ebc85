// SPDX-License-Identifier: Apache-2.0
// A broker's own answer is all that counts: what it says of a partition that it does not lead is
// passed over, and the next image tells who does.
#include "remote_ends.h"

#include <fmt/format.h>

#include "milena/replication/partition.h"

namespace milena::drivers {
namespace {

using Request = protocol::ListOffsetsRequest;

constexpr env::Duration kConnectTime = std::chrono::seconds(2);
constexpr auto kLatest = static_cast<std::int64_t>(replication::OffsetSpec::latest);
/// Who asks as a consumer is told the high watermark, a replica the log's end.
constexpr std::int32_t kConsumer = -1;

/// A request of the wire, and what it views.
struct WireAsk {
    explicit WireAsk(const std::vector<AskedEnds>& asked) {
        for (const AskedEnds& one : asked) {
            auto& list = partitions.emplace_back();
            for (const PartitionIndex partition : one.partitions) {
                auto& part = list.emplace_back();
                part.partition_index = partition.value;
                part.timestamp = kLatest;
            }
            topics.emplace_back().name = one.topic;
        }
        for (std::size_t i = 0; i < topics.size(); ++i) topics[i].partitions = partitions[i];
        request.replica_id = kConsumer;
        request.topics = topics;
    }
    Request request;
    std::vector<Request::ListOffsetsTopic> topics;
    std::vector<std::vector<Request::ListOffsetsPartition>> partitions;
};

}  // namespace

RemoteEnds::RemoteEnds(RemoteEndsParts parts)
    : parts_(std::move(parts)), ended_(parts_.env, parts_.owner) {}

std::unique_ptr<wire::Client> RemoteEnds::connect(const env::Endpoint& endpoint) const {
    wire::ClientOptions options;
    options.bootstrap = {endpoint};
    options.client_id = fmt::format("broker-{}-lag", parts_.self);
    options.request_timeout = options.call_timeout = parts_.answer_time;
    // One try a call: what is tried next is decided here.
    options.backoff_min = options.backoff_max = parts_.answer_time;
    options.connect_timeout = kConnectTime;
    return std::make_unique<wire::Client>(parts_.env, parts_.owner, std::move(options), Logger());
}

void RemoteEnds::round(const std::map<BrokerId, Leader>& leaders) {
    if (is_stopped_) return;
    // Who is being asked goes when it has answered.
    std::erase_if(remotes_, [&](const auto& known) {
        return !leaders.contains(known.first) && !known.second->questions.is_asking();
    });
    const env::Instant now = parts_.env.clock().now();
    for (const auto& [id, leader] : leaders) {
        auto& remote = remotes_[id];
        if (remote == nullptr) remote = std::make_shared<Remote>();
        auto asked = remote->questions.next(leader.partitions, now);
        if (asked.empty()) continue;
        if (remote->client == nullptr || remote->endpoint != leader.endpoint) {
            remote->endpoint = leader.endpoint;
            remote->client = connect(leader.endpoint);
        }
        ++asking_;
        parts_.counters.requests.add();
        env::spawn(parts_.owner, ask(id, remote, std::move(asked)));
    }
}

env::Task<void> RemoteEnds::ask(BrokerId leader, std::shared_ptr<Remote> remote,
                                std::vector<AskedEnds> asked) {
    const WireAsk wire(asked);
    const auto answer = co_await remote->client->call<Response>(wire::Target::any(), wire.request);
    if (answer && !is_stopped_) {
        co_await parts_.env.offload(env::Pool::compute, [&] { take(**answer, asked); });
    }
    if (answer) {
        remote->questions.answered();
    } else {
        parts_.counters.failures.add();
        const bool is_first = remote->questions.failed(parts_.env.clock().now());
        if (is_first && !is_stopped_) {
            LOG_WARN(parts_.log, "a leader does not tell the ends that lag is measured by",
                     kv("leader", leader), kv("why", answer.error().why));
        }
    }
    --asking_;
    ended_.notify();
}

void RemoteEnds::take(const Response& answer, const std::vector<AskedEnds>& asked) const {
    std::map<std::string_view, Uuid> ids;
    for (const AskedEnds& one : asked) ids.emplace(one.topic, one.id);
    for (const auto& topic : answer.topics) {
        const auto id = ids.find(topic.name);
        if (id == ids.end()) continue;
        std::vector<SeenEnd> ends;
        for (const auto& part : topic.partitions) {
            if (part.error_code == 0 && part.offset >= 0)
                ends.push_back({PartitionIndex(part.partition_index), Offset(part.offset)});
        }
        parts_.told(std::string(topic.name), id->second, ends);
    }
}

env::Task<void> RemoteEnds::stop() {
    is_stopped_ = true;
    for (const auto& [id, remote] : remotes_) {
        if (remote->client != nullptr) remote->client->close();
    }
    while (asking_ > 0) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers
