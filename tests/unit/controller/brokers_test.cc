// SPDX-License-Identifier: Apache-2.0
// The life of a broker as the controller sees it.
#include <gtest/gtest.h>

#include "cluster.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {
namespace {

using namespace std::chrono_literals;

ErrorCode code_of(const auto& result) {
    return result ? ErrorCode::none : result.error().code;
}

TEST(Brokers, GetTheOffsetOfTheirRegistrationAsEpoch) {
    Cluster cluster;
    const Offset next = cluster.next();
    const auto registered = cluster.register_broker(cluster.registration(1));
    ASSERT_TRUE(registered);
    EXPECT_EQ(registered->epoch.value, next.value);
    const auto* const broker = cluster.image().cluster->find_broker(BrokerId(1));
    EXPECT_EQ(broker->epoch, registered->epoch);
    EXPECT_TRUE(broker->fenced);
    EXPECT_EQ(metadata::read_frame(cluster.log()[static_cast<std::size_t>(next.value)])->version,
              4);
}

TEST(Brokers, MustBelongToTheCluster) {
    Cluster cluster;
    RegisterBrokerRequest request = cluster.registration(1);
    request.cluster_id = "other";
    EXPECT_EQ(code_of(cluster.register_broker(request)), ErrorCode::inconsistent_cluster_id);
}

TEST(Brokers, MustSupportTheFinalizedFeatures) {
    Cluster cluster;
    RegisterBrokerRequest request = cluster.registration(1);
    request.features["metadata.version"] = {7, 32};
    EXPECT_EQ(code_of(cluster.register_broker(request)), ErrorCode::unsupported_version);
    request.features.erase("metadata.version");
    EXPECT_EQ(code_of(cluster.register_broker(request)), ErrorCode::unsupported_version);
}

TEST(Brokers, MustHaveLogDirectoriesOfTheirOwn) {
    Cluster cluster;
    cluster.add_broker(1);
    const auto code_with = [&](std::vector<Uuid> directories) {
        RegisterBrokerRequest request = cluster.registration(2);
        request.log_directories = std::move(directories);
        return code_of(cluster.register_broker(request));
    };
    EXPECT_EQ(code_with({}), ErrorCode::invalid_registration);
    EXPECT_EQ(code_with({{1, 7}, {1, 7}}), ErrorCode::invalid_registration);
    EXPECT_EQ(code_with({{0, 1}}), ErrorCode::invalid_registration);
    EXPECT_EQ(code_with({{1, 1001}}), ErrorCode::invalid_registration) << "broker 1 has it";
    EXPECT_EQ(code_with({{1, 7}, {1, 8}}), ErrorCode::none);
}

TEST(Brokers, AreUnfencedWhenTheyKnowTheirRegistration) {
    Cluster cluster;
    const auto registered = cluster.register_broker(cluster.registration(1));
    BrokerHeartbeatRequest request = cluster.heartbeat_of(1);
    request.metadata_offset = Offset(registered->epoch.value - 1);
    EXPECT_EQ(*cluster.heartbeat(request), (BrokerHeartbeatReply{false, true, false}));
    request.metadata_offset = Offset(registered->epoch.value);
    request.want_fence = true;
    EXPECT_EQ(*cluster.heartbeat(request), (BrokerHeartbeatReply{true, true, false}));
    request.want_fence = false;
    EXPECT_EQ(*cluster.heartbeat(request), (BrokerHeartbeatReply{true, false, false}));
    EXPECT_TRUE(cluster.image().cluster->is_active(BrokerId(1)));
    EXPECT_TRUE(cluster.controller().heartbeat(request, cluster.now).records.empty())
        << "nothing new, nothing written";
}

TEST(Brokers, AreKnownByTheirEpoch) {
    Cluster cluster;
    cluster.add_broker(1);
    BrokerHeartbeatRequest request = cluster.heartbeat_of(1);
    request.epoch.value += 1;
    EXPECT_EQ(code_of(cluster.heartbeat(request)), ErrorCode::stale_broker_epoch);
    request.id = BrokerId(2);
    EXPECT_EQ(code_of(cluster.heartbeat(request)), ErrorCode::broker_id_not_registered);
}

TEST(Brokers, KeepTheirEpochWhenTheSameIncarnationRegistersAgain) {
    Cluster cluster;
    const RegisterBrokerRequest request = cluster.registration(1);
    const auto first = cluster.register_broker(request);
    cluster.unfence(1);
    const auto second = cluster.register_broker(request);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->epoch, first->epoch);
    EXPECT_TRUE(cluster.image().cluster->is_active(BrokerId(1)));
}

TEST(Brokers, CanNotTakeThePlaceOfOneThatIsAlive) {
    Cluster cluster;
    cluster.add_broker(1);
    EXPECT_EQ(code_of(cluster.register_broker(cluster.registration(1))),
              ErrorCode::duplicate_broker_registration);
    cluster.now += 8999ms;
    EXPECT_EQ(code_of(cluster.register_broker(cluster.registration(1))),
              ErrorCode::duplicate_broker_registration);
    cluster.now += 1ms;
    const auto registered = cluster.register_broker(cluster.registration(1));
    ASSERT_TRUE(registered) << registered.error().why;
    EXPECT_TRUE(cluster.image().cluster->find_broker(BrokerId(1))->fenced);
}

TEST(Brokers, MayReturnAtOnceAfterAControlledShutdown) {
    Cluster cluster;
    cluster.add_brokers(2);
    BrokerHeartbeatRequest request = cluster.heartbeat_of(1);
    request.want_shutdown = true;
    EXPECT_TRUE(cluster.heartbeat(request)->should_shut_down);
    EXPECT_TRUE(cluster.register_broker(cluster.registration(1)));
}

TEST(Brokers, MayReturnAtOnceWhereTheControllerIsOfTheSameNewProcess) {
    // Broker and controller of one node were killed together: the registered incarnation can't be
    // alive.
    Options options = Cluster::default_options();
    options.node = BrokerId(1);
    Cluster cluster(options);
    cluster.add_brokers(2);
    cluster.activate();
    EXPECT_TRUE(cluster.register_broker(cluster.registration(1)));
    EXPECT_EQ(code_of(cluster.register_broker(cluster.registration(2))),
              ErrorCode::duplicate_broker_registration);
}

TEST(Brokers, AreFencedWhenTheirSessionEnds) {
    Cluster cluster;
    cluster.add_brokers(2);
    cluster.create("t", {broker_ids({1, 2})});
    cluster.now += 5s;
    ASSERT_TRUE(cluster.heartbeat(cluster.heartbeat_of(2)));
    cluster.now += 4s;
    ASSERT_LE(cluster.controller().deadline(), cluster.now);
    cluster.append(cluster.controller().tick(cluster.now));
    EXPECT_TRUE(cluster.image().cluster->find_broker(BrokerId(1))->fenced);
    EXPECT_TRUE(cluster.image().cluster->is_active(BrokerId(2)));
    EXPECT_EQ(cluster.partition("t").leader, BrokerId(2));
}

/// Connects to whoever is suspected, with that result, for so long.
void probe_for(Cluster& cluster, env::Duration time, bool is_refused) {
    const env::Instant end = cluster.now + time;
    while (cluster.controller().deadline() <= end) {
        cluster.now = std::max(cluster.now, cluster.controller().deadline());
        for (const BrokerProbe& probe : cluster.controller().take_probes(cluster.now))
            cluster.controller().probed(probe, is_refused, cluster.now);
        cluster.append(cluster.controller().tick(cluster.now));
    }
    cluster.now = end;
}

void lose_connection(Cluster& cluster, int id) {
    cluster.controller().heartbeat_connection_lost(
        BrokerId(id), cluster.image().cluster->find_broker(BrokerId(id))->epoch, cluster.now);
}

TEST(Brokers, AreFencedAtOnceWhenAllEvidenceSaysThatTheyAreDead) {
    Cluster cluster;
    cluster.add_brokers(2);
    cluster.create("t", {broker_ids({1, 2})});
    lose_connection(cluster, 1);
    probe_for(cluster, 149ms, true);
    EXPECT_TRUE(cluster.image().cluster->is_active(BrokerId(1)));
    probe_for(cluster, 1ms, true);
    EXPECT_FALSE(cluster.image().cluster->is_active(BrokerId(1)));
    EXPECT_TRUE(cluster.image().cluster->is_active(BrokerId(2)));
    EXPECT_EQ(cluster.partition("t").leader, BrokerId(2));
    EXPECT_EQ(cluster.controller().sessions_timed_out(), 0u);

    RegisterBrokerRequest elsewhere = cluster.registration(1);
    elsewhere.endpoints[0].port = 9999;
    EXPECT_TRUE(cluster.register_broker(elsewhere)) << "there is nothing to wait for";
}

TEST(Brokers, ThatAnswerAProbeKeepTheirSession) {
    Cluster cluster;
    cluster.add_brokers(1);
    lose_connection(cluster, 1);
    probe_for(cluster, 8s, false);
    EXPECT_TRUE(cluster.image().cluster->is_active(BrokerId(1)));
    probe_for(cluster, 1s, false);
    EXPECT_FALSE(cluster.image().cluster->is_active(BrokerId(1)));
    EXPECT_EQ(cluster.controller().sessions_timed_out(), 1u);
}

TEST(Brokers, MayReturnAtOnceToWhereTheLastIncarnationListened) {
    Cluster cluster;
    cluster.add_brokers(1);
    EXPECT_EQ(code_of(cluster.register_broker(cluster.registration(1))),
              ErrorCode::duplicate_broker_registration);
    lose_connection(cluster, 1);
    probe_for(cluster, 100ms, false);  // it is the new process that answers
    EXPECT_EQ(code_of(cluster.register_broker(cluster.registration(1))),
              ErrorCode::duplicate_broker_registration);
    probe_for(cluster, 50ms, false);
    RegisterBrokerRequest elsewhere = cluster.registration(1);
    elsewhere.endpoints[0].port = 9999;
    EXPECT_EQ(code_of(cluster.register_broker(elsewhere)),
              ErrorCode::duplicate_broker_registration);
    EXPECT_TRUE(cluster.register_broker(cluster.registration(1)));
}

TEST(Brokers, AreNotFencedEarlyWhereThatIsNotWanted) {
    Options options = Cluster::default_options();
    options.fast_fencing = false;
    Cluster cluster(options);
    cluster.add_brokers(1);
    lose_connection(cluster, 1);
    EXPECT_TRUE(cluster.controller().take_probes(cluster.now).empty());
    probe_for(cluster, 8s, true);
    EXPECT_TRUE(cluster.image().cluster->is_active(BrokerId(1)));
    EXPECT_EQ(code_of(cluster.register_broker(cluster.registration(1))),
              ErrorCode::duplicate_broker_registration);
}

TEST(Brokers, OfWhomANewControllerHasNotHeardAreProbed) {
    Cluster cluster;
    cluster.add_brokers(3);
    cluster.activate();
    ASSERT_TRUE(cluster.heartbeat(cluster.heartbeat_of(2)));
    const auto probes = cluster.controller().take_probes(cluster.now);
    ASSERT_EQ(probes.size(), 2u);
    EXPECT_EQ(probes[0].broker, BrokerId(1));
    EXPECT_EQ(probes[0].endpoints, cluster.registration(1).endpoints);
    EXPECT_EQ(probes[1].broker, BrokerId(3));
}

TEST(Brokers, HaveAWholeSessionAfterAChangeOfTheController) {
    Cluster cluster;
    cluster.add_brokers(1);
    cluster.now += 8s;
    cluster.activate();
    cluster.now += 8s;
    cluster.append(cluster.controller().tick(cluster.now));
    EXPECT_TRUE(cluster.image().cluster->is_active(BrokerId(1)));
    cluster.now += 1s;
    cluster.append(cluster.controller().tick(cluster.now));
    EXPECT_FALSE(cluster.image().cluster->is_active(BrokerId(1)));
}

TEST(Brokers, HandOverTheirPartitionsBeforeTheyStop) {
    Cluster cluster;
    cluster.add_brokers(2);
    cluster.create("t", {broker_ids({1, 2}), broker_ids({2, 1})});
    BrokerHeartbeatRequest request = cluster.heartbeat_of(1);
    request.want_shutdown = true;
    EXPECT_EQ(*cluster.heartbeat(request), (BrokerHeartbeatReply{true, false, false}));
    EXPECT_TRUE(cluster.image().cluster->find_broker(BrokerId(1))->in_controlled_shutdown);
    EXPECT_EQ(cluster.partition("t").leader, BrokerId(2));
    EXPECT_EQ(cluster.partition("t", 1).in_sync_replicas, broker_ids({2}));

    // Broker 2 has not seen that it leads now: the first one must wait for it.
    BrokerHeartbeatRequest behind = cluster.heartbeat_of(2);
    behind.metadata_offset.value -= 1;
    ASSERT_TRUE(cluster.heartbeat(behind));
    EXPECT_FALSE(cluster.heartbeat(request)->should_shut_down);
    ASSERT_TRUE(cluster.heartbeat(cluster.heartbeat_of(2)));
    EXPECT_EQ(*cluster.heartbeat(request), (BrokerHeartbeatReply{true, true, true}));
    EXPECT_TRUE(cluster.image().cluster->find_broker(BrokerId(1))->fenced);
}

TEST(Brokers, MayStopAtOnceWhenFenced) {
    Cluster cluster;
    ASSERT_TRUE(cluster.register_broker(cluster.registration(1)));
    BrokerHeartbeatRequest request = cluster.heartbeat_of(1);
    request.want_shutdown = true;
    EXPECT_TRUE(cluster.heartbeat(request)->should_shut_down);
}

TEST(Brokers, AreUnregisteredWithTheirPartitionsHandedOver) {
    Cluster cluster;
    cluster.add_brokers(2);
    cluster.create("t", {broker_ids({1, 2})});
    ASSERT_TRUE(cluster.commit(cluster.controller().unregister_broker(BrokerId(1))));
    EXPECT_EQ(cluster.image().cluster->find_broker(BrokerId(1)), nullptr);
    EXPECT_EQ(cluster.partition("t").leader, BrokerId(2));
    EXPECT_EQ(code_of(cluster.commit(cluster.controller().unregister_broker(BrokerId(1)))),
              ErrorCode::broker_id_not_registered);
}

TEST(Brokers, LoseThePartitionsOfADirectoryThatFails) {
    Cluster cluster;
    RegisterBrokerRequest two_directories = cluster.registration(1);
    two_directories.log_directories.push_back({1, 500});
    ASSERT_TRUE(cluster.register_broker(two_directories));
    cluster.unfence(1);
    cluster.add_broker(2);
    cluster.create("t", {broker_ids({1, 2})});
    const auto topic = cluster.image().topics->find("t");
    const std::vector<Uuid> placed{{1, 500}, {1, 1002}};
    protocol::PartitionChangeRecord assigned;
    assigned.partition_id = 0;
    assigned.topic_id = topic->id;
    assigned.directories = placed;
    cluster.append({metadata::encode_record(assigned)});

    BrokerHeartbeatRequest request = cluster.heartbeat_of(1);
    request.offline_log_directories = {{1, 1001}};
    ASSERT_TRUE(cluster.heartbeat(request));
    EXPECT_EQ(cluster.partition("t").leader, BrokerId(1)) << "it lies in the other directory";
    request.offline_log_directories = {{1, 500}};
    cluster.commit(cluster.controller().heartbeat(request, cluster.now));
    EXPECT_EQ(cluster.partition("t").leader, BrokerId(1))
        << "a broker whose last directory failed stops by itself";
}

TEST(Brokers, MoveLeadershipFromAFailedDirectoryToAnotherBroker) {
    Cluster cluster;
    RegisterBrokerRequest two_directories = cluster.registration(1);
    two_directories.log_directories.push_back({1, 500});
    ASSERT_TRUE(cluster.register_broker(two_directories));
    cluster.unfence(1);
    cluster.add_broker(2);
    cluster.create("t", {broker_ids({1, 2})});
    const std::vector<Uuid> placed{{1, 500}, {1, 1002}};
    protocol::PartitionChangeRecord assigned;
    assigned.partition_id = 0;
    assigned.topic_id = cluster.image().topics->find("t")->id;
    assigned.directories = placed;
    cluster.append({metadata::encode_record(assigned)});

    BrokerHeartbeatRequest request = cluster.heartbeat_of(1);
    request.offline_log_directories = {{1, 500}};
    ASSERT_TRUE(cluster.heartbeat(request));
    EXPECT_EQ(cluster.partition("t").leader, BrokerId(2));
    EXPECT_EQ(cluster.image().cluster->find_broker(BrokerId(1))->log_directories,
              (std::vector<Uuid>{{1, 1001}}));
    EXPECT_TRUE(cluster.controller().heartbeat(request, cluster.now).records.empty())
        << "told once";
}

TEST(Brokers, GetNoNewReplicasInCordonedDirectories) {
    Cluster cluster;
    cluster.add_brokers(2);
    BrokerHeartbeatRequest request = cluster.heartbeat_of(1);
    request.cordoned_log_directories = {{{1, 1001}}};
    ASSERT_TRUE(cluster.heartbeat(request));
    const CreatedTopic created =
        cluster.create({.name = "t", .partition_count = 4, .replication_factor = 1});
    ASSERT_EQ(created.code, ErrorCode::none);
    for (int index = 0; index < 4; ++index)
        EXPECT_EQ(cluster.partition("t", index).leader, BrokerId(2));
    EXPECT_EQ(cluster.create({.name = "u", .partition_count = 1, .replication_factor = 2}).code,
              ErrorCode::invalid_replication_factor);
}

TEST(Controllers, AreRegisteredOncePerIncarnation) {
    Cluster cluster;
    RegisterControllerRequest request{
        BrokerId(7), {3, 3}, {{"CONTROLLER", "host", 9093, 0}}, Cluster::all_features()};
    ASSERT_TRUE(cluster.commit(cluster.controller().register_controller(request)));
    EXPECT_EQ(cluster.image().cluster->controllers.at(BrokerId(7)).incarnation_id, (Uuid{3, 3}));
    EXPECT_TRUE(cluster.controller().register_controller(request).records.empty());
    request.features.clear();
    EXPECT_EQ(code_of(cluster.commit(cluster.controller().register_controller(request))),
              ErrorCode::unsupported_version);
}

TEST(ProducerIds, ComeInBlocksThatNeverOverlap) {
    Cluster cluster;
    cluster.add_brokers(1);
    const AllocateProducerIdsRequest request{
        BrokerId(1), cluster.image().cluster->find_broker(BrokerId(1))->epoch};
    EXPECT_EQ(*cluster.commit(cluster.controller().allocate_producer_ids(request)),
              (ProducerIdBlock{0, 1000}));
    EXPECT_EQ(*cluster.commit(cluster.controller().allocate_producer_ids(request)),
              (ProducerIdBlock{1000, 1000}));
    cluster.activate();
    EXPECT_EQ(*cluster.commit(cluster.controller().allocate_producer_ids(request)),
              (ProducerIdBlock{2000, 1000}));
    EXPECT_EQ(code_of(cluster.commit(
                  cluster.controller().allocate_producer_ids({BrokerId(1), BrokerEpoch(0)}))),
              ErrorCode::stale_broker_epoch);
}

}  // namespace
}  // namespace milena::controller
