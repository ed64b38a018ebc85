// SPDX-License-Identifier: Apache-2.0
// The keys that a server.properties and a topic may set: one row each in src/config/keys.cc,
// unread_keys.cc, security_keys.cc and topic_keys.cc. Everything that must know a key (parsing,
// messages, DescribeConfigs, the printed reference) reads its row.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "milena/base/result.h"

namespace milena::config {

enum class ValueType { boolean, int16, int32, int64, float64, string, list, class_name, password };

/// Which layers may change a broker key while the broker runs (KIP-226).
enum class Update { read_only, per_broker, cluster_wide };

/// What setting a key does here.
enum class Effect {
    works,    ///< what Kafka's does
    idle,     ///< nothing, by design: `doc` says why
    not_yet,  ///< nothing yet; a start with it warns
    refused,  ///< a start with it fails: `doc` says why
};

/// Which values a key takes: a range of numbers, or words separated by bars (for a list, what its
/// elements may be). separated by '|'. Neither: everything of the type.
struct Allowed {
    std::int64_t min = std::numeric_limits<std::int64_t>::min();
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
    /// A number within the range that is not allowed.
    std::optional<std::int64_t> except{};
    std::string_view words{};
    /// Words match in any case.
    bool any_case = false;

    /// "1 or more", "0 to 17", "one of compact, delete"; empty if everything of the type is
    /// allowed.
    std::string text() const;
};

struct Key {
    std::string_view name;
    ValueType type;
    /// Nothing: the key has no value unless set (Kafka's null), or must be set where the broker
    /// needs it.
    std::optional<std::string_view> default_text;
    Allowed allowed;
    Update update;
    Effect effect;
    std::string_view doc;
};

/// How the number of a broker key becomes that of the topic key.
enum class Unit : std::int64_t { same = 1, minutes = 60'000, hours = 3'600'000 };

/// A broker key that gives a topic key its default.
struct Synonym {
    std::string_view broker_key;
    Unit unit = Unit::same;
};

/// A topic's key. Its default is that of the first of its synonyms that is set, then
/// `default_text`.
struct TopicKey {
    std::string_view name;
    ValueType type;
    std::optional<std::string_view> default_text;
    Allowed allowed;
    std::span<const Synonym> synonyms;
    Effect effect;
    std::string_view doc;
};

/// Null, or the value in the type of its key (all integers as int64).
using Value =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>>;

/// In the order of their names.
std::vector<const Key*> broker_keys();
std::span<const TopicKey> topic_keys();
/// Null if Kafka 4.4 and Milena know no such key.
const Key* find_broker_key(std::string_view name);
const TopicKey* find_topic_key(std::string_view name);
/// The known broker key that `name` may be a slip of, if one is near enough to say so.
std::optional<std::string_view> nearest_broker_key(std::string_view name);

/// The page of the reference about all keys (docs/reference/configuration.md).
std::string reference_page();

/// The value that `text` stands for. Fails with INVALID_CONFIG; `why` says what the text is not and
/// what is allowed.
Result<Value> parse_value(ValueType type, const Allowed& allowed, std::string_view text);

/// The same for the value of a key that a client sets: an element that comes twice in a list is
/// taken once, and `why` is in the words in which Apache Kafka's tools show it.
Result<Value> parse_client_value(std::string_view name, ValueType type, const Allowed& allowed,
                                 std::string_view text);
/// As Kafka prints it: lists with commas, numbers as Java does; nothing for null.
std::optional<std::string> value_text(const Value& value);

}  // namespace milena::config
