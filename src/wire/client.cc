// SPDX-License-Identifier: Apache-2.0
// Who is asked: which nodes there are, who leads, and a connection to the one that is meant.
#include "milena/wire/client.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "channel.h"
#include "milena/protocol/messages/describe_cluster.h"

namespace milena::wire {
namespace {

/// Partitions whose leaders are remembered.
constexpr std::size_t kLeadersMax = 1'000'000;
/// DescribeCluster's word for controllers.
constexpr std::int8_t kControllerEndpoints = 2;

Result<env::Endpoint> parse_endpoint(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    std::string_view host = text.substr(0, colon);
    const std::string_view port_text =
        colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    std::uint16_t port = 0;
    const auto [end, error] =
        std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
    if (host.empty() || port_text.empty() || error != std::errc() ||
        end != port_text.data() + port_text.size()) {
        return fail(ErrorCode::invalid_config,
                    fmt::format("Invalid url in bootstrap.servers: {}", text));
    }
    return env::Endpoint{std::string(host), port};
}

}  // namespace

Result<std::vector<env::Endpoint>> parse_bootstrap(std::string_view text) {
    std::vector<env::Endpoint> endpoints;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view one = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        while (one.starts_with(' ')) one.remove_prefix(1);
        while (one.ends_with(' ')) one.remove_suffix(1);
        if (one.empty()) continue;
        TRY(auto endpoint, parse_endpoint(one));
        endpoints.push_back(std::move(endpoint));
    }
    if (endpoints.empty())
        return fail(ErrorCode::invalid_config,
                    "No resolvable bootstrap urls given in bootstrap.servers");
    return endpoints;
}

Client::Client(env::Env& env, env::Executor owner, ClientOptions options, Logger log)
    : env_(env), owner_(owner), options_(std::move(options)), log_(std::move(log)) {}

Client::~Client() {
    close();
}

void Client::close() {
    closed_ = true;
    for (const auto& [endpoint, channel] : std::exchange(channels_, {}))
        channel->close({ErrorCode::network_exception, "the client was closed"});
}

env::Instant Client::connected_by(Target target, env::Instant give_up) const {
    const env::Instant now = env_.clock().now();
    if (target.kind != Target::Kind::broker || give_up - now <= options_.broker_timeout)
        return give_up;
    return now + options_.broker_timeout;
}

env::Task<Result<std::unique_ptr<AnswerMemory>>> Client::exchange(Target target,
                                                                  Outgoing outgoing) {
    const env::Instant give_up = env_.clock().now() + options_.call_timeout;
    CO_TRY(const auto channel, co_await channel_to(target, connected_by(target, give_up)));
    co_return co_await channel->call(
        outgoing, std::min(give_up, env_.clock().now() + options_.request_timeout));
}

env::Task<Result<std::optional<std::int16_t>>> Client::version_of(Target target,
                                                                  protocol::ApiKey key) {
    const env::Instant give_up = env_.clock().now() + options_.call_timeout;
    CO_TRY(const auto channel, co_await channel_to(target, connected_by(target, give_up)));
    const auto version = channel->pick_version(*protocol::find_api(static_cast<std::int16_t>(key)),
                                               protocol::kNoVersion);
    std::optional<std::int16_t> highest;
    if (version) highest = *version;
    co_return highest;
}

env::Task<Result<std::shared_ptr<Channel>>> Client::channel_to(Target target,
                                                               env::Instant give_up) {
    if (target.kind == Target::Kind::any) co_return co_await channel_to_any(give_up);
    BrokerId id = target.broker_id;
    env::Duration backoff = options_.backoff_min;
    for (;;) {
        if (target.kind == Target::Kind::controller) id = controller_;
        if (id != kNoBroker && nodes_.contains(id)) {
            auto channel = co_await channel_to_node(id, give_up);
            if (channel || env_.clock().now() >= give_up) co_return channel;
        }
        CO_TRY_VOID(co_await refresh_nodes());
        if (target.kind == Target::Kind::controller && nodes_.contains(controller_)) continue;
        if (target.kind == Target::Kind::broker && nodes_.contains(id)) continue;
        if (target.kind == Target::Kind::broker || env_.clock().now() + backoff >= give_up) {
            co_return fail(ErrorCode::broker_not_available,
                           target.kind == Target::Kind::broker
                               ? fmt::format("there is no broker {} in the cluster", id)
                               : "the cluster has no controller now");
        }
        co_await env_.sleep(owner_, backoff);
        backoff = std::min(backoff * 2, options_.backoff_max);
    }
}

env::Task<Result<std::shared_ptr<Channel>>> Client::channel_to_any(env::Instant give_up) {
    for (const auto& [endpoint, channel] : channels_) {
        if (channel->is_open()) co_return channel;
    }
    env::Duration backoff = options_.backoff_min;
    for (;;) {
        std::vector<env::Endpoint> candidates = options_.bootstrap;
        for (const auto& [id, node] : nodes_) candidates.push_back(node.endpoint);
        Error last;
        for (std::size_t tried = 0; tried < candidates.size(); ++tried) {
            auto channel = co_await open(candidates[next_any_ % candidates.size()], give_up);
            if (channel) co_return channel;
            last = channel.error();
            ++next_any_;
        }
        if (closed_ || env_.clock().now() + backoff >= give_up) co_return std::unexpected(last);
        co_await env_.sleep(owner_, backoff);
        backoff = std::min(backoff * 2, options_.backoff_max);
    }
}

env::Task<Result<std::shared_ptr<Channel>>> Client::channel_to_node(BrokerId id,
                                                                    env::Instant give_up) {
    env::Duration backoff = options_.backoff_min;
    for (;;) {
        const auto node = nodes_.find(id);
        if (node == nodes_.end())
            co_return fail(ErrorCode::broker_not_available, "the node has left the cluster");
        const env::Endpoint endpoint = node->second.endpoint;
        auto channel = co_await open(endpoint, give_up);
        if (channel || closed_ || env_.clock().now() + backoff >= give_up) co_return channel;
        co_await env_.sleep(owner_, backoff);
        backoff = std::min(backoff * 2, options_.backoff_max);
    }
}

std::shared_ptr<Channel> Client::open_channel(const env::Endpoint& endpoint) {
    const auto known = channels_.find(endpoint);
    return known != channels_.end() && known->second->is_open() ? known->second : nullptr;
}

env::Task<Result<std::shared_ptr<Channel>>> Client::open(env::Endpoint endpoint,
                                                         env::Instant give_up) {
    if (closed_) co_return fail(ErrorCode::network_exception, "the client was closed");
    if (auto channel = open_channel(endpoint)) co_return channel;
    const env::Duration time = std::min(options_.request_timeout, options_.connect_timeout);
    const env::Instant patience = std::min(give_up, env_.clock().now() + time);
    auto opened = co_await Channel::open(env_, owner_, options_, endpoint, patience);
    if (!opened) {
        LOG_WARN(log_, "connection to node could not be established", kv("node", endpoint.text()),
                 kv("why", opened.error().why));
        co_return opened;
    }
    // Another call may have connected meanwhile: one connection a node.
    auto other = open_channel(endpoint);
    if (other == nullptr && !closed_) {
        channels_[endpoint] = *opened;
        co_return opened;
    }
    (*opened)->close({ErrorCode::network_exception, "there is another connection"});
    if (other != nullptr) co_return other;
    co_return fail(ErrorCode::network_exception, "the client was closed");
}

env::Task<Result<Answer<protocol::MetadataResponse>>> Client::refresh(
    const std::vector<std::string>* topics) {
    protocol::MetadataRequest request;
    std::vector<protocol::MetadataRequest::MetadataRequestTopic> wanted;
    if (topics != nullptr) {
        for (const std::string& topic : *topics) wanted.emplace_back().name = topic;
        request.topics = wanted;
    } else {
        request.topics = std::nullopt;
    }
    request.allow_auto_topic_creation = false;
    CO_TRY(auto answer, co_await call<protocol::MetadataResponse>(Target::any(), request));
    remember(*answer);
    co_return answer;
}

env::Task<Result<void>> Client::refresh_nodes() {
    if (options_.to_controllers) co_return co_await refresh_controllers();
    const std::vector<std::string> no_topics;
    CO_TRY_VOID(co_await refresh(&no_topics));
    co_return ok();
}

env::Task<Result<void>> Client::refresh_controllers() {
    protocol::DescribeClusterRequest request;
    request.endpoint_type = kControllerEndpoints;
    CO_TRY(const auto answer,
           co_await call<protocol::DescribeClusterResponse>(Target::any(), request));
    if (answer->error_code != 0) {
        co_return fail(static_cast<ErrorCode>(answer->error_code),
                       std::string(answer->error_message.value_or("")));
    }
    nodes_.clear();
    for (const auto& node : answer->brokers) {
        const BrokerId id(node.broker_id);
        nodes_[id] = {id, {std::string(node.host), static_cast<std::uint16_t>(node.port)}, {}};
    }
    controller_ = BrokerId(answer->controller_id);
    co_return ok();
}

void Client::remember(const protocol::MetadataResponse& metadata) {
    nodes_.clear();
    for (const auto& broker : metadata.brokers) {
        const BrokerId id(broker.node_id);
        ClusterNode& node = nodes_[id];
        node = {id, {std::string(broker.host), static_cast<std::uint16_t>(broker.port)}, {}};
        if (broker.rack) node.rack = std::string(*broker.rack);
    }
    controller_ = BrokerId(metadata.controller_id);
    for (const auto& topic : metadata.topics) {
        if (!topic.name) continue;
        for (const auto& partition : topic.partitions) {
            if (leaders_.size() >= kLeadersMax) leaders_.clear();
            leaders_[{std::string(*topic.name), PartitionIndex(partition.partition_index)}] =
                BrokerId(partition.leader_id);
        }
    }
}

std::optional<BrokerId> Client::leader_of(std::string_view topic, PartitionIndex partition) const {
    const auto known = leaders_.find(std::pair(std::string(topic), partition));
    if (known == leaders_.end() || known->second == kNoBroker) return std::nullopt;
    return known->second;
}

}  // namespace milena::wire
