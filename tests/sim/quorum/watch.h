// SPDX-License-Identifier: Apache-2.0
// Watches the metadata quorum of a whole run: all disks after each step of the world, what
// controllers say to each other, and now and then what the nodes publish.
#pragma once

#include "sim/quorum/disk_view.h"
#include "sim/quorum/image_law.h"
#include "sim/quorum/votes.h"
#include "sim/runs/server.h"

namespace milena::sim {

class QuorumWatch {
public:
    /// Of those servers, all of which are there; from now on.
    QuorumWatch(World& world, const std::vector<std::unique_ptr<Server>>& servers,
                std::vector<Violation>& found);

    /// Compares what the nodes publish: too much for every step.
    void compare_images();
    /// All replicas have everything that is committed.
    bool is_everywhere() const;

    const QuorumLaws& laws() const { return laws_; }
    std::uint64_t compared() const { return images_.compared(); }
    const std::deque<HeardRequest>& requests() const { return ears_.requests(); }
    /// The server that leads the quorum, as far as it knows; null if nobody does.
    Server* leader() const;

private:
    void look();

    const std::vector<std::unique_ptr<Server>>& servers_;
    QuorumLaws laws_;
    ImageLaw images_;
    Eavesdropper ears_;
    std::vector<DiskView> views_;
};

}  // namespace milena::sim
