// SPDX-License-Identifier: Apache-2.0
// Java's properties syntax, as Kafka's server.properties uses it: comments (# and !), continued
// lines, escapes, and '=',
// ':' or white space between key and value. The text is UTF-8; a text that is not valid UTF-8 is
// taken as ISO-8859-1, which is what Java reads. Knows nothing of which keys exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "milena/base/result.h"

namespace milena::config {

struct Property {
    std::string key;
    std::string value;
    /// Where it begins in the file, from 1.
    int line = 0;

    bool operator==(const Property&) const = default;
};

/// The entries of one file in its order; a key may come several times, then the last one counts.
struct Properties {
    /// The file's name, for messages.
    std::string file;
    std::vector<Property> entries;

    /// An error names file and line; only a broken \u escape is one.
    static Result<Properties> parse(std::string file, std::string_view text);
};

}  // namespace milena::config
