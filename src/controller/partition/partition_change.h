// SPDX-License-Identifier: Apache-2.0
// One partition on its way from one state to the next: say what happens to it, then settle(), which
// sees to everything that follows.
//
//   a move of replicas    is over when all that come are in sync; those that go are taken out
//   in-sync replicas      may become empty where eligible replicas are kept
//   eligible replicas     while fewer than min.insync.replicas are in sync: those that left in an
//                         orderly way (KIP-966)
//   leader                stays if it can; else an in-sync replica, or, where nobody is in sync, an
//                         eligible one, in the order of the replicas; else the last known leader;
//                         else, where loss is allowed, any: these two may lack records, so the
//                         leader begins as recovering; else none
//   epochs                the partition's with every change; the leader's with another leader, and
//                         when replicas are taken away
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "view.h"

namespace milena::controller {

enum class Election {
    clean,      ///< nobody leads who may lack records, but for the last known leader
    preferred,  ///< clean, and the first of the replicas leads if it can, whoever leads now
    unclean,    ///< anybody rather than nobody
};

/// What a topic's configuration makes of the changes of its partitions.
struct ElectionRules {
    ElectionRules(const View& view, const metadata::TopicImage& topic);

    /// The election when nobody asked for one.
    Election automatic;
    std::size_t min_insync_replicas;
};

class PartitionChange {
public:
    using Brokers = std::vector<BrokerId>;

    /// `view`, `rules` and `now` outlive this.
    PartitionChange(const View& view, const ElectionRules& rules, const PartitionKey& key,
                    const metadata::PartitionRegistration& now);

    /// A broker that is about to be active, whatever the image says.
    void joins(BrokerId broker);
    /// A broker that is about not to be active, or whose directory has failed: it can't lead nor be
    /// in sync. One that left uncleanly is not eligible either.
    void leaves(BrokerId broker, bool uncleanly);

    void set_in_sync_replicas(const Brokers& replicas) { next_.in_sync_replicas = replicas; }
    void set_recovering(bool recovering) { next_.is_recovering = recovering; }
    /// Of a broker that has a replica.
    void set_directory(BrokerId broker, Uuid directory);
    /// The replicas with those that come and those that go among them. New ones get a directory.
    void set_replicas(const Brokers& replicas, const Brokers& adding, const Brokers& removing);

    /// Once, after all of the above.
    void settle(Election election);

    /// After settle(): the partition with its new epochs, or as it was if nothing changes.
    const metadata::PartitionRegistration& next() const { return next_; }
    /// After settle(): the difference; nothing if there is none.
    std::optional<RecordValue> record() const;

private:
    bool can_lead(BrokerId broker) const;
    bool can_lead_cleanly(BrokerId broker) const;
    void complete_reassignment();
    void settle_eligible();
    void elect(Election election);
    void elect_new(Election election);
    void elect_last_known();
    void lead(BrokerId broker);
    void lead_with_loss(BrokerId broker);
    void settle_last_known_leader();
    void settle_epochs();

    const View& view_;
    const ElectionRules& rules_;
    PartitionKey key_;
    const metadata::PartitionRegistration& now_;
    metadata::PartitionRegistration next_;
    /// Who was in sync or eligible, without those that left uncleanly.
    Brokers candidates_;
    BrokerId joining_ = kNoBroker;
    BrokerId leaving_ = kNoBroker;
};

/// Where `broker` will put a new replica, if that is known before it says so (KIP-858).
Uuid first_directory(const View& view, BrokerId broker);

/// Whether a replica of `broker` in `directory` can be reached: the directory has not failed, or is
/// not known yet.
bool has_directory(const metadata::BrokerRegistration& broker, Uuid directory);

}  // namespace milena::controller
