// SPDX-License-Identifier: Apache-2.0
// The replicas of a node over one log directory of a simulated disk, of which one topic is
// compacted. For the tests of cleaning.
#pragma once

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "milena/replication/replicas.h"
#include "sim/world.h"
#include "support/batches.h"
#include "unit/replication/produce.h"

namespace milena::replication {

class CleanedNode {
public:
    static constexpr Uuid kTopic{7, 1};
    static constexpr Uuid kOther{7, 2};

    CleanedNode() {
        settings.log.segment_bytes = 1000;
        settings.log.compaction = storage::CompactionOptions{.min_cleanable_dirty_ratio = 0};
        settings.file_delete_delay = env::Duration::zero();
        open(true);
    }

    void open(bool clean) {
        replicas.reset();
        directory.reset();
        directory = storage::LogDirectory::open(node, Logger(), "/a").value();
        if (!directory->meta().value())
            directory->write_meta({"cluster", BrokerId(1), Uuid{500, 9}}).value();
        replicas =
            Replicas::make(node, Logger(), BrokerId(1), {directory.get()},
                           [this](const metadata::Image&, std::string_view) { return settings; });
        ASSERT_TRUE(replicas->load({clean}));
    }
    /// The topics that there are now, with one partition each, led here.
    void apply(std::map<Uuid, std::string> topics) {
        metadata::Image image = *metadata::Image::empty();
        metadata::TopicsImage all;
        auto by_id = decltype(all.by_id)::Editor(all.by_id);
        std::vector<Uuid> changed{kTopic, kOther};
        for (const auto& [id, name] : topics) {
            metadata::PartitionRegistration partition;
            partition.replicas = partition.in_sync_replicas =
                decltype(partition.replicas)(std::vector{BrokerId(1)});
            partition.leader = BrokerId(1);
            partition.leader_epoch = LeaderEpoch(0);
            partition.partition_epoch = PartitionEpoch(0);
            metadata::TopicImage topic{.name = name, .id = id, .partitions = {}};
            auto partitions = decltype(topic.partitions)::Editor(topic.partitions);
            partitions.set(PartitionIndex(0), partition);
            topic.partitions = std::move(partitions).finish();
            by_id.set(id, std::make_shared<const metadata::TopicImage>(topic));
        }
        all.by_id = std::move(by_id).finish();
        image.topics = std::make_shared<const metadata::TopicsImage>(all);
        replicas->apply(image, changed);
    }

    std::shared_ptr<Partition> partition(Uuid topic = kTopic) {
        return replicas->find(topic, PartitionIndex(0));
    }
    /// Batches of one record over three keys each, all synced.
    void fill(int count, Uuid topic = kTopic) {
        const auto to = partition(topic);
        for (int i = 0; i < count; ++i) {
            support::BatchSpec spec{.records = {{.timestamp = node.clock().wall().value,
                                                 .key = "key-" + std::to_string(i % 3),
                                                 .value = std::string(100, 'x')}}};
            auto batch = support::make_batch(spec);
            const auto answer =
                produce_in(*to, batch, Acks::all, node.clock().now(), [](const ProduceAnswer&) {});
            ASSERT_TRUE(answer && answer->code == ErrorCode::none);
        }
        ASSERT_TRUE(to->flush());
    }
    std::vector<CleanableLog> list(std::optional<Offset> limit = std::nullopt) {
        return replicas->cleanable_logs().list([limit](Uuid, PartitionIndex) { return limit; });
    }
    /// Starts anew, with `topics`. From here on a cleaning of kTopic that is limited to an offset
    /// in the middle of it can't even begin: it needs an index that is shorter than it was found.
    void cut_an_index_short(const std::map<Uuid, std::string>& topics) {
        ASSERT_TRUE(replicas->close());
        std::vector<std::string> logs = names("/a/t-0");
        std::erase_if(logs, [](const std::string& name) { return !name.ends_with(".log"); });
        ASSERT_GT(logs.size(), 3U);
        std::ranges::sort(logs);
        const std::string sealed = logs[logs.size() - 2].substr(0, 20);
        const std::string path = "/a/t-0/" + sealed + ".txnindex";
        constexpr std::uint64_t kEntryBytes = 34;
        const auto index = node.files().open(path, env::OpenMode::create_empty).value();
        const std::vector<std::byte> entry(kEntryBytes, std::byte{1});
        ASSERT_TRUE(index->write_at(0, std::vector{BytesView(entry)}));
        open(true);
        apply(topics);
        ASSERT_TRUE(index->truncate(kEntryBytes / 2));
    }
    storage::CleaningLimits limits() {
        return {.map_bytes = 1 << 20, .read_bytes = 500, .now = node.clock().wall()};
    }
    std::uint64_t size(Uuid topic = kTopic) { return partition(topic)->size_bytes(); }
    std::vector<std::string> names(const std::string& path) {
        std::vector<std::string> found;
        for (const auto& entry : *node.files().list(path)) found.push_back(entry.name);
        return found;
    }

    sim::World world{1};
    sim::Node& node{world.add_node("n1")};
    PartitionSettings settings;
    std::unique_ptr<storage::LogDirectory> directory;
    std::unique_ptr<Replicas> replicas;
};

}  // namespace milena::replication
