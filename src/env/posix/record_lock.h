// SPDX-License-Identifier: Apache-2.0
// The lock that keeps two brokers, ours or Apache Kafka's, out of one folder.
#pragma once

#include "milena/env/files.h"

namespace milena::env {

/// The exclusive lock of a whole file that Java's FileChannel.tryLock takes too (fcntl, F_SETLK),
/// so that an Apache Kafka broker and Milena never share a folder. It also excludes a second holder
/// in this process.
Result<std::unique_ptr<FileLock>> take_record_lock(const std::string& path);

}  // namespace milena::env
