// SPDX-License-Identifier: Apache-2.0
// One entry of log.dirs: its lock, identity, marker, checkpoints and partition directories.
#include "milena/storage/log_directory.h"

#include <fmt/format.h>

#include "checkpoint_text.h"
#include "meta_properties.h"

namespace milena::storage {
namespace {

constexpr std::string_view kLockFile = ".lock";
constexpr std::string_view kCleanShutdownFile = ".kafka_cleanshutdown";
constexpr std::string_view kMetaFile = "meta.properties";
constexpr std::string_view kPartitionMetadataFile = "partition.metadata";
constexpr std::string_view kCopySuffix = "future";
constexpr std::string_view kLostAndFound = "lost+found";
constexpr std::size_t kSmallFileBytesMax = 64 * 1024;
/// A line for each of a million partitions with the longest names there are.
constexpr std::size_t kCheckpointBytesMax = 512ULL << 20;

/// See unique_name().
constexpr std::size_t kHexDigits = 32;
bool has_unique_suffix(std::string_view name, std::string_view suffix) {
    if (!name.ends_with(suffix)) return false;
    name.remove_suffix(suffix.size());
    if (name.size() < kHexDigits + 2 || name[name.size() - kHexDigits - 1] != '.') return false;
    return std::ranges::all_of(name.substr(name.size() - kHexDigits), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
}

/// Directories that have their place in log.dirs and are no partition's (lost+found is the file
/// system's).
bool is_known_other(std::string_view name) {
    return name == kLostAndFound || name == "remote-log-index-cache" ||
           has_unique_suffix(name, "-stray");
}

/// The number behind "brokerEpoch" in the marker's JSON. Markers of older releases are empty: the
/// epoch is unknown.
BrokerEpoch parse_broker_epoch(std::string_view json) {
    constexpr std::string_view kKey = "\"brokerEpoch\"";
    const std::size_t key = json.find(kKey);
    if (key == std::string_view::npos) return BrokerEpoch(-1);
    const std::string_view rest = json.substr(key + kKey.size());
    const std::size_t begin = rest.find_first_not_of(" \t\r\n:");
    if (begin == std::string_view::npos) return BrokerEpoch(-1);
    const std::string_view digits =
        rest.substr(begin, rest.find_first_of(" \t\r\n,}", begin) - begin);
    return BrokerEpoch(parse_number<std::int64_t>(digits).value_or(-1));
}

constexpr std::string_view kPartitionMetadataHead = "version: 0\ntopic_id: ";

/// "version: 0", then "topic_id: " and the id, no newline at the end. Zero if the text ends before
/// that or is all zeros, which is what a crash leaves of a file that was not synced.
Result<Uuid> parse_partition_metadata(const std::string& path, std::string_view text) {
    if (text.find_first_not_of('\0') == std::string_view::npos) return Uuid{};
    if (kPartitionMetadataHead.starts_with(text)) return Uuid{};
    if (text.starts_with(kPartitionMetadataHead)) {
        text.remove_prefix(kPartitionMetadataHead.size());
        while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
        if (const auto id = Uuid::parse(text)) return *id;
        if (text.size() < Uuid{}.text().size()) return Uuid{};
    }
    return fail(ErrorCode::kafka_storage_error, fmt::format("{}: malformed", path));
}

class RealLogDirectory final : public LogDirectory {
public:
    RealLogDirectory(env::Env& env, Logger logger, std::string path,
                     std::unique_ptr<env::FileLock> lock)
        : files_(env.files()),
          clock_(env.clock()),
          logger_(std::move(logger)),
          path_(std::move(path)),
          lock_(std::move(lock)) {}

    const std::string& path() const override { return path_; }
    Result<std::optional<MetaProperties>> meta() const override;
    Result<void> write_meta(const MetaProperties& meta) override;
    Result<bool> is_empty() const override;
    Result<std::optional<BrokerEpoch>> take_clean_shutdown() override;
    Result<void> mark_clean_shutdown(BrokerEpoch epoch) override;
    Result<std::vector<FoundPartition>> find_partitions() override;
    std::vector<std::string> take_deleted() override { return std::exchange(deleted_, {}); }
    std::vector<FoundCopy> take_copies() override { return std::exchange(copies_, {}); }
    Result<std::string> prepare_partition(const TopicPartition& partition, Uuid topic_id) override {
        return prepare(partition.text(), topic_id);
    }
    Result<std::string> prepare_copy(const TopicPartition& partition, Uuid topic_id,
                                     Uuid unique) override {
        return prepare(unique_name(partition, unique, kCopySuffix), topic_id);
    }
    Result<void> sync_all() override { return lock_->sync_file_system(); }
    Result<OffsetCheckpoint> read_checkpoint(std::string_view name) const override;
    Result<void> write_checkpoint(std::string_view name, const OffsetCheckpoint& offsets) override;

private:
    std::string inside(std::string_view name) const { return fmt::format("{}/{}", path_, name); }
    Result<std::string> prepare(std::string_view name, Uuid topic_id);
    void note_copy(std::string_view name);
    /// Not synced: the log's first sync does that, and before there is nothing to lose.
    Result<void> write_partition_metadata(const std::string& directory, Uuid topic_id);
    /// Zero if the partition has no metadata file, or one that was not finished.
    Result<Uuid> topic_id_of(const std::string& directory) const;

    env::FileSystem& files_;
    env::Clock& clock_;
    Logger logger_;
    std::string path_;
    std::unique_ptr<env::FileLock> lock_;
    std::vector<std::string> deleted_;
    std::vector<FoundCopy> copies_;
};

Result<std::optional<MetaProperties>> RealLogDirectory::meta() const {
    return read_meta(files_, path_);
}

Result<void> RealLogDirectory::write_meta(const MetaProperties& meta) {
    return env::replace_file(files_, inside(kMetaFile),
                             format_meta_properties(meta, clock_.wall()));
}

Result<bool> RealLogDirectory::is_empty() const {
    TRY(const auto entries, files_.list(path_));
    return std::ranges::all_of(entries, [](const env::DirectoryEntry& entry) {
        return entry.name == kLockFile || entry.name == kLostAndFound;
    });
}

Result<std::optional<BrokerEpoch>> RealLogDirectory::take_clean_shutdown() {
    const std::string path = inside(kCleanShutdownFile);
    if (!files_.exists(path)) return std::nullopt;
    TRY(const std::string text, env::read_file(files_, path, kSmallFileBytesMax));
    // If it came back after a crash, that crash would be taken for a clean stop.
    TRY_VOID(files_.remove(path));
    TRY_VOID(files_.sync_directory(path_));
    return parse_broker_epoch(text);
}

Result<void> RealLogDirectory::mark_clean_shutdown(BrokerEpoch epoch) {
    return env::replace_file(files_, inside(kCleanShutdownFile),
                             fmt::format(R"({{"version":0,"brokerEpoch":{}}})", epoch));
}

Result<Uuid> RealLogDirectory::topic_id_of(const std::string& directory) const {
    const std::string path = fmt::format("{}/{}", directory, kPartitionMetadataFile);
    if (!files_.exists(path)) return Uuid{};
    TRY(const std::string text, env::read_file(files_, path, kSmallFileBytesMax));
    return parse_partition_metadata(path, text);
}

Result<std::vector<FoundPartition>> RealLogDirectory::find_partitions() {
    TRY(const auto entries, files_.list(path_));
    std::vector<FoundPartition> found;
    deleted_.clear();
    copies_.clear();
    for (const env::DirectoryEntry& entry : entries) {
        if (!entry.is_directory || is_known_other(entry.name)) continue;
        if (has_unique_suffix(entry.name, "-delete")) {
            deleted_.push_back(inside(entry.name));
            continue;
        }
        if (has_unique_suffix(entry.name, "-future")) {
            note_copy(entry.name);
            continue;
        }
        const auto partition = TopicPartition::parse(entry.name);
        if (!partition) {
            return fail(
                ErrorCode::kafka_storage_error,
                fmt::format(
                    "{}: neither a partition's directory nor another that belongs into log.dirs",
                    inside(entry.name)));
        }
        if (partition->topic == kClusterMetadataTopic) continue;
        TRY(const Uuid topic_id, topic_id_of(inside(entry.name)));
        found.push_back({*partition, topic_id});
    }
    return found;
}

Result<void> RealLogDirectory::write_partition_metadata(const std::string& directory,
                                                        Uuid topic_id) {
    const std::string path = fmt::format("{}/{}", directory, kPartitionMetadataFile);
    const std::string temporary = path + ".tmp";
    TRY(const auto file, files_.open(temporary, env::OpenMode::create_empty));
    const std::string text = fmt::format("{}{}", kPartitionMetadataHead, topic_id);
    TRY_VOID(file->write_at(0, as_bytes(text)));
    return files_.rename(temporary, path);
}

/// One whose name or metadata can't be read is left alone.
void RealLogDirectory::note_copy(std::string_view name) {
    const std::size_t end = name.size() - kCopySuffix.size() - 1 - kHexDigits - 1;
    const auto partition = TopicPartition::parse(name.substr(0, end));
    if (!partition) return;
    if (const auto topic_id = topic_id_of(inside(name)))
        copies_.push_back({*partition, *topic_id, inside(name)});
}

Result<std::string> RealLogDirectory::prepare(std::string_view name, Uuid topic_id) {
    const std::string directory = inside(name);
    TRY_VOID(files_.create_directories(directory));
    TRY(const Uuid present, topic_id_of(directory));
    if (present == topic_id) return directory;
    if (!present.is_zero()) {
        return fail(ErrorCode::inconsistent_topic_id,
                    fmt::format("{} belongs to topic id {}, not {}", directory, present, topic_id));
    }
    TRY_VOID(write_partition_metadata(directory, topic_id));
    return directory;
}

Result<OffsetCheckpoint> RealLogDirectory::read_checkpoint(std::string_view name) const {
    const std::string path = inside(name);
    OffsetCheckpoint offsets;
    if (!files_.exists(path)) return offsets;
    TRY(const std::string text, env::read_file(files_, path, kCheckpointBytesMax));
    TRY(const CheckpointText checkpoint, CheckpointText::parse(path, text));
    for (const CheckpointText::Line& line : checkpoint.lines()) {
        if (line.fields.size() != 3)
            return checkpoint.malformed(line.number, "expected \"topic partition offset\"");
        const auto partition = parse_number<std::int32_t>(line.fields[1]);
        const auto offset = parse_number<std::int64_t>(line.fields[2]);
        if (!partition || !offset)
            return checkpoint.malformed(line.number, "expected \"topic partition offset\"");
        offsets[{std::string(line.fields[0]), PartitionIndex(*partition)}] = Offset(*offset);
    }
    return offsets;
}

Result<void> RealLogDirectory::write_checkpoint(std::string_view name,
                                                const OffsetCheckpoint& offsets) {
    std::string text = fmt::format("0\n{}\n", offsets.size());
    for (const auto& [partition, offset] : offsets) {
        fmt::format_to(std::back_inserter(text), "{} {} {}\n", partition.topic, partition.partition,
                       offset);
    }
    return env::replace_file(files_, inside(name), text);
}

}  // namespace

std::string unique_name(const TopicPartition& partition, Uuid unique, std::string_view suffix) {
    return fmt::format("{}.{:016x}{:016x}-{}", partition.text(), unique.high, unique.low, suffix);
}

Result<std::optional<MetaProperties>> read_meta(env::FileSystem& files,
                                                const std::string& directory) {
    const std::string path = fmt::format("{}/{}", directory, kMetaFile);
    if (!files.exists(path)) return std::nullopt;
    TRY(const std::string text, env::read_file(files, path, kSmallFileBytesMax));
    TRY(const MetaProperties meta, parse_meta_properties(path, text));
    return meta;
}

Result<std::unique_ptr<LogDirectory>> LogDirectory::open(env::Env& env, Logger logger,
                                                         std::string path) {
    TRY_VOID(env::create_durable_directories(env.files(), path));
    auto lock = env.files().lock(fmt::format("{}/{}", path, kLockFile));
    if (!lock) return fail_at(path, lock.error());
    return std::make_unique<RealLogDirectory>(env, std::move(logger), std::move(path),
                                              *std::move(lock));
}

}  // namespace milena::storage
