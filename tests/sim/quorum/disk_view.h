// SPDX-License-Identifier: Apache-2.0
// Reads the metadata log and quorum-state of one simulated machine from its disk, without its node
// knowing, and tells QuorumLaws what has changed since the last look.
#pragma once

#include "sim/node.h"
#include "sim/quorum/laws.h"

namespace milena::sim {

class DiskView {
public:
    DiskView(Node& machine, std::int32_t node, QuorumLaws& laws)
        : disk_(machine.files().disk()), node_(node), laws_(laws) {}

    /// Cheap if nothing has changed.
    void look();

private:
    struct Segment {
        std::string name;
        std::shared_ptr<Inode> inode;
        std::uint64_t rewrites = 0;
        std::uint64_t version = 0;
        std::uint64_t parsed_bytes = 0;

        bool is_same(const Segment& other) const {
            return name == other.name && inode == other.inode && rewrites == other.rewrites;
        }
    };
    /// Where a batch ends on disk.
    struct Place {
        std::int64_t end_offset = 0;
        std::size_t segment = 0;
        std::uint64_t end_position = 0;
    };

    std::vector<Segment> list() const;
    void look_at_state();
    void look_at_log();
    /// All batches anew; what is as it was stays.
    void read_again(std::vector<Segment> segments);
    /// What has been added to the last segment.
    void read_on();
    void find_durable_end();

    const Disk& disk_;
    const std::int32_t node_;
    QuorumLaws& laws_;
    std::uint64_t names_version_ = 0;
    std::shared_ptr<Inode> directory_;
    std::shared_ptr<Inode> state_;
    std::uint64_t state_version_ = 0;
    std::vector<Segment> segments_;
    std::vector<Place> places_;
};

}  // namespace milena::sim
