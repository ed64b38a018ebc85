// SPDX-License-Identifier: Apache-2.0
// Bytes in Kafka's order, and their XXH3.
#include "metadata_hash.h"

#include <vector>

#include <xxhash.h>

#include "../../java_text.h"
#include "consumer_table.h"

namespace milena::coordinator {
namespace {

class Hashed {
public:
    template <std::integral T>
    void add(T number) {
        for (std::size_t i = 0; i < sizeof number; ++i)
            bytes_.push_back(
                static_cast<std::byte>(static_cast<std::make_unsigned_t<T>>(number) >> (8 * i)));
    }
    void add(std::string_view text) {
        const std::u16string units = java_units(text);
        for (const char16_t unit : units) add(static_cast<std::uint16_t>(unit));
        add(static_cast<std::int32_t>(units.size()));
    }
    bool is_empty() const { return bytes_.empty(); }
    std::int64_t value() const {
        return static_cast<std::int64_t>(XXH3_64bits(bytes_.data(), bytes_.size()));
    }

private:
    std::vector<std::byte> bytes_;
};

}  // namespace

std::int64_t hash_of(const TopicsView& topics, const TopicsView::Topic& topic) {
    Hashed hashed;
    hashed.add(std::uint8_t{0});
    hashed.add(topic.id.high);
    hashed.add(topic.id.low);
    hashed.add(topic.name);
    hashed.add(topic.partitions);
    for (std::int32_t index = 0; index < topic.partitions; ++index) {
        hashed.add(index);
        for (const std::string& rack : topics.racks(topic.id, PartitionIndex(index))) {
            hashed.add(static_cast<std::int32_t>(java_length(rack)));
            hashed.add(std::string_view(rack));
        }
    }
    return hashed.value();
}

std::int64_t metadata_hash(ConsumerTable& table, const ConsumerGroup& group) {
    Hashed hashed;
    for (const auto& [name, count] : group.subscribed_topics()) {
        if (const auto topic = table.topics().find(name)) hashed.add(table.topic_hash(*topic));
    }
    return hashed.is_empty() ? 0 : hashed.value();
}

}  // namespace milena::coordinator
