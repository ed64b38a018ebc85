// SPDX-License-Identifier: Apache-2.0
// A pattern that a client has sent, of a whole name: RE2's, which takes linear time whatever it is.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "milena/base/result.h"

namespace milena::coordinator {

class Pattern {
public:
    /// INVALID_REGULAR_EXPRESSION if it is none; the error says why.
    static Result<Pattern> make(const std::string& regex);
    bool matches(std::string_view name) const;

private:
    struct Compiled;
    explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

    std::shared_ptr<const Compiled> compiled_;
};

}  // namespace milena::coordinator
