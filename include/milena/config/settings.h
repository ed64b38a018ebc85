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

namespace milena::config {

/// A message for the log of the start: something that was accepted and deserves a word.
using Warnings = std::vector<std::string>;

class Settings {
public:
    /// Checks every entry against its row. Unknown, idle and repeated keys add a warning; a value
    /// that its row does not allow, or a refused key, is an error that names key, value, file, line
    /// and what is allowed.
    static Result<Settings> from(const Properties& properties, Warnings& warnings);

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

private:
    struct Entry {
        Value value;
        std::string text;
        /// 0: the default.
        int line = 0;
    };
    Result<void> set(const Properties& properties, const Property& property, Warnings& warnings);
    const Entry& entry(std::string_view name) const;

    std::string file_;
    std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace milena::config
