// SPDX-License-Identifier: Apache-2.0
// Spaces as ranges of one RocksDB column family: a write batch is whole or not there after a crash,
// and what a flush has saved is everything up to some batch.
#include "rocks_state_store.h"

#include <algorithm>

#include <rocksdb/write_batch.h>

#include "milena/base/invariant.h"
#include "state_keys.h"

namespace milena::storage {
namespace {

rocksdb::Slice slice(BytesView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The positions of all spaces: one look for each, and not at what lies between.
rocksdb::Status read_positions(rocksdb::DB& db, std::map<StateSpace, StatePosition>& out) {
    const std::unique_ptr<rocksdb::Iterator> it(db.NewIterator(rocksdb::ReadOptions()));
    for (it->SeekToFirst(); it->Valid();) {
        const auto space = space_of_position(it->key().ToStringView());
        const auto position = decode_position(it->value().ToStringView());
        if (!space || !position) return rocksdb::Status::Corruption("a space without a position");
        out.emplace(*space, *position);
        it->Seek(after_prefix(space_prefix(*space)));
    }
    return it->status();
}

rocksdb::WriteOptions without_log() {
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    return options;
}

}  // namespace

std::unique_ptr<StateStore> open_state_store(Logger log, std::string directory) {
    return std::make_unique<RocksStateStore>(std::move(log), std::move(directory));
}

Result<RocksStateStore::Handle> RocksStateStore::opened(bool makes) const {
    return database_.with([&](Handle& handle) -> Result<Handle> {
        if (handle == nullptr && (makes || has_rocks_database(directory_))) {
            TRY(handle, open());
        }
        return handle;
    });
}

Result<RocksStateStore::Handle> RocksStateStore::open() const {
    Positions positions;
    TRY(auto rocks, open_rocks_database(log_, directory_, [&](rocksdb::DB& db) {
            positions.now.clear();
            return read_positions(db, positions.now);
        }));
    positions.flushed = positions.now;
    return std::make_shared<Opened>(std::move(rocks), std::move(positions));
}

Result<std::optional<StatePosition>> RocksStateStore::position(const StateSpace& space) const {
    TRY(const auto handle, opened(false));
    if (handle == nullptr) return std::nullopt;
    return handle->positions.with([&](const Positions& positions) -> std::optional<StatePosition> {
        const auto found = positions.now.find(space);
        if (found == positions.now.end()) return std::nullopt;
        return found->second;
    });
}

Result<std::optional<StatePosition>> RocksStateStore::flushed(const StateSpace& space) const {
    TRY(const auto handle, opened(false));
    if (handle == nullptr) return std::nullopt;
    return handle->positions.with([&](const Positions& positions) -> std::optional<StatePosition> {
        const auto found = positions.flushed.find(space);
        if (found == positions.flushed.end()) return std::nullopt;
        return found->second;
    });
}

Result<void> RocksStateStore::write(const StateSpace& space, std::span<const StateChange> changes,
                                    const StatePosition& after) {
    TRY(const auto handle, opened(true));
    rocksdb::WriteBatch batch;
    for (const StateChange& change : changes) {
        const std::string key = record_key(space, change.key);
        const auto staged = change.value ? batch.Put(key, slice(*change.value)) : batch.Delete(key);
        if (!staged.ok()) return failed("write", staged);
    }
    if (const auto staged = batch.Put(position_key(space), encode_position(after)); !staged.ok())
        return failed("write", staged);
    return handle->positions.with([&](Positions& positions) -> Result<void> {
        const auto before = positions.now.find(space);
        INVARIANT(before == positions.now.end() || before->second.applied <= after.applied,
                  "a space goes back without a drop");
        TRY_VOID(commit(*handle, batch));
        positions.now.insert_or_assign(space, after);
        return ok();
    });
}

Result<void> RocksStateStore::drop(const StateSpace& space) {
    TRY(const auto handle, opened(false));
    if (handle == nullptr) return ok();
    const std::string prefix = space_prefix(space);
    rocksdb::WriteBatch batch;
    if (const auto staged = batch.DeleteRange(prefix, after_prefix(prefix)); !staged.ok())
        return failed("drop", staged);
    return handle->positions.with([&](Positions& positions) -> Result<void> {
        if (!positions.now.contains(space)) return ok();
        TRY_VOID(commit(*handle, batch));
        positions.now.erase(space);
        positions.flushed.erase(space);
        ++positions.drops;
        return ok();
    });
}

Result<void> RocksStateStore::commit(Opened& opened, rocksdb::WriteBatch& batch) const {
    rocksdb::Status status = opened.rocks.db->Write(without_log(), &batch);
    // A background write that has failed, of a full disk say, stops all others until Resume().
    if (!status.ok() && opened.rocks.db->Resume().ok())
        status = opened.rocks.db->Write(without_log(), &batch);
    if (!status.ok()) return failed("write", status);
    return ok();
}

Result<std::optional<std::vector<std::byte>>> RocksStateStore::get(const StateSpace& space,
                                                                   BytesView key) const {
    TRY(const auto handle, opened(false));
    if (handle == nullptr) return std::nullopt;
    rocksdb::DB& db = *handle->rocks.db;
    rocksdb::PinnableSlice value;
    const auto status =
        db.Get(rocksdb::ReadOptions(), db.DefaultColumnFamily(), record_key(space, key), &value);
    if (status.IsNotFound()) return std::nullopt;
    if (!status.ok()) return failed("get", status);
    const BytesView bytes = as_bytes(value.ToStringView());
    return std::vector<std::byte>(bytes.begin(), bytes.end());
}

Result<void> RocksStateStore::scan(const StateSpace& space, BytesView prefix, BytesView from,
                                   const Visit& visit) const {
    TRY(const auto handle, opened(false));
    if (handle == nullptr) return ok();
    const std::string first = record_key(space, prefix);
    const std::string end = after_prefix(first);
    const rocksdb::Slice end_slice(end);
    rocksdb::ReadOptions options;
    options.iterate_upper_bound = &end_slice;
    const std::unique_ptr<rocksdb::Iterator> it(handle->rocks.db->NewIterator(options));
    for (it->Seek(std::max(first, record_key(space, from))); it->Valid(); it->Next()) {
        if (!visit(key_of_record(it->key().ToStringView()), as_bytes(it->value().ToStringView())))
            break;
    }
    if (!it->status().ok()) return failed("scan", it->status());
    return ok();
}

Result<std::vector<StateSpace>> RocksStateStore::spaces() const {
    TRY(const auto handle, opened(false));
    std::vector<StateSpace> out;
    if (handle == nullptr) return out;
    handle->positions.with([&](const Positions& positions) {
        for (const auto& [space, position] : positions.now) out.push_back(space);
    });
    return out;
}

Result<void> RocksStateStore::flush() {
    TRY(const auto handle, opened(false));
    if (handle == nullptr) return ok();
    const Positions before =
        handle->positions.with([](const Positions& positions) { return positions; });
    rocksdb::DB& db = *handle->rocks.db;
    rocksdb::Status status = db.Flush(rocksdb::FlushOptions());
    if (!status.ok() && db.Resume().ok()) status = db.Flush(rocksdb::FlushOptions());
    if (!status.ok()) return failed("flush", status);
    handle->positions.with([&](Positions& positions) {
        if (positions.drops == before.drops) positions.flushed = before.now;
    });
    return ok();
}

std::uint64_t RocksStateStore::memory_bytes() const {
    const Handle handle = database_.with([](const Handle& now) { return now; });
    if (handle == nullptr) return 0;
    std::uint64_t buffers = 0;
    std::uint64_t tables = 0;
    handle->rocks.db->GetIntProperty(rocksdb::DB::Properties::kSizeAllMemTables, &buffers);
    handle->rocks.db->GetIntProperty(rocksdb::DB::Properties::kEstimateTableReadersMem, &tables);
    return buffers + tables + handle->rocks.cache->GetUsage();
}

}  // namespace milena::storage
