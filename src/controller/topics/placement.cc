// SPDX-License-Identifier: Apache-2.0
// A ring of brokers, racks interleaved, for the leaders; a ranking of the others for each follower.
#include "milena/controller/placement.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace milena::controller {
namespace {

std::size_t draw(env::Random& random, std::size_t below) {
    return static_cast<std::size_t>(random.next() % below);
}

/// The brokers in rounds, one of each rack that has any left, from a random rack and a random
/// broker of each rack on.
std::vector<UsableBroker> interleave(std::vector<UsableBroker> brokers, env::Random& random) {
    std::ranges::sort(brokers, {}, &UsableBroker::id);
    std::map<std::string, std::vector<UsableBroker>> racks;
    for (UsableBroker& broker : brokers) racks[broker.rack].push_back(broker);

    std::vector<std::vector<UsableBroker>> order;
    for (auto& [name, members] : racks) {
        std::ranges::rotate(
            members, members.begin() + static_cast<std::ptrdiff_t>(draw(random, members.size())));
        order.push_back(std::move(members));
    }
    std::ranges::rotate(order,
                        order.begin() + static_cast<std::ptrdiff_t>(draw(random, order.size())));

    std::vector<UsableBroker> ring;
    for (std::size_t round = 0; ring.size() < brokers.size(); ++round) {
        for (const auto& members : order) {
            if (round < members.size()) ring.push_back(members[round]);
        }
    }
    return ring;
}

class Placer {
public:
    /// `ring` begins with the brokers that may lead.
    Placer(std::vector<UsableBroker> ring, std::size_t leaders)
        : ring_(std::move(ring)), leaders_(leaders), replica_counts_(ring_.size()) {
        std::map<std::string, std::size_t> numbers;
        for (std::size_t at = 0; at < ring_.size(); ++at) {
            racks_.push_back(numbers.emplace(ring_[at].rack, numbers.size()).first->second);
            if (at < leaders_) ++leaders_by_count_[racks_.back()][0];
        }
    }

    Replicas next(std::size_t count) {
        std::vector<std::size_t> chosen{partition_ % leaders_};
        while (chosen.size() < count) chosen.push_back(best_follower(chosen));
        ++partition_;

        Replicas replicas;
        for (const std::size_t at : chosen) {
            add_replica(at);
            replicas.push_back(ring_[at].id);
        }
        return replicas;
    }

private:
    using Rank = std::tuple<bool, bool, std::size_t, std::size_t>;

    void add_replica(std::size_t at) {
        const std::size_t before = replica_counts_[at]++;
        if (at >= leaders_) return;
        auto& by_count = leaders_by_count_[racks_[at]];
        const auto place = by_count.find(before);
        if (--place->second == 0) by_count.erase(place);
        ++by_count[before + 1];
    }

    std::size_t chosen_in(std::size_t rack, const std::vector<std::size_t>& chosen) const {
        return static_cast<std::size_t>(std::ranges::count_if(
            chosen, [&](std::size_t other) { return racks_[other] == rack; }));
    }

    /// No broker ranks better: the walk ends at one that ranks so. In a large cluster that is
    /// soon.
    Rank best_possible(const std::vector<std::size_t>& chosen) const {
        Rank best{true, true, 0, 0};
        for (const auto& [rack, by_count] : leaders_by_count_) {
            best = std::min(best,
                            Rank{false, false, chosen_in(rack, chosen), by_count.begin()->first});
        }
        return best;
    }

    std::size_t best_follower(const std::vector<std::size_t>& chosen) const {
        // With every round of leaders the walk begins one step further, so that a leader's
        // followers change.
        const std::size_t start = chosen.front() + 1 + partition_ / leaders_;
        std::size_t best = 0;
        auto best_rank = rank(ring_.size(), chosen);
        const Rank enough = best_possible(chosen);
        for (std::size_t step = 0; step < ring_.size() && enough < best_rank; ++step) {
            const std::size_t at = (start + step) % ring_.size();
            if (const auto its = rank(at, chosen); its < best_rank) {
                best = at;
                best_rank = its;
            }
        }
        INVARIANT(best_rank < rank(ring_.size(), chosen), "fewer brokers than replicas");
        return best;
    }

    /// The lower, the better; a broker that is chosen already ranks like the place behind the ring:
    /// last.
    Rank rank(std::size_t at, const std::vector<std::size_t>& chosen) const {
        if (at == ring_.size() || std::ranges::find(chosen, at) != chosen.end())
            return {true, true, 0, 0};
        return {false, ring_[at].fenced, chosen_in(racks_[at], chosen), replica_counts_[at]};
    }

    std::vector<UsableBroker> ring_;
    std::size_t leaders_;
    std::vector<std::size_t> racks_;  ///< of each of the ring
    std::vector<std::size_t> replica_counts_;
    /// For each rack how many of its brokers that may lead have so many replicas.
    std::map<std::size_t, std::map<std::size_t, std::size_t>> leaders_by_count_;
    std::size_t partition_ = 0;
};

}  // namespace

Result<std::vector<Replicas>> place(std::vector<UsableBroker> brokers, std::int32_t partitions,
                                    std::int16_t replication_factor, env::Random& random) {
    INVARIANT(partitions > 0 && replication_factor > 0, "counts are checked before");
    const auto count = static_cast<std::size_t>(replication_factor);
    const std::size_t registered = brokers.size();
    std::vector<UsableBroker> fenced;
    std::erase_if(brokers, [&](const UsableBroker& broker) {
        if (broker.fenced) fenced.push_back(broker);
        return broker.fenced;
    });
    if (brokers.empty()) {
        return fail(
            ErrorCode::invalid_replication_factor,
            "All brokers are currently fenced, or have all their log directories cordoned.");
    }
    if (count > registered) {
        return fail(
            ErrorCode::invalid_replication_factor,
            fmt::format("The target replication factor of {} cannot be reached because only {} "
                        "broker(s) are registered or some brokers have all their log directories "
                        "cordoned.",
                        replication_factor, registered));
    }
    const std::size_t leaders = brokers.size();
    std::vector<UsableBroker> ring = interleave(std::move(brokers), random);
    if (!fenced.empty())
        std::ranges::copy(interleave(std::move(fenced), random), std::back_inserter(ring));

    Placer placer(std::move(ring), leaders);
    std::vector<Replicas> result;
    result.reserve(static_cast<std::size_t>(partitions));
    for (std::int32_t partition = 0; partition < partitions; ++partition)
        result.push_back(placer.next(count));
    return result;
}

}  // namespace milena::controller
