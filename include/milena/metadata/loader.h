// SPDX-License-Identifier: Apache-2.0
// Follows the committed metadata log: batches in, images out. A metadata transaction (KIP-868)
// shows all at once, at its end; until then the image is the one from before it. One owner, one
// thread.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "milena/base/bytes.h"
#include "milena/metadata/delta.h"

namespace milena::metadata {

/// One step of the published image.
struct Update {
    std::shared_ptr<const Image> before;
    std::shared_ptr<const Image> after;
    Changes changes;
};

class Loader {
public:
    /// Goes on from `image`; `in_transaction` if a transaction has begun whose end has not come,
    /// with nothing in it.
    explicit Loader(std::shared_ptr<const Image> image, bool in_transaction = false);

    /// Takes the records of the next committed batch; `end` is its last record. A control batch has
    /// no values and only moves the offset. An error means that the log can't be followed; nothing
    /// more may be asked of this loader.
    Result<void> apply(std::span<const BytesView> values, const Provenance& end);
    /// Replaces everything by a snapshot, given as all its values; `end` is the last record that it
    /// stands for.
    Result<void> load_snapshot(std::span<const BytesView> values, const Provenance& end);

    /// What changed since the last call, all of it in one step; nothing if the image would be the
    /// same and stand at the same offset.
    std::optional<Update> take();

    /// The newest image that take() gave, or the first.
    const std::shared_ptr<const Image>& image() const { return published_; }
    /// Whether records are held back because their transaction has not ended.
    bool in_transaction() const { return in_transaction_; }

private:
    Result<void> apply_record(BytesView value, Offset offset, const Provenance& end);
    Result<void> begin_transaction(Offset offset, const Provenance& end);
    Result<void> end_transaction(bool keep);
    /// current_ takes in what delta_ holds.
    void settle();

    std::shared_ptr<const Image> published_;
    /// published_ and the whole records since then, those of delta_ not yet in it.
    std::shared_ptr<const Image> current_;
    Changes changes_;             ///< from published_ to current_
    Provenance end_;              ///< of the last whole record
    std::optional<Delta> delta_;  ///< on current_; those of the transaction, if one is open
    bool in_transaction_ = false;
};

}  // namespace milena::metadata
