// SPDX-License-Identifier: Apache-2.0
// The values of all broker keys: what the file says, and the default where it says nothing.
// Immutable once made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "milena/config/keys.h"
#include "milena/config/properties.h"
#include "milena/config/topic_config.h"

namespace milena::config {

/// A message for the log of the start: something that was accepted and deserves a word.
using Warnings = std::vector<std::string>;

class Settings {
public:
    /// Checks every entry against its row. Unknown, idle and repeated keys add a warning; a value
    /// that its row does not allow, or a refused key, is an error that names key, value, file, line
    /// and what is allowed.
    static Result<Settings> from(const Properties& properties, Warnings& warnings);

    /// What an empty file says.
    static Settings defaults();

    /// These with dynamic values over them, the broker's own before the cluster's (KIP-226). Keys
    /// that are unknown, that don't change while a broker runs, or whose row does not allow the
    /// value, stay as they are.
    Settings with(const ConfigMap& cluster_wide, const ConfigMap& broker) const;

    /// All of these: `name` is a row of the table, of that type; a slip of ours stops the process.
    bool is_set(std::string_view name) const;
    bool is_null(std::string_view name) const;
    const Value& value(std::string_view name) const;
    bool boolean(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    /// An int32 or int16 key.
    std::int32_t number(std::string_view name) const;
    double real(std::string_view name) const;
    /// Empty where null.
    const std::string& string(std::string_view name) const;
    const std::vector<std::string>& list(std::string_view name) const;

    /// "server.properties:12: listeners=x", for a message about a value that its row could not
    /// judge; without a place if the key is at its default.
    std::string where(std::string_view name) const;

    /// What the file says, as it says it; nothing if the key is at its default.
    std::optional<std::string_view> text(std::string_view name) const;

    /// Keys in the file that have no row, with what it says.
    const ConfigMap& unknown() const { return unknown_; }

private:
    struct Entry {
        Value value;
        std::string text;
        /// In the file; 0 if it is not from there.
        int line = 0;
        bool is_dynamic = false;
    };
    Result<void> set(const Properties& properties, const Property& property, Warnings& warnings);
    const Entry& entry(std::string_view name) const;

    std::string file_;
    std::map<std::string, Entry, std::less<>> entries_;
    ConfigMap unknown_;
};

/// What a topic gets that sets nothing: for each key the first of its synonyms that is set.
TopicConfig topic_defaults(const Settings& broker);

}  // namespace milena::config
