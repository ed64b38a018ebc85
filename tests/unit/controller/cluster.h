// SPDX-License-Identifier: Apache-2.0
// A controller with a log of its own: every decision's records are appended and applied at once, as
// the host does.
#pragma once

#include <gtest/gtest.h>

#include "milena/controller/controller.h"
#include "milena/metadata/features.h"
#include "sim/random.h"

namespace milena::controller {

inline BrokerId broker_id(int id) {
    return BrokerId(id);
}
inline std::vector<BrokerId> broker_ids(std::initializer_list<int> ids) {
    std::vector<BrokerId> result;
    for (const int id : ids) result.emplace_back(id);
    return result;
}

class Cluster {
public:
    static Options default_options() {
        Options options;
        options.node = BrokerId(100);
        options.cluster_id = "cluster";
        return options;
    }

    explicit Cluster(Options options = default_options())
        : controller_(std::move(options), random_) {
        activate();
    }

    /// (Re)starts the controller on what is in the log.
    void activate(std::span<const RecordValue> bootstrap = {}) {
        const auto image = replay();
        append(controller_.activate(
            {.committed = image, .in_transaction = false, .bootstrap = bootstrap, .now = now}));
    }

    Controller& controller() { return controller_; }
    const metadata::Image& image() const { return *controller_.image(); }
    const std::vector<RecordValue>& log() const { return log_; }
    Offset next() const { return Offset(static_cast<std::int64_t>(log_.size())); }

    void append(std::vector<RecordValue> records) {
        const auto applied = controller_.apply(records, next(), LeaderEpoch(1), now);
        ASSERT_TRUE(applied) << applied.error().why;
        log_.insert(log_.end(), records.begin(), records.end());
    }
    template <class Reply>
    Reply commit(Decision<Reply> decision) {
        append(std::move(decision.records));
        return std::move(decision.reply);
    }

    /// The image that somebody else makes of the log.
    std::shared_ptr<const metadata::Image> replay() const {
        metadata::Loader loader(metadata::Image::empty());
        const std::vector<BytesView> values(log_.begin(), log_.end());
        EXPECT_TRUE(loader.apply(
            values, {Offset(static_cast<std::int64_t>(log_.size()) - 1), LeaderEpoch(1), -1}));
        loader.take();
        return loader.image();
    }

    static std::map<std::string, metadata::VersionRange> all_features() {
        std::map<std::string, metadata::VersionRange> features;
        for (const auto& feature : metadata::supported_features())
            features.emplace(feature.name, feature.range);
        return features;
    }

    /// A registration by a new incarnation, in one log directory of its own.
    RegisterBrokerRequest registration(int id) {
        RegisterBrokerRequest request;
        request.id = BrokerId(id);
        request.cluster_id = "cluster";
        request.incarnation_id = env::random_uuid(random_);
        request.endpoints = {{"PLAINTEXT", "host", 9092, 0}};
        request.features = all_features();
        request.log_directories = {{1, 1000 + static_cast<std::uint64_t>(id)}};
        return request;
    }
    Result<RegisterBrokerReply> register_broker(const RegisterBrokerRequest& request) {
        return commit(controller_.register_broker(request, next(), now));
    }

    BrokerHeartbeatRequest heartbeat_of(int id) const {
        BrokerHeartbeatRequest request;
        request.id = BrokerId(id);
        request.epoch = image().cluster->find_broker(request.id)->epoch;
        request.metadata_offset = Offset(next().value - 1);
        return request;
    }
    Result<BrokerHeartbeatReply> heartbeat(const BrokerHeartbeatRequest& request) {
        return commit(controller_.heartbeat(request, now));
    }

    /// Registered and unfenced.
    void add_broker(int id, std::optional<std::string> rack = std::nullopt) {
        RegisterBrokerRequest request = registration(id);
        request.rack = std::move(rack);
        const auto registered = register_broker(request);
        ASSERT_TRUE(registered) << registered.error().why;
        const auto unfenced = heartbeat(heartbeat_of(id));
        ASSERT_TRUE(unfenced) << unfenced.error().why;
        ASSERT_FALSE(unfenced->is_fenced);
    }
    void add_brokers(int count) {
        for (int id = 1; id <= count; ++id) add_broker(id);
    }
    void fence(int id) {
        auto request = heartbeat_of(id);
        request.want_fence = true;
        ASSERT_TRUE(heartbeat(request));
    }
    void unfence(int id) { ASSERT_TRUE(heartbeat(heartbeat_of(id))); }

    CreatedTopic create(NewTopic topic) {
        CreateTopicsRequest request;
        request.topics.push_back(std::move(topic));
        return commit(controller_.create_topics(request)).topics.front();
    }
    /// A topic whose partitions have these replicas.
    CreatedTopic create(
        const std::string& name, const std::vector<std::vector<BrokerId>>& partitions,
        std::vector<std::pair<std::string, std::optional<std::string>>> configs = {}) {
        NewTopic topic{.name = name, .configs = std::move(configs)};
        for (std::size_t index = 0; index < partitions.size(); ++index) {
            topic.assignments.push_back(
                {PartitionIndex(static_cast<std::int32_t>(index)), partitions[index]});
        }
        return create(std::move(topic));
    }
    const metadata::PartitionRegistration& partition(std::string_view topic, int index = 0) const {
        return image().topics->find(topic)->partitions.at(PartitionIndex(index));
    }

    env::Instant now{};

private:
    sim::SeededRandom random_{1};
    Controller controller_;
    std::vector<RecordValue> log_;
};

}  // namespace milena::controller
