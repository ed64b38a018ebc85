// SPDX-License-Identifier: Apache-2.0
// One image a committed batch is kept: they share what did not change.
#include "sim/quorum/image_law.h"

#include "milena/raft/batches.h"

namespace milena::sim {

void ImageLaw::follow() {
    const std::vector<SeenBatch>& committed = laws_.committed();
    for (; followed_ < committed.size() && !is_broken_; ++followed_) {
        const record::BatchView batch(*committed[followed_].bytes);
        raft::RecordValues values;
        if (!batch.is_control()) {
            auto decoded = raft::decode_values(batch);
            if (decoded) values = *std::move(decoded);
        }
        const metadata::Provenance end{batch.last_offset(), batch.leader_epoch(),
                                       batch.max_timestamp().value};
        if (const auto applied = loader_.apply(values.values, end); !applied) {
            is_broken_ = true;
            return laws_.complain("the committed metadata can't be followed: " +
                                  applied.error().why);
        }
        loader_.take();
        images_[batch.last_offset().value] = loader_.image();
    }
}

void ImageLaw::is_published(const std::string& server, const metadata::Image& image) {
    const std::int64_t offset = image.provenance.last_offset.value;
    if (offset < 0 || is_broken_) return;
    if (offset >= laws_.committed_end()) {
        laws_.complain(fmt::format("{} shows offset {}, though only what is below {} is committed",
                                   server, offset, laws_.committed_end()));
        return;
    }
    const auto right = images_.find(offset);
    if (right == images_.end()) return;  // inside a metadata transaction
    ++compared_;
    if (!image.same_content(*right->second))
        laws_.complain(fmt::format("{} shows other metadata at offset {}", server, offset));
}

}  // namespace milena::sim
