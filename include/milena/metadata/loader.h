// SPDX-License-Identifier: Apache-2.0
// Follows the committed metadata log: batches in, images out. A metadata transaction (KIP-868) shows all at once, at its
// end; until then the image is the one from before it. One owner, one thread.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "milena/base/bytes.h"
#include "milena/metadata/delta.h"
#include "milena/record/batch.h"

namespace milena::metadata {

/// One step of the published image.
struct Update {
    std::shared_ptr<const Image> before;
    std::shared_ptr<const Image> after;
    Changes changes;
};

class Loader {
public:
    /// Goes on from `image`.
    explicit Loader(std::shared_ptr<const Image> image);

    /// Takes the next committed batch; control batches only move the offset. An error means that the log can't be
    /// followed; nothing more may be asked of this loader.
    Result<void> apply(record::BatchView batch);
    /// Replaces everything by a snapshot: its batches, without the control batches or with them.
    Result<void> load_snapshot(std::span<const record::BatchView> batches, const Provenance& provenance);

    /// What changed since the last call, all of it in one step; nothing if the image would be the same and stand at
    /// the same offset.
    std::optional<Update> take();

    /// The newest image that take() gave, or the first.
    const std::shared_ptr<const Image>& image() const { return published_; }
    /// Whether records are held back because their transaction has not ended.
    bool in_transaction() const { return transaction_.has_value(); }

private:
    Result<void> apply_record(BytesView value, const Provenance& at);
    void settle();

    std::shared_ptr<const Image> published_;
    /// published_ and the records since then that are whole.
    std::shared_ptr<const Image> current_;
    Changes changes_;
    Provenance provenance_;
    std::optional<Delta> delta_;        ///< on current_
    std::optional<Delta> transaction_;  ///< on current_, since its beginning; delta_ is empty meanwhile
};

}  // namespace milena::metadata
