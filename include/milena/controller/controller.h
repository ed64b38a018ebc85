// SPDX-License-Identifier: Apache-2.0
// The controller's decisions: given the image and a request, which records to append and what to
// answer once they are committed. No I/O, no threads, no waiting; the host appends the records,
// hands them back through apply() at once, and parks the answer until they are committed
// (drivers/controller.h).
//
// Records are the only writers: a request's handler reads state and returns records; apply() alone
// changes it, on what was decided here and on what another controller decided the same way. State
// is an Image, so that falling back to what is committed is a pointer. Beside it stand only things
// that may be forgotten: when brokers were last heard of, and indexes that can be rebuilt.
//
// One concern, one file in src/controller: activation, brokers, topics, partition_growth,
// placement, configs, partitions, elections, features; in partition what becomes of one partition:
// partition_change, and who asks for it.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "milena/config/settings.h"
#include "milena/config/topic_config.h"
#include "milena/controller/requests.h"
#include "milena/env/clock.h"
#include "milena/env/env.h"
#include "milena/metadata/loader.h"

namespace milena::controller {

using metadata::RecordValue;

struct Options {
    BrokerId node = kNoBroker;
    std::string cluster_id;
    std::int32_t num_partitions = 1;
    std::int16_t default_replication_factor = 1;
    bool delete_topic_enable = true;
    std::int32_t session_timeout_ms = 9000;  ///< broker.session.timeout.ms
    std::int32_t idle_interval_ms =
        500;  ///< metadata.max.idle.interval.ms; 0 writes no idle records
    /// auto.leader.rebalance.enable and leader.imbalance.check.interval.seconds: how often
    /// leadership goes back to the preferred replicas; 0 never.
    std::int64_t balance_interval_ms = 300'000;
    /// unclean.leader.election.interval.ms: how often partitions without a leader are looked at.
    std::int64_t unclean_interval_ms = 300'000;
    /// A broker that is found dead is fenced before its session ends (milena.fast.fencing).
    bool fast_fencing = true;
    /// What the static configuration makes of a topic that sets nothing.
    config::TopicConfig topic_defaults;
    /// The static configuration, for the values and sources in CreateTopics answers. May be null:
    /// all defaults.
    std::shared_ptr<const config::Settings> settings;
};

/// Records to append, in one atomic batch, at the offset that the decision was made for; and the
/// answer to give when they are committed. An answer without records waits for what it read to be
/// committed.
template <class Reply>
struct Decision {
    std::vector<RecordValue> records;
    Reply reply;
};

/// Records that nobody asked for.
using Records = std::vector<RecordValue>;

/// A broker that may be dead: does anybody listen at any of its endpoints?
struct BrokerProbe {
    BrokerId broker;
    std::uint64_t number = 0;  ///< of all probes
    std::vector<metadata::BrokerEndpoint> endpoints{};
};

/// What a new leader of the quorum starts from.
struct Activation {
    /// Everything up to the leader's first record in its epoch.
    std::shared_ptr<const metadata::Image> committed;
    /// A metadata transaction has begun in the log whose end never came: it will be aborted.
    bool in_transaction = false;
    /// The records that formatting left (KIP-778), for a log that has none of its own; none: the
    /// defaults of Kafka 4.4.
    std::span<const RecordValue> bootstrap;
    env::Instant now;
};

class Controller {
public:
    /// `random` outlives this.
    Controller(Options options, env::Random& random);
    ~Controller();

    /// This node leads the quorum; decides from now on. The records go first into the log; on an
    /// empty log they are the first of a cluster. Every unfenced broker has a whole session timeout
    /// from now on to be heard of.
    Records activate(const Activation& activation);
    /// Leadership is lost: what was not committed is forgotten.
    void resign();
    bool is_active() const { return state_ != nullptr; }
    /// What the decisions are made on: the committed image and what was decided since. Only while
    /// active.
    const std::shared_ptr<const metadata::Image>& image() const;

    /// Takes the records of one decision of ours, appended from `first` on. An error is a bug of
    /// ours in those records.
    Result<void> apply(std::span<const RecordValue> records, Offset first, LeaderEpoch epoch,
                       env::Instant now);

    // Requests; only while active. `next` is the offset that the first of the returned records will
    // get.
    Decision<CreateTopicsReply> create_topics(const CreateTopicsRequest& request) const;
    Decision<std::vector<DeletedTopic>> delete_topics(std::span<const TopicToDelete> topics) const;
    Decision<std::vector<GrownTopic>> create_partitions(
        const CreatePartitionsRequest& request) const;
    /// `kraft_version` is the quorum's, which its log has and not the image.
    Decision<Result<void>> update_features(const UpdateFeaturesRequest& request,
                                           std::int16_t kraft_version) const;
    Decision<std::vector<ElectedTopic>> elect_leaders(const ElectLeadersRequest& request) const;
    Decision<std::vector<AlteredResource>> alter_configs(const AlterConfigsRequest& request) const;
    Decision<Result<RegisterBrokerReply>> register_broker(const RegisterBrokerRequest& request,
                                                          Offset next, env::Instant now) const;
    /// Notes that the broker was heard of even if it changes nothing.
    Decision<Result<BrokerHeartbeatReply>> heartbeat(const BrokerHeartbeatRequest& request,
                                                     env::Instant now);
    Decision<Result<std::vector<AlteredTopic>>> alter_partition(
        const AlterPartitionRequest& request) const;
    Decision<Result<std::vector<AssignedReplica>>> assign_replicas(
        const AssignReplicasRequest& request) const;
    Decision<Result<std::vector<ReassignedTopic>>> alter_reassignments(
        const ReassignmentsRequest& request) const;
    Decision<Result<void>> unregister_broker(BrokerId broker) const;
    Decision<Result<void>> register_controller(const RegisterControllerRequest& request) const;
    Decision<Result<ProducerIdBlock>> allocate_producer_ids(
        const AllocateProducerIdsRequest& request) const;

    /// The connection over which that incarnation of a broker sent heartbeats has closed.
    void heartbeat_connection_lost(BrokerId broker, BrokerEpoch epoch, env::Instant now);
    /// Whose endpoints to connect to now; each is to be followed by probed().
    std::vector<BrokerProbe> take_probes(env::Instant now);
    /// All of its endpoints have refused (`is_refused`), or it can't be said.
    void probed(const BrokerProbe& probe, bool is_refused, env::Instant now);

    /// What is due at `now`, one thing at a time (ask again: deadline() says so): fences a broker
    /// that is dead or whose session ended, elects leaders, or writes an idle record.
    Records tick(env::Instant now);
    /// When to call take_probes() and tick() next.
    env::Instant deadline() const;

    /// Sessions of brokers that have ended since this controller is active.
    std::uint64_t sessions_timed_out() const;
    /// When each unfenced broker was last heard of.
    std::map<BrokerId, env::Instant> last_heard() const;

private:
    struct State;
    void note_brokers(const metadata::Update& update);
    void note_configs(const metadata::Update& update);
    Records elections(env::Instant now);

    Options options_;
    env::Random& random_;
    std::unique_ptr<State> state_;
};

}  // namespace milena::controller
