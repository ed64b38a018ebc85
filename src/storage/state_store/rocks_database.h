// SPDX-License-Identifier: Apache-2.0
// One RocksDB database as the state store needs it: small, without a log of its own, and opened
// anew from nothing if what lies there can't be read.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>

#include "milena/base/logger.h"
#include "milena/base/result.h"

namespace milena::storage {

struct RocksDatabase {
    std::shared_ptr<rocksdb::Cache> cache;
    std::unique_ptr<rocksdb::DB> db;
};

/// There is one, whole or not.
bool has_rocks_database(const std::string& directory);

/// What is found is checked by `check`, whose Corruption counts as RocksDB's own.
Result<RocksDatabase> open_rocks_database(
    const Logger& log, const std::string& directory,
    const std::function<rocksdb::Status(rocksdb::DB&)>& check);

/// KAFKA_STORAGE_ERROR "call directory: what RocksDB says", as env's files report failures. If it
/// has found its files damaged they are removed at the next open.
Error rocks_failure(std::string_view call, const std::string& directory,
                    const rocksdb::Status& status);

}  // namespace milena::storage
