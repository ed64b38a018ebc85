// SPDX-License-Identifier: Apache-2.0
// From one image to the next: a delta takes records in their order, one part per aspect, and gives
// the image after them and the names of what changed, which drives everything else. One owner, one
// thread.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "milena/base/bytes.h"
#include "milena/base/result.h"
#include "milena/metadata/image.h"
#include "milena/metadata/records.h"

namespace milena::metadata {

/// What differs, or may differ, between two images: whoever was named in a record.
struct Changes {
    std::set<Uuid> topics;  ///< made, deleted, or a partition of theirs changed
    std::set<BrokerId> brokers;
    std::set<BrokerId> controllers;
    std::set<ConfigResource> configs;
    bool features = false;
    bool client_quotas = false;
    bool acls = false;
    bool scram = false;
    bool delegation_tokens = false;
    bool producer_ids = false;

    bool empty() const { return *this == Changes(); }
    void add(const Changes& more);
    bool operator==(const Changes&) const = default;
};

class Delta {
public:
    explicit Delta(std::shared_ptr<const Image> base);
    ~Delta();
    Delta(Delta&&) noexcept;
    Delta& operator=(Delta&&) noexcept;

    /// Applies one record. CORRUPT_MESSAGE if it is not framed as one, UNSUPPORTED_VERSION if its
    /// type or version is newer than 4.4's, INVALID_RECORD if it contradicts the image (a partition
    /// of no topic, a change of no broker): the log can't be followed then. Markers of a metadata
    /// transaction are INVALID_RECORD too: Loader sees to them.
    Result<void> apply(BytesView record_value);

    const Changes& changes() const;
    /// The image after all records; the delta is used up.
    std::shared_ptr<const Image> finish(const Provenance& provenance) &&;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// What differs between any two images, found by looking: for when a snapshot took the place of the
/// records between.
Changes difference(const Image& before, const Image& after);

/// The records that make `image` out of nothing, in the order of Apache Kafka's snapshots, in the
/// versions that the image's metadata.version allows.
std::vector<RecordValue> records_of(const Image& image);
/// The same, one after the other, for those who keep none.
void emit_records(const Image& image, const std::function<void(RecordValue)>& sink);

}  // namespace milena::metadata
