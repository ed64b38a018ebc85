// SPDX-License-Identifier: Apache-2.0
// Front to back, with every length looked at before it is believed.
#include "consumer_protocol.h"

#include <utility>

namespace milena::coordinator {
namespace {

std::optional<std::string> read_text(ByteReader& reader) {
    const auto length = reader.read<std::int16_t>();
    if (length < 0) return std::nullopt;
    return std::string(as_text(reader.read_bytes(static_cast<std::size_t>(length))));
}

/// At most as many as bytes are left: each takes one at least.
std::size_t read_count(ByteReader& reader) {
    const auto count = reader.read<std::int32_t>();
    if (count < 0) return 0;
    if (std::cmp_greater(count, reader.remaining())) reader.fail();
    return reader.ok() ? static_cast<std::size_t>(count) : 0;
}

/// True if there are any.
bool skip_bytes(ByteReader& reader) {
    const auto length = reader.read<std::int32_t>();
    if (length <= 0) return false;
    reader.skip(static_cast<std::size_t>(length));
    return true;
}

std::vector<NamedPartitions> read_partitions(ByteReader& reader) {
    std::vector<NamedPartitions> out;
    const std::size_t topics = read_count(reader);
    for (std::size_t i = 0; i < topics && reader.ok(); ++i) {
        NamedPartitions& topic = out.emplace_back();
        topic.topic = read_text(reader).value_or("");
        const std::size_t partitions = read_count(reader);
        for (std::size_t j = 0; j < partitions && reader.ok(); ++j)
            topic.partitions.emplace_back(reader.read<std::int32_t>());
    }
    return out;
}

template <class T>
void append(Bytes& out, T number) {
    out.resize(out.size() + sizeof number);
    store(out.data() + out.size() - sizeof number, number);
}

}  // namespace

std::optional<ConsumerSubscription> read_consumer_subscription(BytesView bytes) {
    ByteReader reader(bytes);
    ConsumerSubscription out;
    out.version = reader.read<std::int16_t>();
    const std::size_t topics = read_count(reader);
    for (std::size_t i = 0; i < topics && reader.ok(); ++i)
        out.topics.push_back(read_text(reader).value_or(""));
    skip_bytes(reader);
    if (out.version >= 1) out.owned = read_partitions(reader);
    if (out.version >= 2) reader.skip(sizeof(std::int32_t));
    if (out.version >= 3) out.rack = read_text(reader);
    const bool is_read = reader.ok() && out.version >= 0;
    return is_read ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<ConsumerAssignment> read_consumer_assignment(BytesView bytes) {
    ConsumerAssignment out;
    if (bytes.empty()) return out;
    ByteReader reader(bytes);
    const auto version = reader.read<std::int16_t>();
    out.partitions = read_partitions(reader);
    out.has_user_data = skip_bytes(reader);
    return reader.ok() && version >= 0 ? std::optional(std::move(out)) : std::nullopt;
}

Bytes consumer_assignment(std::int16_t version, const std::vector<TopicPartitions>& partitions,
                          const TopicsView& topics) {
    Bytes out;
    append(out, version);
    const std::size_t count_at = out.size();
    append(out, std::int32_t{0});
    std::int32_t count = 0;
    for (const TopicPartitions& one : partitions) {
        const auto topic = topics.find(one.topic);
        if (!topic) continue;
        ++count;
        append(out, static_cast<std::int16_t>(topic->name.size()));
        const BytesView name = as_bytes(topic->name);
        out.insert(out.end(), name.begin(), name.end());
        append(out, static_cast<std::int32_t>(one.partitions.size()));
        for (const PartitionIndex index : one.partitions) append(out, index.value);
    }
    store(out.data() + count_at, count);
    append(out, std::int32_t{-1});
    return out;
}

std::vector<TopicPartitions> with_ids(const std::vector<NamedPartitions>& partitions,
                                      const TopicsView& topics) {
    std::vector<TopicPartitions> out;
    for (const NamedPartitions& one : partitions) {
        if (const auto topic = topics.find(one.topic)) out.push_back({topic->id, one.partitions});
    }
    return out;
}

}  // namespace milena::coordinator
