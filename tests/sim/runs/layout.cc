// SPDX-License-Identifier: Apache-2.0
// The table of layouts, and the words of their configurations.
#include "sim/runs/layout.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "milena/base/invariant.h"

namespace milena::sim {
namespace {

constexpr std::string_view kClusterId = "Lw3Jq8PSQGm0o3vbYqTCLQ";

struct Row {
    std::string_view name;
    Layout::Quorum quorum;
    int combined;
    int controllers;
    int brokers;
    /// Of a hundred runs.
    std::uint64_t share;
};

constexpr Row kRows[] = {
    {"one", Layout::Quorum::alone, 1, 0, 0, 20},
    {"three", Layout::Quorum::named, 3, 0, 0, 25},
    {"three-recorded", Layout::Quorum::recorded, 3, 0, 0, 25},
    {"apart-two", Layout::Quorum::named, 0, 3, 2, 10},
    {"apart-three", Layout::Quorum::named, 0, 3, 3, 10},
    {"five", Layout::Quorum::named, 5, 0, 0, 10},
};

raft::ReplicaKey key_of(const Role& role) {
    return {BrokerId(role.id), Uuid{0x5EED, static_cast<std::uint64_t>(role.id)}};
}

}  // namespace

Layout::Layout(std::string_view name, Quorum quorum, int combined, int controllers, int brokers)
    : name_(name), quorum_(quorum) {
    for (int i = 0; i < combined + controllers + brokers; ++i) {
        roles_.push_back({.id = i + 1,
                          .is_broker = i < combined || i >= combined + controllers,
                          .is_controller = i < combined + controllers});
    }
}

Layout Layout::draw(SeededRandom random) {
    std::uint64_t drawn = random.below(100);
    for (const Row& row : kRows) {
        if (drawn < row.share) return *find(row.name);
        drawn -= row.share;
    }
    INVARIANT(false, "the shares of the layouts are no hundred");
}

std::optional<Layout> Layout::find(std::string_view name) {
    const auto* const row = std::ranges::find(kRows, name, &Row::name);
    if (row == std::end(kRows)) return std::nullopt;
    return Layout(row->name, row->quorum, row->combined, row->controllers, row->brokers);
}

std::vector<std::string_view> Layout::names() {
    std::vector<std::string_view> names;
    for (const Row& row : kRows) names.push_back(row.name);
    return names;
}

std::vector<Role> Layout::controllers() const {
    std::vector<Role> found = roles_;
    std::erase_if(found, [](const Role& role) { return !role.is_controller; });
    return found;
}

std::int16_t Layout::replicas() const {
    return std::ranges::count_if(roles_, &Role::is_broker) < 3 ? 1 : 3;
}

std::string Layout::voters() const {
    std::vector<std::string> texts;
    for (const Role& role : controllers()) {
        const std::string id = quorum_ == Quorum::named ? fmt::format("{}@", role.id) : "";
        texts.push_back(fmt::format("{}{}:{}", id, role.name(), kControllerPort));
    }
    return fmt::format("{}", fmt::join(texts, ","));
}

std::string Layout::properties(const Role& role, const ServerSettings& settings) const {
    std::vector<std::string> roles, listeners;
    std::string text;
    if (role.is_broker) {
        roles.emplace_back("broker");
        listeners.push_back(fmt::format("PLAINTEXT://{}:{}", role.name(), kBrokerPort));
    }
    if (role.is_controller) {
        roles.emplace_back("controller");
        listeners.push_back(fmt::format("CONTROLLER://{}:{}", role.name(), kControllerPort));
    }
    text += fmt::format("process.roles={}\n", fmt::join(roles, ","));
    text += fmt::format("node.id={}\n", role.id);
    text += fmt::format("listeners={}\n", fmt::join(listeners, ","));
    text += "controller.listener.names=CONTROLLER\n";
    text += fmt::format("controller.quorum.{}={}\n",
                        quorum_ == Quorum::named ? "voters" : "bootstrap.servers", voters());
    text += "log.dirs=/data\noffsets.topic.num.partitions=2\n";
    text += fmt::format("offsets.topic.replication.factor={}\n", replicas());
    text += "group.min.session.timeout.ms=1000\ngroup.initial.rebalance.delay.ms=500\n";
    text += "group.consumer.min.session.timeout.ms=1000\ngroup.consumer.session.timeout.ms=3000\n";
    text += "group.consumer.min.heartbeat.interval.ms=100\n";
    text += "group.consumer.heartbeat.interval.ms=300\n";
    text += "group.consumer.assignment.interval.ms=200\n";
    text += fmt::format("internal.metadata.log.segment.bytes={}\n", settings.segment_bytes);
    text += fmt::format("metadata.log.max.record.bytes.between.snapshots={}\n",
                        settings.bytes_between_snapshots);
    if (settings.syncs_each_record) text += "log.flush.interval.messages=1\n";
    return text;
}

std::optional<node::FormatRequest> Layout::format(const Role&) const {
    if (quorum_ == Quorum::alone) return std::nullopt;
    node::FormatRequest request;
    request.cluster_id = kClusterId;
    if (quorum_ == Quorum::recorded) {
        for (const Role& role : controllers()) {
            request.initial_controllers.push_back(
                {.key = key_of(role), .endpoints = {{"CONTROLLER", role.name(), kControllerPort}}});
        }
    }
    return request;
}

}  // namespace milena::sim
