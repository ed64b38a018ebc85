// SPDX-License-Identifier: Apache-2.0
// Memory of this process that only its start has needed.
#pragma once

namespace milena::cli {

/// Gives back the pages of the program's code and constants, which are those of its file: what runs
/// from now on maps its own again. A large library's static objects touch much of it that is never
/// run later, and it would count as resident for ever. Any thread, once a process has started.
void forget_startup_pages();

}  // namespace milena::cli
