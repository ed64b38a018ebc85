// SPDX-License-Identifier: Apache-2.0
// Whether brokers would take a regular expression for a subscription: they read RE2's.
#pragma once

#include <string>
#include <string_view>

namespace milena::cli {

/// The line that --validate-regex prints.
std::string validity_of_pattern(std::string_view pattern);

}  // namespace milena::cli
