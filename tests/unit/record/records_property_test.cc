// SPDX-License-Identifier: Apache-2.0
// Laws of batches: what goes in comes out, with every codec; no bytes make a reader or a validator
// fall over.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "milena/record/validate.h"
#include "support/batches.h"

namespace rc {

template <>
struct Arbitrary<milena::support::TestRecord> {
    static Gen<milena::support::TestRecord> arbitrary() {
        using milena::support::TestRecord;
        const auto text = gen::container<std::string>(gen::arbitrary<char>());
        const auto nullable =
            gen::oneOf(gen::just(std::optional<std::string>()),
                       gen::map(text, [](std::string value) { return std::optional(value); }));
        return gen::build<TestRecord>(
            gen::set(&TestRecord::timestamp, gen::inRange<std::int64_t>(-1, 1LL << 50)),
            gen::set(&TestRecord::key, nullable), gen::set(&TestRecord::value, nullable),
            gen::set(&TestRecord::headers,
                     gen::container<decltype(TestRecord::headers)>(gen::pair(text, nullable))));
    }
};

}  // namespace rc

namespace milena::record {
namespace {

Codec any_codec() {
    return static_cast<Codec>(*rc::gen::inRange(0, 5));
}

std::vector<std::byte> any_batch() {
    support::BatchSpec spec{.base_offset = 0, .codec = any_codec()};
    spec.records = *rc::gen::nonEmpty<std::vector<support::TestRecord>>();
    return support::make_batch(spec);
}

/// Everything that reads a batch; what it says does not matter here, only that it says something.
void read_all_ways(BytesView bytes) {
    const auto sole = sole_batch(bytes);
    if (!sole) return;
    (void)support::records_of(*sole);
    const ProduceRules rules{.timestamp_after_max_ms = INT64_MAX, .is_compacted = true};
    (void)validate_produced(*sole, rules, Timestamp(1LL << 49));
}

RC_GTEST_PROP(RecordsLaw, EveryCodecGivesBackWhatWasPutIn,
              (std::vector<support::TestRecord> records)) {
    RC_PRE(!records.empty());
    const auto bytes =
        support::make_batch({.base_offset = 17, .codec = any_codec(), .records = records});
    const auto batch = first_batch(bytes);
    RC_ASSERT(batch && *batch && (*batch)->check_crc());
    const auto read = support::records_of(**batch);
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == records);
}

RC_GTEST_PROP(RecordsLaw, AWellFormedBatchIsTakenAndItsGreatestTimestampFound,
              (std::vector<support::TestRecord> records)) {
    RC_PRE(!records.empty());
    auto bytes = support::make_batch({.codec = any_codec(), .records = records});
    std::int64_t greatest = -1;
    for (const auto& record : records) greatest = std::max(greatest, record.timestamp);
    store(bytes.data() + 35, *rc::gen::arbitrary<std::int64_t>());  // a header that lies
    support::fix_crc(bytes);
    const ProduceRules rules{.timestamp_after_max_ms = INT64_MAX};
    const auto accepted = validate_produced(BatchView(bytes), rules, Timestamp(0));
    RC_ASSERT(accepted.has_value());
    RC_ASSERT(accepted->max_timestamp == Timestamp(greatest));
}

RC_GTEST_PROP(RecordsLaw, NoChangedByteBreaksAReader, ()) {
    auto bytes = any_batch();
    const int changes = *rc::gen::inRange(1, 6);
    for (int change = 0; change < changes; ++change) {
        bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] =
            static_cast<std::byte>(*rc::gen::inRange(0, 256));
    }
    if (*rc::gen::arbitrary<bool>() && bytes.size() > kBatchHeaderBytes) support::fix_crc(bytes);
    read_all_ways(bytes);
}

RC_GTEST_PROP(RecordsLaw, NoPrefixBreaksAReader, ()) {
    const auto bytes = any_batch();
    read_all_ways(BytesView(bytes).first(*rc::gen::inRange<std::size_t>(0, bytes.size())));
}

}  // namespace
}  // namespace milena::record
