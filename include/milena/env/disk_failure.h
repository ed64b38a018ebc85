// SPDX-License-Identifier: Apache-2.0
// Which failures of the system say that a disk, or a log directory as a whole, can't be used.
#pragma once

#include "milena/base/result.h"

namespace milena::env {

/// True if a call of the system was refused for a reason that lies with the directory: its disk
/// does not read or write, it is read-only, gone, or not ours. False for a disk that is full, for a
/// process that may open no more files, and for what was read and is wrong.
bool is_disk_failure(const Error& error);

}  // namespace milena::env
