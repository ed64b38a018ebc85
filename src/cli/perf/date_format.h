// SPDX-License-Identifier: Apache-2.0
// Times as java.text.SimpleDateFormat writes them, as far as tools are asked to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "milena/base/result.h"

namespace milena::cli {

class DateFormat {
public:
    /// Letters that are understood: y, M, d, H, h, m, s, S and a; text in quotes stands for itself.
    static Result<DateFormat> parse(std::string_view pattern);

    /// Milliseconds since 1970 in local time.
    std::string text(std::int64_t ms) const;

private:
    struct Part {
        char letter = '\0';     ///< none: `literal`
        std::size_t width = 0;  ///< how often it stood there
        std::string literal{};
    };
    std::vector<Part> parts_;
};

}  // namespace milena::cli
