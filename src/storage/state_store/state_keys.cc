// SPDX-License-Identifier: Apache-2.0
// Keys and positions as bytes.
#include "state_keys.h"

#include "milena/base/invariant.h"

namespace milena::storage {
namespace {

constexpr std::size_t kPrefixBytes = 20;
constexpr char kPosition = 0;
constexpr char kRecord = 1;
constexpr std::size_t kPositionBytes = 20;

template <class T>
void put(std::string& to, T number) {
    const std::size_t at = to.size();
    to.resize(at + sizeof number);
    store(reinterpret_cast<std::byte*>(to.data()) + at, number);
}

}  // namespace

std::string space_prefix(const StateSpace& space) {
    std::string out;
    out.reserve(kPrefixBytes + 1);
    put(out, space.topic.high);
    put(out, space.topic.low);
    put(out, space.partition.value);
    return out;
}

std::string position_key(const StateSpace& space) {
    return space_prefix(space) + kPosition;
}

std::string record_key(const StateSpace& space, BytesView key) {
    std::string out = space_prefix(space);
    out.reserve(kPrefixBytes + 1 + key.size());
    out += kRecord;
    out += as_text(key);
    return out;
}

BytesView key_of_record(std::string_view record_key) {
    INVARIANT(record_key.size() > kPrefixBytes, "no key of a record");
    return as_bytes(record_key.substr(kPrefixBytes + 1));
}

std::optional<StateSpace> space_of_position(std::string_view key) {
    if (key.size() != kPrefixBytes + 1 || key.back() != kPosition) return std::nullopt;
    ByteReader in(as_bytes(key));
    StateSpace space;
    space.topic.high = in.read<std::uint64_t>();
    space.topic.low = in.read<std::uint64_t>();
    space.partition = PartitionIndex(in.read<std::int32_t>());
    return space;
}

std::string after_prefix(std::string prefix) {
    while (!prefix.empty() && prefix.back() == '\xFF') prefix.pop_back();
    INVARIANT(!prefix.empty(), "nothing comes after this prefix");
    prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
    return prefix;
}

std::string encode_position(const StatePosition& position) {
    std::string out;
    put(out, position.applied.value);
    put(out, position.epoch.value);
    put(out, position.written_ms);
    return out;
}

std::optional<StatePosition> decode_position(std::string_view bytes) {
    if (bytes.size() != kPositionBytes) return std::nullopt;
    ByteReader in(as_bytes(bytes));
    StatePosition out;
    out.applied = Offset(in.read<std::int64_t>());
    out.epoch = LeaderEpoch(in.read<std::int32_t>());
    out.written_ms = in.read<std::int64_t>();
    return out;
}

}  // namespace milena::storage
