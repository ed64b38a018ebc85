// SPDX-License-Identifier: Apache-2.0
// I19, the state machine: the metadata that a node publishes is that of the committed log at its
// offset, made anew here from the first record on, whatever snapshots and deltas the node made its
// own of.
#pragma once

#include "milena/metadata/loader.h"
#include "sim/quorum/laws.h"

namespace milena::sim {

class ImageLaw {
public:
    explicit ImageLaw(QuorumLaws& laws) : laws_(laws), loader_(metadata::Image::empty()) {}

    /// Takes in what has been committed since.
    void follow();
    void is_published(const std::string& server, const metadata::Image& image);
    /// How many images were compared.
    std::uint64_t compared() const { return compared_; }

private:
    QuorumLaws& laws_;
    metadata::Loader loader_;
    std::size_t followed_ = 0;  ///< batches
    bool is_broken_ = false;
    /// By their last offset.
    std::map<std::int64_t, std::shared_ptr<const metadata::Image>> images_;
    std::uint64_t compared_ = 0;
};

}  // namespace milena::sim
