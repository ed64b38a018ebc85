// SPDX-License-Identifier: Apache-2.0
// Written by hand, so that coordinators are not asked to understand their own words.
#include "sim/workload/shares.h"

#include <algorithm>

namespace milena::sim {
namespace {

constexpr std::int32_t kNone = -1;

class Writer {
public:
    template <class T>
    void write(T number) {
        bytes_.resize(bytes_.size() + sizeof number);
        store(bytes_.data() + bytes_.size() - sizeof number, number);
    }
    void write_text(std::string_view text) {
        write(static_cast<std::int16_t>(text.size()));
        const BytesView bytes = as_bytes(text);
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> subscription(std::string_view topic, std::int16_t version) {
    Writer writer;
    writer.write(version);
    writer.write(std::int32_t{1});
    writer.write_text(topic);
    writer.write(kNone);                                            // user data
    if (version >= 1) writer.write(std::int32_t{0});                // what it has
    if (version >= 2) writer.write(kNone);                          // since which generation
    if (version >= 3) writer.write(static_cast<std::int16_t>(-1));  // rack
    return writer.take();
}

std::vector<std::int32_t> share(std::size_t member, std::size_t members, std::int32_t partitions,
                                std::int32_t generation) {
    std::vector<std::int32_t> found;
    for (std::int32_t i = 0; i < partitions; ++i) {
        if (static_cast<std::size_t>(i + generation) % members == member) found.push_back(i);
    }
    return found;
}

std::vector<std::byte> assignment(std::string_view topic,
                                  const std::vector<std::int32_t>& partitions) {
    Writer writer;
    writer.write(std::int16_t{0});
    writer.write(std::int32_t{1});
    writer.write_text(topic);
    writer.write(static_cast<std::int32_t>(partitions.size()));
    for (const std::int32_t index : partitions) writer.write(index);
    writer.write(kNone);
    return writer.take();
}

std::optional<std::vector<std::int32_t>> partitions_in(BytesView assignment, std::string_view topic,
                                                       std::int32_t end) {
    std::vector<std::int32_t> found;
    if (assignment.empty()) return found;
    ByteReader reader(assignment);
    reader.skip(sizeof(std::int16_t));
    const auto topics = reader.read<std::int32_t>();
    for (std::int32_t i = 0; i < topics && reader.ok(); ++i) {
        const auto length = reader.read<std::int16_t>();
        const BytesView name =
            reader.read_bytes(static_cast<std::size_t>(std::max<std::int16_t>(length, 0)));
        if (as_text(name) != topic) return std::nullopt;
        const auto count = reader.read<std::int32_t>();
        for (std::int32_t j = 0; j < count && reader.ok(); ++j) {
            const auto index = reader.read<std::int32_t>();
            const bool is_sound =
                index >= 0 && index < end && std::ranges::find(found, index) == found.end();
            if (reader.ok() && !is_sound) return std::nullopt;
            found.push_back(index);
        }
    }
    reader.skip(sizeof(std::int32_t));
    if (!reader.ok()) return std::nullopt;
    return found;
}

}  // namespace milena::sim
