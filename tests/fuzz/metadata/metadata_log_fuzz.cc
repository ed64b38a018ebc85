// SPDX-License-Identifier: Apache-2.0
// Records of the metadata log from a disk or a peer, each behind a 16-bit length, applied one by
// one. Whatever they make must turn into records and back.
#include <cmath>

#include "milena/metadata/features.h"
#include "milena/metadata/loader.h"

namespace milena {
namespace {

std::shared_ptr<const metadata::Image> load(ByteReader& reader) {
    metadata::Loader loader(metadata::Image::empty());
    for (std::int64_t offset = 0; reader.remaining() > 0; ++offset) {
        const BytesView value = reader.read_bytes(reader.read<std::uint16_t>());
        if (!reader.ok()) break;
        if (!loader.apply(std::span(&value, 1), {Offset(offset), LeaderEpoch(1), 0})) break;
        loader.take();
    }
    return loader.image();
}

/// A quota that is not a number equals nothing, itself neither.
bool has_nan(const metadata::ClientQuotasImage& quotas) {
    for (const auto& [entity, limits] : quotas.by_entity) {
        for (const auto& [key, limit] : limits) {
            if (std::isnan(limit)) return true;
        }
    }
    return false;
}

void check(BytesView bytes) {
    ByteReader reader(bytes);
    const auto image = load(reader);
    metadata::Delta delta(metadata::Image::empty());
    for (const metadata::RecordValue& record : metadata::records_of(*image)) {
        INVARIANT(delta.apply(record), "a record of an image that can't be applied");
    }
    const auto again = std::move(delta).finish(image->provenance);
    // Below the newest level a snapshot leaves out what the level does not know.
    const bool is_whole = image->features->level(metadata::kMetadataVersion) >= 33;
    INVARIANT(!is_whole || has_nan(*image->client_quotas) || again->same_content(*image),
              "an image that is another one when its records are replayed");
}

}  // namespace
}  // namespace milena

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    milena::check(std::as_bytes(std::span(data, size)));
    return 0;
}
