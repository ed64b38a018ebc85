// SPDX-License-Identifier: Apache-2.0
// The coordinator of one partition over a real log on a simulated disk, a state store in memory,
// and groups that write down what they are called for.
#pragma once

#include "coordinators/hosted_groups.h"
#include "support/memory_state_store.h"
#include "unit/drivers/coordinators/fake_groups.h"
#include "unit/drivers/coordinators/led_partition.h"

namespace milena::drivers {

class HostedGroupsTest : public ::testing::Test {
protected:
    using Answer = Asker::Answer;
    using Slot = std::shared_ptr<std::optional<Answer>>;

    HostedGroupsTest()
        : node_(world_.add_node("n1")),
          led_(node_),
          disk_([](std::uint64_t) { return 0; }),
          store_(disk_.open()),
          host_(node_, Logger(), *store_, options()) {
        host_.ended = [] {};
    }
    ~HostedGroupsTest() override {
        if (hosted_ != nullptr) hosted_->resign({ErrorCode::not_coordinator, "the test is over"});
        world_.run_for(std::chrono::seconds(5));
        EXPECT_EQ(host_.running.with([](int running) { return running; }), 0);
    }

    GroupCoordinatorOptions options() {
        GroupCoordinatorOptions options;
        options.self = BrokerId(1);
        options.make_groups = [this] { return std::make_unique<FakeGroups>(trace_); };
        options.applied = [this](const storage::StateSpace&) { return applied_; };
        return options;
    }
    const storage::StateSpace space_{LedPartition::kTopic, PartitionIndex(3)};

    /// Begins to take the partition over.
    void elect() {
        hosted_ = std::make_shared<HostedGroups>(
            host_, HostedGroups::Place{space_, led_.partition, node_.core(1)});
        inside([this] { hosted_->start(nullptr); });
    }
    /// What only code of the node may do.
    void inside(const std::function<void()>& what) {
        const auto task = [&]() -> env::Task<void> {
            what();
            co_return;
        };
        ASSERT_TRUE(world_.run(node_, task()));
    }
    /// Elected, alone, with an empty log.
    void become_active() {
        led_.lead(kAlone);
        elect();
        world_.run_for(std::chrono::seconds(1));
        ASSERT_EQ(hosted_->figures().phase, HostedGroups::Phase::active);
        trace_.lines.clear();
    }
    /// Elected with a follower that has everything.
    void become_active_with_follower() {
        led_.lead(kBoth);
        inside([this] { led_.follower_catches_up(); });
        elect();
        world_.run_for(std::chrono::seconds(1));
        ASSERT_EQ(hosted_->figures().phase, HostedGroups::Phase::active);
        trace_.lines.clear();
    }

    /// Asks from a core; the answer appears in the slot.
    Slot ask(coordinator::GroupRequest request, std::size_t core = 0) {
        const auto slot = std::make_shared<std::optional<Answer>>();
        env::post(node_.core(core), [this, slot, core, request = std::move(request)] {
            env::spawn(node_.core(core), ask_into(slot, core, request));
        });
        return slot;
    }
    /// Asks, and waits for it.
    Answer ask_now(coordinator::GroupRequest request) {
        const Slot slot = ask(std::move(request));
        EXPECT_TRUE(world_.run_until([&] { return slot->has_value(); }));
        return slot->has_value() ? **slot : fail(ErrorCode::unknown_server_error, "no answer");
    }
    static coordinator::CommitRequest commit(std::string topic) {
        coordinator::CommitRequest request;
        request.group = "g";
        request.topics.push_back({.name = std::move(topic), .id = {}, .partitions = {}});
        return request;
    }
    static coordinator::JoinRequest join(std::int32_t rebalance_timeout_ms) {
        coordinator::JoinRequest request;
        request.rebalance_timeout_ms = rebalance_timeout_ms;
        return request;
    }
    static coordinator::FetchOffsetsRequest fetch(std::string group) {
        coordinator::FetchOffsetsRequest request;
        request.group = std::move(group);
        return request;
    }
    static ErrorCode code_of(const Slot& slot) {
        return !*slot ? ErrorCode::unknown_server_error
                      : (**slot ? ErrorCode::none : (*slot)->error().code);
    }
    /// Asserts on all that has happened since the last look.
    void expect_trace(std::vector<std::string> wanted) {
        EXPECT_EQ(std::exchange(trace_.lines, {}), wanted);
    }
    void put(const std::string& key, std::int64_t applied) {
        const storage::StateChange change{as_bytes(key), as_bytes("v")};
        ASSERT_TRUE(
            store_->write(space_, std::span(&change, 1), {Offset(applied), LeaderEpoch(0), 0}));
    }

    sim::World world_{1};
    sim::Node& node_;
    LedPartition led_;
    GroupsTrace trace_;
    support::StateDisk disk_;
    std::unique_ptr<storage::StateStore> store_;
    std::optional<Offset> applied_ = Offset(0);
    Host host_;
    std::shared_ptr<HostedGroups> hosted_;

private:
    env::Task<void> ask_into(Slot slot, std::size_t core, coordinator::GroupRequest request) {
        *slot = co_await hosted_->ask(node_.core(core), std::move(request));
    }
};

}  // namespace milena::drivers
