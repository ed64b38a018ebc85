// SPDX-License-Identifier: Apache-2.0
// The field's numbers as types of their own, so that swapping two arguments does not compile. All
// are ordered, hashable and print as their number.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

#include <fmt/format.h>

namespace milena {

/// A number of one meaning. `value` is the raw number, for the wire and for arithmetic that is
/// about numbers.
template <class Tag, class Rep>
struct Id {
    using Number = Rep;
    Rep value{};

    constexpr Id() = default;
    constexpr explicit Id(Rep number) : value(number) {}
    constexpr auto operator<=>(const Id&) const = default;
};

/// A node with the broker or controller role; −1 is nobody.
using BrokerId = Id<struct BrokerIdTag, std::int32_t>;
/// Offset of the registration record of one broker incarnation (KIP-631); −1 is unknown.
using BrokerEpoch = Id<struct BrokerEpochTag, std::int64_t>;
/// Generation of a partition's leadership (KIP-101), and of the quorum's; −1 is unknown.
using LeaderEpoch = Id<struct LeaderEpochTag, std::int32_t>;
/// Version of a partition's whole state in the metadata.
using PartitionEpoch = Id<struct PartitionEpochTag, std::int32_t>;
using PartitionIndex = Id<struct PartitionIndexTag, std::int32_t>;
/// Idempotent or transactional producer (KIP-98); −1 is none.
using ProducerId = Id<struct ProducerIdTag, std::int64_t>;

/// A position in a partition's log, counted in records.
struct Offset : Id<struct OffsetTag, std::int64_t> {
    using Id::Id;
    constexpr Offset operator+(std::int64_t records) const { return Offset(value + records); }
    constexpr std::int64_t operator-(Offset other) const { return value - other.value; }
    constexpr Offset next() const { return Offset(value + 1); }
};

inline constexpr BrokerId kNoBroker{-1};
inline constexpr LeaderEpoch kNoLeaderEpoch{-1};
inline constexpr ProducerId kNoProducer{-1};

}  // namespace milena

template <class T>
    requires requires(const T& id) {
        typename T::Number;
        id.value;
    }
struct std::hash<T> {
    std::size_t operator()(const T& id) const noexcept {
        return std::hash<typename T::Number>{}(id.value);
    }
};

template <class T>
    requires requires(const T& id) {
        typename T::Number;
        id.value;
    }
struct fmt::formatter<T> : fmt::formatter<typename T::Number> {
    auto format(const T& id, fmt::format_context& context) const {
        return fmt::formatter<typename T::Number>::format(id.value, context);
    }
};
