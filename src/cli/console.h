// SPDX-License-Identifier: Apache-2.0
// Where the tools write. Standard output is buffered and goes out before anything that waits or
// ends; a failed write (a closed pipe) is remembered and ends what runs on for ever.
#pragma once

#include <string_view>

namespace milena::cli {

/// To standard output, as it is.
void print(std::string_view text);
/// To standard error, after what was printed before.
void print_error(std::string_view text);
/// What was printed is out after this. False if standard output takes no more.
bool flush_output();

}  // namespace milena::cli
