// SPDX-License-Identifier: Apache-2.0
// Any history of brokers that come, go, stop and return, and of topics that are made and deleted,
// keeps the cluster sound after every decision, and leaves a log from which everybody makes the
// same image.
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cluster.h"
#include "partition_index.h"

namespace milena::controller {
namespace {

constexpr int kBrokers = 4;

int below(int bound) {
    return *rc::gen::inRange(0, bound);
}

class History {
public:
    void step() {
        const int id = 1 + below(kBrokers);
        const auto* const broker = cluster_.image().cluster->find_broker(BrokerId(id));
        switch (below(15)) {
            case 0: register_broker(id); break;
            case 1:
            case 2:
                if (broker) heartbeat(id, false, false);
                break;
            case 3:
                if (broker) heartbeat(id, true, false);
                break;
            case 4:
                if (broker) heartbeat(id, false, true);
                break;
            case 5: create_topic(); break;
            case 6:
                if (below(3) == 0) delete_topic();
                break;
            case 7: pass_time(); break;
            case 8:
            case 9:
            case 10:
                if (broker) alter_partitions(*broker);
                break;
            case 11: reassign(); break;
            case 12:
                if (broker) assign_directories(*broker);
                break;
            case 13:
                if (broker) {
                    cluster_.controller().heartbeat_connection_lost(broker->id, broker->epoch,
                                                                    cluster_.now);
                }
                break;
            default:
                if (below(8) == 0) restart_controller();
                break;
        }
        check();
    }

private:
    void register_broker(int id) {
        RegisterBrokerRequest request = cluster_.registration(id);
        const auto* const old = cluster_.image().cluster->find_broker(request.id);
        if (old && below(2) == 0) request.previous_epoch = old->epoch;
        if (old && below(4) == 0) request.incarnation_id = old->incarnation_id;
        (void)cluster_.register_broker(request);
    }
    void heartbeat(int id, bool want_fence, bool want_shutdown) {
        BrokerHeartbeatRequest request = cluster_.heartbeat_of(id);
        request.want_fence = want_fence;
        request.want_shutdown = want_shutdown;
        RC_ASSERT(cluster_.heartbeat(request).has_value());
    }
    void create_topic() {
        NewTopic topic{.name = "t" + std::to_string(below(4))};
        topic.partition_count = 1 + below(4);
        topic.replication_factor = static_cast<std::int16_t>(1 + below(3));
        topic.configs = {{"min.insync.replicas", std::to_string(1 + below(3))},
                         {"unclean.leader.election.enable", below(4) == 0 ? "true" : "false"}};
        (void)cluster_.create(topic);
    }
    void delete_topic() {
        const std::vector<TopicToDelete> topics{{"t" + std::to_string(below(4)), {}}};
        (void)cluster_.commit(cluster_.controller().delete_topics(topics));
    }
    /// A leader proposes what may be in sync of each of its partitions.
    void alter_partitions(const metadata::BrokerRegistration& broker) {
        AlterPartitionRequest request{broker.id, broker.epoch};
        for (const auto& [id, topic] : cluster_.image().topics->by_id) {
            auto& asked = request.topics.emplace_back(id);
            for (const auto& [index, now] : topic->partitions) {
                ProposedPartition one{.partition = index,
                                      .leader_epoch = now.leader_epoch,
                                      .partition_epoch = now.partition_epoch};
                for (const BrokerId replica : now.replicas) {
                    if (replica == now.leader || below(3) > 0)
                        one.in_sync_replicas.push_back({replica});
                }
                if (below(8) == 0) --one.partition_epoch.value;
                asked.partitions.push_back(one);
            }
        }
        RC_ASSERT(cluster_.commit(cluster_.controller().alter_partition(request)).has_value());
    }
    void reassign() {
        ReassignmentsRequest request;
        for (const auto& [id, topic] : cluster_.image().topics->by_id) {
            auto& asked = request.topics.emplace_back(topic->name);
            for (const auto& [index, now] : topic->partitions) {
                auto& one = asked.partitions.emplace_back(index);
                if (below(3) == 0) continue;
                auto& replicas = one.replicas.emplace();
                for (int id_of = 1; id_of <= kBrokers; ++id_of) {
                    if (below(2) == 0) replicas.push_back(BrokerId(id_of));
                }
            }
        }
        RC_ASSERT(cluster_.commit(cluster_.controller().alter_reassignments(request)).has_value());
    }
    void assign_directories(const metadata::BrokerRegistration& broker) {
        AssignReplicasRequest request{broker.id, broker.epoch};
        for (const auto& [id, topic] : cluster_.image().topics->by_id) {
            for (const auto& [index, now] : topic->partitions) {
                const Uuid directory = below(4) == 0 ? Uuid{9, 9} : broker.log_directories.front();
                request.directories.push_back({directory, {{id, {index}}}});
            }
        }
        RC_ASSERT(cluster_.commit(cluster_.controller().assign_replicas(request)).has_value());
    }
    void pass_time() {
        cluster_.now += std::chrono::milliseconds(below(below(2) == 0 ? 100 : 6000));
        while (cluster_.controller().deadline() <= cluster_.now) {
            for (const BrokerProbe& probe : cluster_.controller().take_probes(cluster_.now))
                cluster_.controller().probed(probe, below(4) != 0, cluster_.now);
            cluster_.append(cluster_.controller().tick(cluster_.now));
        }
    }
    void restart_controller() {
        cluster_.controller().resign();
        cluster_.activate();
    }

    void check() {
        for (const auto& [id, topic] : cluster_.image().topics->by_id) {
            RC_ASSERT(cluster_.image().topics->by_name.at(topic->name) == id);
            for (const auto& [index, partition] : topic->partitions)
                check_partition({id, index}, partition);
        }
        RC_ASSERT(cluster_.replay()->same_content(cluster_.image()));
    }

    void check_partition(const PartitionKey& key, const metadata::PartitionRegistration& now) {
        const std::set<BrokerId> replicas(now.replicas.begin(), now.replicas.end());
        RC_ASSERT(!replicas.empty());
        for (const auto* const moving : {&now.adding_replicas, &now.removing_replicas}) {
            for (const BrokerId broker : *moving) RC_ASSERT(replicas.contains(broker));
        }
        const std::set<BrokerId> isr(now.in_sync_replicas.begin(), now.in_sync_replicas.end());
        RC_ASSERT(replicas.size() == now.replicas.size());
        RC_ASSERT(isr.size() == now.in_sync_replicas.size());
        RC_ASSERT(now.directories.size() == now.replicas.size());
        for (const BrokerId broker : isr) {
            RC_ASSERT(replicas.contains(broker));
            RC_ASSERT(cluster_.image().cluster->is_active(broker));
        }
        for (const BrokerId broker : now.eligible_leader_replicas) {
            RC_ASSERT(replicas.contains(broker));
            RC_ASSERT(!isr.contains(broker));
        }
        RC_ASSERT(isr.empty() == (now.leader == kNoBroker));
        if (now.leader != kNoBroker) RC_ASSERT(isr.contains(now.leader));

        auto& before = seen_[key];
        RC_ASSERT(now.leader_epoch >= before.leader_epoch);
        RC_ASSERT(now.partition_epoch >= before.partition_epoch);
        if (now.leader != before.leader && before.leader_epoch.value >= 0)
            RC_ASSERT(now.leader_epoch > before.leader_epoch);
        if (!(now == before))
            RC_ASSERT(before.replicas.empty() || now.partition_epoch > before.partition_epoch);
        before = now;
    }

    static Options options() {
        Options options = Cluster::default_options();
        options.balance_interval_ms = 7'000;
        options.unclean_interval_ms = 11'000;
        return options;
    }

    Cluster cluster_{options()};
    std::map<PartitionKey, metadata::PartitionRegistration> seen_;
};

RC_GTEST_PROP(Controller, KeepsTheClusterSoundThroughAnyHistory, ()) {
    History history;
    for (int steps = below(80); steps > 0; --steps) history.step();
}

RC_GTEST_PROP(PartitionIndexes, AreTheSameHoweverTheyWereMade, ()) {
    Cluster cluster;
    cluster.add_brokers(3);
    auto image = cluster.controller().image();
    PartitionIndexes updated(*image->topics);
    for (int steps = below(20); steps > 0; --steps) {
        if (below(2) == 0) {
            cluster.create({.name = "t" + std::to_string(steps),
                            .partition_count = 1 + below(5),
                            .replication_factor = 2});
        } else {
            const auto* const broker = cluster.image().cluster->find_broker(BrokerId(1 + below(3)));
            broker->fenced ? cluster.unfence(broker->id.value) : cluster.fence(broker->id.value);
        }
        const auto next = cluster.controller().image();
        updated.update({image, next, metadata::difference(*image, *next)});
        image = next;
        RC_ASSERT(updated == PartitionIndexes(*image->topics));
    }
}

}  // namespace
}  // namespace milena::controller
