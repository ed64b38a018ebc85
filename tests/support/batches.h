// SPDX-License-Identifier: Apache-2.0
// Record batches for tests: with each record's own timestamp, with headers, compressed, as a client
// would make them. An encoder of its own, so that it does not share the mistakes of the one it
// tests.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "milena/base/crc32c.h"
#include "milena/record/compression.h"
#include "milena/record/records.h"

namespace milena::support {

struct TestRecord {
    std::int64_t timestamp = 0;
    std::optional<std::string> key{};
    std::optional<std::string> value{};
    std::vector<std::pair<std::string, std::optional<std::string>>> headers{};

    bool operator==(const TestRecord&) const = default;
};

struct BatchSpec {
    std::int64_t base_offset = 0;
    std::int32_t leader_epoch = 0;
    record::Codec codec = record::Codec::none;
    /// Attribute bits besides the codec's.
    std::int16_t attributes = 0;
    std::int64_t producer_id = -1;
    std::int16_t producer_epoch = -1;
    std::int32_t base_sequence = -1;
    std::vector<TestRecord> records{};
};

class Encoder {
public:
    template <class T>
    void number(T value) {
        const std::size_t at = bytes.size();
        bytes.resize(at + sizeof(T));
        store(bytes.data() + at, value);
    }
    void varint(std::int64_t value) {
        auto left = (static_cast<std::uint64_t>(value) << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0);
        for (; left > 127; left /= 128) bytes.push_back(static_cast<std::byte>(left % 128 + 128));
        bytes.push_back(static_cast<std::byte>(left));
    }
    void raw(BytesView view) { bytes.insert(bytes.end(), view.begin(), view.end()); }
    void nullable(const std::optional<std::string>& text) {
        varint(text ? static_cast<std::int64_t>(text->size()) : -1);
        if (text) raw(as_bytes(*text));
    }

    std::vector<std::byte> bytes;
};

inline std::vector<std::byte> encode_record(const TestRecord& record, std::int64_t base_timestamp,
                                            std::int64_t index) {
    Encoder body;
    body.number<std::int8_t>(0);
    body.varint(record.timestamp - base_timestamp);
    body.varint(index);
    body.nullable(record.key);
    body.nullable(record.value);
    body.varint(static_cast<std::int64_t>(record.headers.size()));
    for (const auto& [key, value] : record.headers) {
        body.nullable(key);
        body.nullable(value);
    }
    Encoder whole;
    whole.varint(static_cast<std::int64_t>(body.bytes.size()));
    whole.raw(body.bytes);
    return whole.bytes;
}

/// A batch around any payload, so that what is wrong inside can be made on purpose.
inline std::vector<std::byte> wrap_payload(const BatchSpec& spec, BytesView payload,
                                           std::int64_t base_timestamp,
                                           std::int64_t max_timestamp) {
    const auto count = static_cast<std::int32_t>(spec.records.size());
    Encoder checked;
    checked.number(
        static_cast<std::int16_t>(spec.attributes | static_cast<std::int16_t>(spec.codec)));
    checked.number(static_cast<std::int32_t>(count - 1));
    checked.number(base_timestamp);
    checked.number(max_timestamp);
    checked.number(spec.producer_id);
    checked.number(spec.producer_epoch);
    checked.number(spec.base_sequence);
    checked.number(count);
    checked.raw(payload);
    Encoder batch;
    batch.number(spec.base_offset);
    batch.number(static_cast<std::int32_t>(checked.bytes.size() + 9));
    batch.number(spec.leader_epoch);
    batch.number<std::int8_t>(2);
    batch.number(crc32c(checked.bytes));
    batch.raw(checked.bytes);
    return batch.bytes;
}

inline std::vector<std::byte> make_batch(const BatchSpec& spec) {
    const std::int64_t base = spec.records.empty() ? 0 : spec.records.front().timestamp;
    std::int64_t max = -1;
    Encoder payload;
    for (std::size_t index = 0; index < spec.records.size(); ++index) {
        max = std::max(max, spec.records[index].timestamp);
        payload.raw(encode_record(spec.records[index], base, static_cast<std::int64_t>(index)));
    }
    if (spec.codec == record::Codec::none) return wrap_payload(spec, payload.bytes, base, max);
    return wrap_payload(spec, *record::compress(spec.codec, payload.bytes), base, max);
}

/// The CRC made right again after a change of the bytes it covers.
inline void fix_crc(std::vector<std::byte>& batch) {
    store(batch.data() + 17, crc32c(BytesView(batch).subspan(21)));
}

/// `count` records of `value_bytes` each, all at `timestamp`.
inline std::vector<std::byte> plain_batch(std::int64_t base_offset, int count,
                                          std::int64_t timestamp, std::int32_t leader_epoch = 0,
                                          std::size_t value_bytes = 10) {
    BatchSpec spec{.base_offset = base_offset, .leader_epoch = leader_epoch};
    for (int index = 0; index < count; ++index) {
        spec.records.push_back(
            {.timestamp = timestamp,
             .value =
                 std::string(value_bytes, static_cast<char>('a' + (base_offset + index) % 26))});
    }
    return make_batch(spec);
}

/// A batch's records as they were put in.
inline Result<std::vector<TestRecord>> records_of(record::BatchView batch,
                                                  record::Scratch* scratch = nullptr) {
    std::vector<TestRecord> records;
    const auto text = [](const record::NullableBytes& bytes) {
        return bytes ? std::optional<std::string>(as_text(*bytes)) : std::nullopt;
    };
    TRY_VOID(record::for_each_record(
        batch, {},
        [&](const record::RecordView& view) {
            TestRecord record{view.timestamp.value, text(view.key), text(view.value), {}};
            ByteReader in(view.headers);
            for (int header = 0; header < view.header_count; ++header) {
                const BytesView key = in.read_bytes(static_cast<std::size_t>(in.read_varint()));
                const std::int32_t length = in.read_varint();
                record.headers.emplace_back(as_text(key), std::nullopt);
                if (length >= 0)
                    record.headers.back().second =
                        as_text(in.read_bytes(static_cast<std::size_t>(length)));
            }
            INVARIANT(in.ok() && in.remaining() == 0, "headers were checked by the walk");
            records.push_back(std::move(record));
            return true;
        },
        scratch));
    return records;
}

}  // namespace milena::support
