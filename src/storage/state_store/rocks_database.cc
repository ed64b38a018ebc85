// SPDX-License-Identifier: Apache-2.0
// Options, opening, and what RocksDB says in our words.
#include "rocks_database.h"

#include <cerrno>
#include <cstdarg>

#include <rocksdb/env.h>
#include <rocksdb/table.h>

#include "milena/env/files.h"

namespace milena::storage {
namespace {

// What is kept in memory: two of these buffers, one that is filled and one that is on its way to
// the disk, the cache, and the indexes of the files that are open. docs/decisions/0012.
constexpr std::size_t kWriteBufferBytes = 6 << 20;
constexpr std::size_t kCacheBytes = 12 << 20;
constexpr std::size_t kBlockBytes = 8 << 10;
constexpr int kOpenFiles = 64;

/// Made when reading has met damage: RocksDB itself does not look for it when it opens.
std::string damage_mark(const std::string& directory) {
    return directory + "/DAMAGED";
}

/// Errors of RocksDB as lines of ours; no LOG file of its own. Its warnings are of stalls, which
/// are nothing here.
class RocksLines final : public rocksdb::Logger {
public:
    explicit RocksLines(milena::Logger log)
        : rocksdb::Logger(rocksdb::InfoLogLevel::ERROR_LEVEL), log_(std::move(log)) {}

    using rocksdb::Logger::Logv;
    void Logv(const char* format, va_list arguments) override {
        char text[512];
        if (vsnprintf(text, sizeof text, format, arguments) < 0) return;
        std::string_view line = text;
        if (line.ends_with('\n')) line.remove_suffix(1);
        LOG_WARN(log_, "state store", kv("rocksdb", line));
    }
    /// Its version and options, at every open.
    void LogHeader(const char*, va_list) override {}

private:
    const milena::Logger log_;
};

rocksdb::Options small_options(const Logger& log, const std::shared_ptr<rocksdb::Cache>& cache) {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = cache;
    table.block_size = kBlockBytes;
    table.format_version = 5;

    rocksdb::Options options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options.create_if_missing = true;
    options.info_log = std::make_shared<RocksLines>(log);
    options.write_buffer_size = kWriteBufferBytes;
    options.max_write_buffer_number = 2;
    options.target_file_size_base = 16 << 20;
    options.compression = rocksdb::kLZ4Compression;
    options.max_open_files = kOpenFiles;
    options.max_background_jobs = 2;
    options.allow_concurrent_memtable_write = false;  // one writer
    options.writable_file_max_buffer_size = 256 << 10;
    options.compaction_readahead_size = 256 << 10;
    options.bytes_per_sync = 1 << 20;
    options.stats_dump_period_sec = 0;
    options.stats_persist_period_sec = 0;
    options.skip_stats_update_on_db_open = true;
    options.skip_checking_sst_file_sizes_on_db_open = true;
    // Who wants it kept calls flush().
    options.avoid_flush_during_shutdown = true;
    return options;
}

/// With its parents. Where this fails the open does, and says why.
void make_directory(const std::string& directory) {
    for (std::size_t end = directory.find('/', 1);; end = directory.find('/', end + 1)) {
        rocksdb::Env::Default()
            ->CreateDirIfMissing(directory.substr(0, end))
            .PermitUncheckedError();
        if (end == std::string::npos) return;
    }
}

rocksdb::Status open_once(const rocksdb::Options& options, const std::string& directory,
                          const std::function<rocksdb::Status(rocksdb::DB&)>& check,
                          std::unique_ptr<rocksdb::DB>& db) {
    if (rocksdb::Env::Default()->FileExists(damage_mark(directory)).ok())
        return rocksdb::Status::Corruption("it was found damaged before");
    rocksdb::DB* opened = nullptr;
    const rocksdb::Status status = rocksdb::DB::Open(options, directory, &opened);
    if (!status.ok()) return status;
    db.reset(opened);
    const rocksdb::Status checked = check(*db);
    if (!checked.ok()) db.reset();
    return checked;
}

/// What is there will not be read tomorrow either; a full disk, say, or too few descriptors, are
/// another matter.
bool is_unreadable(const rocksdb::Status& status) {
    return status.IsCorruption() || status.IsInvalidArgument() || status.IsNotSupported() ||
           status.IsNotFound() || status.IsPathNotFound();
}

}  // namespace

bool has_rocks_database(const std::string& directory) {
    return rocksdb::Env::Default()->FileExists(directory + "/CURRENT").ok();
}

Result<RocksDatabase> open_rocks_database(
    const Logger& log, const std::string& directory,
    const std::function<rocksdb::Status(rocksdb::DB&)>& check) {
    RocksDatabase out;
    out.cache = rocksdb::NewLRUCache(kCacheBytes, 2);
    const rocksdb::Options options = small_options(log, out.cache);
    make_directory(directory);
    rocksdb::Status status = open_once(options, directory, check, out.db);
    if (status.ok()) return out;
    // DestroyDB takes RocksDB's lock first, and so leaves alone what another process has open.
    if (!is_unreadable(status) || !rocksdb::DestroyDB(directory, options).ok())
        return std::unexpected(rocks_failure("open", directory, status));
    LOG_WARN(log, "state store can't be read and is made anew from the logs",
             kv("directory", directory), kv("why", status.ToString()));
    rocksdb::Env::Default()->DeleteFile(damage_mark(directory)).PermitUncheckedError();
    status = open_once(options, directory, check, out.db);
    if (!status.ok()) return std::unexpected(rocks_failure("open", directory, status));
    return out;
}

Error rocks_failure(std::string_view call, const std::string& directory,
                    const rocksdb::Status& status) {
    if (status.IsNoSpace()) return env::storage_error(call, directory, ENOSPC);
    if (status.IsCorruption()) {
        rocksdb::WriteStringToFile(rocksdb::Env::Default(), status.ToString(),
                                   damage_mark(directory), true)
            .PermitUncheckedError();
    }
    return {ErrorCode::kafka_storage_error,
            std::string(call) + " " + directory + ": " + status.ToString()};
}

}  // namespace milena::storage
