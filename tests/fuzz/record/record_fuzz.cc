// SPDX-License-Identifier: Apache-2.0
// Any bytes as the records of a Produce: refused with a reason, or one batch that is read to its
// last record. The checksum is made right first, or nothing behind it would ever be reached.
#include <vector>

#include "milena/base/crc32c.h"
#include "milena/record/compression.h"
#include "milena/record/validate.h"

namespace {

using namespace milena;

constexpr std::size_t kBytesMax = 1 << 20;

void check_taken(record::BatchView batch, record::Scratch& scratch) {
    std::int32_t seen = 0;
    const auto read = record::for_each_record(
        batch, {},
        [&](const record::RecordView& record) {
            INVARIANT(record.offset == batch.base_offset() + seen, "offsets that do not count up");
            ByteReader headers(record.headers);
            for (std::int32_t header = 0; header < record.header_count; ++header) {
                headers.skip(static_cast<std::size_t>(headers.read_varint()));
                headers.skip(static_cast<std::size_t>(std::max(headers.read_varint(), 0)));
            }
            INVARIANT(headers.ok() && headers.remaining() == 0, "headers that are not whole");
            ++seen;
            return true;
        },
        &scratch);
    INVARIANT(read && seen == batch.record_count(), "a batch that was taken can't be read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > kBytesMax) return 0;
    const auto* const begin = reinterpret_cast<const std::byte*>(data);
    std::vector<std::byte> bytes(begin, begin + size);
    const auto sole = record::sole_batch(bytes);
    if (!sole) {
        INVARIANT(!sole.error().why.empty(), "a refusal without a reason");
        return 0;
    }
    store(bytes.data() + 17, crc32c(sole->bytes().subspan(21)));
    record::Scratch scratch;
    const record::ProduceRules rules{.limits = {.record_bytes_max = kBytesMax}};
    const auto accepted =
        record::validate_produced(*sole, rules, record::Timestamp(1'800'000'000'000), &scratch);
    if (accepted) {
        check_taken(*sole, scratch);
    } else {
        INVARIANT(!accepted.error().why.empty(), "a refusal without a reason");
    }
    return 0;
}
