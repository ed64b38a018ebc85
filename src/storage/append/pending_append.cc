// SPDX-License-Identifier: Apache-2.0
// The writes of an append, in the order in which a crash between them does no harm: what belongs to
// the segment that is complete, the new log file, then the batches.
#include "milena/storage/pending_append.h"

namespace milena::storage {

Result<void> FileWrite::run(env::FileSystem& files) {
    if (is_for_existing && !files.exists(path)) return ok();
    if (file == nullptr) {
        TRY(file, files.open(path, mode));
    }
    if (!bytes.empty()) TRY_VOID(file->write_at(position, bytes));
    if (!size) return ok();
    TRY(const std::uint64_t before, file->size());
    return before == *size ? ok() : file->truncate(*size);
}

Result<void> PendingAppend::run() {
    for (FileWrite& write : writes) TRY_VOID(write.run(*file_system));
    if (!file) {
        const auto mode = rolls_to ? env::OpenMode::create_empty : env::OpenMode::read_write;
        TRY(file, file_system->open(path, mode));
    }
    has_rolled = rolls_to.has_value();
    if (batches.empty()) return ok();
    if (auto written = file->write_at(position, batches); !written) {
        is_torn = !file->truncate(position);
        return written;
    }
    if (writeback_from && starts_writeback)
        file->start_writeback(*writeback_from, position + batches.size() - *writeback_from);
    return ok();
}

}  // namespace milena::storage
