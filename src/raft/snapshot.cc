// SPDX-License-Identifier: Apache-2.0
// Snapshot files: read whole and checked batch by batch.
#include "milena/raft/snapshot.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "milena/raft/snapshot_writer.h"

namespace milena::raft {

namespace {

constexpr std::string_view kSuffix = ".checkpoint";
constexpr std::size_t kOffsetDigits = 20;
constexpr std::size_t kEpochDigits = 10;
/// Of a header batch with the voters in it.
constexpr std::uint64_t kHeaderBytesMax = 1 << 20;

/// A number of exactly `text`'s length in digits.
template <class T>
std::optional<T> parse_digits(std::string_view text) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.starts_with('-'))
        return std::nullopt;
    return number;
}

Result<std::vector<std::byte>> read_whole(env::FileSystem& files, const std::string& path) {
    TRY(const auto file, files.open(path, env::OpenMode::read_only));
    TRY(const std::uint64_t size, file->size());
    std::vector<std::byte> bytes(size);
    TRY(const std::size_t read, file->read_at(0, bytes));
    bytes.resize(read);
    return bytes;
}

/// Takes in a control batch; true if it was the footer.
Result<bool> take_control(record::BatchView batch, Snapshot& snapshot, bool is_first) {
    TRY(const auto records, decode_control_batch(batch));
    bool has_footer = false;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const auto* header = std::get_if<SnapshotHeader>(&records[i]);
        if ((header != nullptr) != (is_first && i == 0)) {
            return fail(ErrorCode::corrupt_message,
                        "the header is not the first record, or not there");
        }
        if (header) snapshot.last_contained_timestamp = header->last_contained_timestamp;
        if (const auto* version = std::get_if<KRaftVersionRecord>(&records[i])) {
            snapshot.kraft_version = version->version;
        }
        if (const auto* voters = std::get_if<VotersRecord>(&records[i]))
            snapshot.voters = voters->voters;
        has_footer |= std::holds_alternative<SnapshotFooter>(records[i]);
    }
    return has_footer;
}

Result<void> parse(Snapshot& snapshot) {
    bool has_footer = false;
    BytesView rest(snapshot.bytes);
    for (bool is_first = true; !rest.empty(); is_first = false) {
        TRY(const auto batch, record::first_batch(rest));
        if (!batch || has_footer)
            return fail(ErrorCode::corrupt_message,
                        "bytes that are no batch, or follow the footer");
        if (!batch->check_crc()) {
            return fail(ErrorCode::corrupt_message,
                        fmt::format("the batch at {} has a wrong CRC", batch->base_offset()));
        }
        rest = rest.subspan(batch->size());
        if (batch->is_control()) {
            TRY(has_footer, take_control(*batch, snapshot, is_first));
        } else if (is_first) {
            return fail(ErrorCode::corrupt_message, "it does not begin with a header");
        } else {
            snapshot.batches.push_back(*batch);
        }
    }
    if (!has_footer) return fail(ErrorCode::corrupt_message, "it has no footer");
    return ok();
}

}  // namespace

std::string snapshot_file_name(const SnapshotId& id) {
    return fmt::format("{:0>{}}-{:0>{}}{}", id.end_offset.value, kOffsetDigits, id.epoch.value,
                       kEpochDigits, kSuffix);
}

std::optional<SnapshotId> parse_snapshot_file_name(std::string_view name) {
    if (name.size() != kOffsetDigits + 1 + kEpochDigits + kSuffix.size() ||
        !name.ends_with(kSuffix) || name[kOffsetDigits] != '-') {
        return std::nullopt;
    }
    const auto offset = parse_digits<std::int64_t>(name.substr(0, kOffsetDigits));
    const auto epoch = parse_digits<std::int32_t>(name.substr(kOffsetDigits + 1, kEpochDigits));
    if (!offset || !epoch) return std::nullopt;
    return SnapshotId{Offset(*offset), LeaderEpoch(*epoch)};
}

Result<std::vector<SnapshotId>> list_snapshots(env::FileSystem& files,
                                               const std::string& directory) {
    std::vector<SnapshotId> ids;
    if (!files.exists(directory)) return ids;
    TRY(const auto entries, files.list(directory));
    for (const env::DirectoryEntry& entry : entries) {
        if (const auto id = parse_snapshot_file_name(entry.name)) ids.push_back(*id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

Result<Snapshot> read_snapshot(env::FileSystem& files, const std::string& directory,
                               const SnapshotId& id) {
    return read_snapshot_file(files, directory + "/" + snapshot_file_name(id), id);
}

Result<Snapshot> read_snapshot_file(env::FileSystem& files, const std::string& path,
                                    const SnapshotId& id) {
    Snapshot snapshot{.id = id,
                      .last_contained_timestamp = {},
                      .kraft_version = 0,
                      .voters = {},
                      .batches = {},
                      .bytes = {}};
    TRY(snapshot.bytes, read_whole(files, path));
    if (const Result<void> parsed = parse(snapshot); !parsed) return fail_at(path, parsed.error());
    return snapshot;
}

Result<StoredSnapshot> inspect_snapshot(env::FileSystem& files, const std::string& directory,
                                        const SnapshotId& id) {
    const std::string path = directory + "/" + snapshot_file_name(id);
    TRY(const auto file, files.open(path, env::OpenMode::read_only));
    TRY(const std::uint64_t size, file->size());
    std::vector<std::byte> head(std::min<std::uint64_t>(size, kHeaderBytesMax));
    TRY(const std::size_t read, file->read_at(0, head));
    const auto batch = record::first_batch(BytesView(head).first(read));
    if (!batch) return fail_at(path, batch.error());
    if (!*batch || !(*batch)->is_control() || !(*batch)->check_crc())
        return fail_at(path, {ErrorCode::corrupt_message, "it does not begin with a header"});
    Snapshot header{.id = id,
                    .last_contained_timestamp = {},
                    .kraft_version = 0,
                    .voters = {},
                    .batches = {},
                    .bytes = {}};
    if (const auto taken = take_control(**batch, header, true); !taken)
        return fail_at(path, taken.error());
    return StoredSnapshot{id, size, header.last_contained_timestamp};
}

Result<void> write_bootstrap_snapshot(env::FileSystem& files, const std::string& directory,
                                      const BootstrapSnapshot& snapshot) {
    TRY_VOID(env::create_durable_directories(files, directory));
    SnapshotHead head{.id = kBootstrapSnapshot,
                      .last_contained_timestamp = snapshot.now,
                      .kraft_version = static_cast<std::int16_t>(snapshot.voters ? 1 : 0),
                      .voters = snapshot.voters,
                      .now = snapshot.now};
    TRY(auto writer, SnapshotWriter::create(files, directory, std::move(head)));
    for (const std::vector<std::byte>& value : snapshot.records) TRY_VOID(writer.append(value));
    TRY_VOID(writer.finish());
    return ok();
}

}  // namespace milena::raft
