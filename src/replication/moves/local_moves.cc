// SPDX-License-Identifier: Apache-2.0
// Begins, copies, finishes and calls off moves between directories.
#include "moves/local_moves.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "local_replicas.h"
#include "milena/env/disk_failure.h"

namespace milena::replication {
namespace {

constexpr std::uint64_t kPieceBytes = 1 << 20;
/// Pieces that are copied while the replica takes nothing: one that has caught up lacks a few.
constexpr int kLastPieces = 64;
/// Longest name of a file on the systems we know.
constexpr std::size_t kNameMax = 255;
/// Replicas that are to be made somewhere and are not there yet; a name each.
constexpr std::size_t kWantedMax = 100'000;
/// The copy takes batches of every epoch: it has no leader that could be late.
constexpr LeaderEpoch kAnyEpoch{std::numeric_limits<std::int32_t>::max()};

/// A copy is synced when it is whole.
PartitionSettings settings_of_copy(const PartitionSettings& settings) {
    PartitionSettings out = settings;
    out.acks_need_sync = false;
    out.flush_messages = INT64_MAX;
    out.flush_interval = env::Duration::max();
    out.throttled = nullptr;
    return out;
}

Result<std::vector<std::byte>> read_all(const FileRange& range) {
    std::vector<std::byte> bytes(range.length);
    if (bytes.empty()) return bytes;
    TRY(const std::size_t read, range.file->read_at(range.position, bytes));
    if (read == bytes.size()) return bytes;
    return fail(ErrorCode::kafka_storage_error,
                fmt::format("{}: shorter than its log", range.file->path()));
}

}  // namespace

void LocalMoves::when_due(std::function<void()> tell) {
    state_.with([&](State& state) { state.tell = std::move(tell); });
}

std::optional<LocalMoves::Entry> LocalMoves::entry(const MoveKey& key) const {
    return state_.with([&](const State& state) -> std::optional<Entry> {
        const auto at = state.entries.find(key);
        return at == state.entries.end() ? std::nullopt : std::optional(at->second);
    });
}

std::vector<MoveKey> LocalMoves::under_way() const {
    return state_.with([](const State& state) {
        std::vector<MoveKey> keys;
        for (const auto& [key, entry] : state.entries) keys.push_back(key);
        return keys;
    });
}

env::WriteLane* LocalMoves::lane_of_copy(const MoveKey& key) const {
    const auto at = entry(key);
    return at ? replicas_.lane(at->directory).get() : nullptr;
}

env::WriteLane* LocalMoves::lane_of_log(const MoveKey& key) const {
    const auto hosted = replicas_.hosted(key.topic, key.partition);
    return hosted && hosted->local ? hosted->local->write_lane() : nullptr;
}

ErrorCode LocalMoves::place(Uuid topic_id, const storage::TopicPartition& name,
                            std::string_view directory) {
    const std::string longest = storage::unique_name(name, Uuid{}, "future");
    if (longest.size() > kNameMax) return ErrorCode::invalid_topic_exception;
    const auto index = replicas_.find_directory(directory);
    if (!index) return ErrorCode::log_dir_not_found;
    if (!replicas_.places().usable(*index)) return ErrorCode::kafka_storage_error;
    ErrorCode code = ErrorCode::none;
    replicas_.change_table([&] { code = place_in(*index, {topic_id, name.partition}, name); });
    return code;
}

ErrorCode LocalMoves::place_in(std::size_t directory, const MoveKey& key,
                               const storage::TopicPartition& name) {
    const auto hosted = replicas_.hosted(key.topic, key.partition);
    if (!hosted) {
        state_.with([&](State& state) {
            if (state.wanted.size() < kWantedMax || state.wanted.contains(name))
                state.wanted.insert_or_assign(name, directory);
        });
        return ErrorCode::replica_not_available;
    }
    if (hosted->local == nullptr || hosted->local->offline()) return ErrorCode::kafka_storage_error;
    if (const auto running = entry(key)) {
        if (running->directory == directory) return ErrorCode::none;
        cancel(key);
    }
    if (hosted->directory == directory) return ErrorCode::none;
    // The copy of a replica may lie in the directory that failed.
    if (!replicas_.places().all_usable()) return ErrorCode::kafka_storage_error;
    const auto begun = begin(directory, key, name, *hosted->local);
    assigned(key, hosted->assigned);
    if (begun) return ErrorCode::none;
    LOG_WARN(logger_, "a replica can't be moved", kv("partition", name.text()),
             kv("why", begun.error().why));
    if (env::is_disk_failure(begun.error())) replicas_.fail_directory(directory, begun.error());
    return ErrorCode::kafka_storage_error;
}

Result<void> LocalMoves::begin(std::size_t directory, const MoveKey& key,
                               const storage::TopicPartition& name, LocalPartition& of) {
    TRY(std::string path, replicas_.places()[directory].prepare_copy(
                              name, key.topic, env::random_uuid(env_.random())));
    CopyPlace to{directory, std::move(path)};
    TRY(auto copy, open(name, key.topic, to, of, true));
    LOG_INFO(logger_, "a replica moves to another directory", kv("partition", name.text()),
             kv("to", replicas_.places()[directory].path()));
    add(key, of, std::move(to), std::move(copy));
    return ok();
}

void LocalMoves::add(const MoveKey& key, LocalPartition& of, CopyPlace to,
                     std::shared_ptr<LocalPartition> copy) {
    of.set_copied(true);
    Entry added{.name = of.name(), .directory = to.directory, .copy = copy};
    added.move = std::make_shared<env::Guarded<Move>>(
        Move{.name = of.name(), .to = std::move(to), .copy = std::move(copy)});
    const auto tell = state_.with([&](State& state) {
        state.entries.insert_or_assign(key, std::move(added));
        return state.tell;
    });
    if (tell) tell();
}

Result<std::shared_ptr<LocalPartition>> LocalMoves::open(const storage::TopicPartition& name,
                                                         Uuid topic_id, const CopyPlace& place,
                                                         const LocalPartition& of,
                                                         bool is_new) const {
    const PartitionSettings settings = settings_of_copy(*of.settings());
    TRY(auto log, storage::Log::open(env_, logger_, place.path, settings.log, {.clean = is_new}));
    const Logger logger = logger_.with("copy_in", replicas_.places()[place.directory].path());
    auto copy = std::make_shared<LocalPartition>(
        env_, logger, ReplicaParts{kNoBroker, name, topic_id, std::move(log), Offset(0), settings});
    replicas_.put_in(*copy, place.directory);
    PartitionState state;
    state.leader = replicas_.self();
    state.leader_epoch = kAnyEpoch;
    TRY_VOID(copy->become(state));
    return copy;
}

CopyStep LocalMoves::copy(const MoveKey& key) {
    const auto at = entry(key);
    const auto hosted = replicas_.hosted(key.topic, key.partition);
    if (!at || !hosted || hosted->local == nullptr) return {};
    auto piece = at->move->with([&](Move& move) { return copy_piece(key, move, *hosted->local); });
    if (piece) return note(key, *at, *piece);
    complain(key, *at, piece.error());
    return {};
}

/// Asks the log as a follower asks its leader.
Result<LocalMoves::Piece> LocalMoves::copy_piece(const MoveKey& key, Move& move,
                                                 LocalPartition& from) {
    if (move.has_ended) return Piece{};
    if (move.copy == nullptr) {
        TRY(move.copy, open(move.name, key.topic, move.to, from, false));
        state_.with([&](State& state) {
            if (const auto at = state.entries.find(key); at != state.entries.end())
                at->second.copy = move.copy;
        });
    }
    LocalPartition& copy = *move.copy;
    const auto plan = copy.next_fetch();
    if (!plan) return fail(ErrorCode::kafka_storage_error, "the copy takes nothing");
    const Offset end = from.log_end_offset();
    const FetchAnswer answer = from.fetch({.from = plan->from,
                                           .last_fetched_epoch = plan->last_fetched_epoch,
                                           .bytes_max = kPieceBytes,
                                           .at_least_one_batch = true,
                                           .is_copy = true});
    if (answer.code == ErrorCode::offset_out_of_range) {
        TRY_VOID(copy.take_out_of_range(*plan, from.log_start_offset(), end));
        return Piece{};
    }
    if (answer.code != ErrorCode::none) return fail(answer.code, "the log can't be read");
    move.is_of_log = true;
    TRY(const auto bytes, read_all(answer.records));
    move.is_of_log = false;
    const FetchedPart part{.high_watermark = answer.high_watermark,
                           .log_start = answer.log_start_offset,
                           .diverging = answer.diverging_epoch,
                           .records = bytes};
    TRY_VOID(copy.take_fetched(*plan, part, ProducePlace::disk_pool));
    move.has_complained = false;
    return Piece{bytes.size(), copy.log_end_offset() == end};
}

CopyStep LocalMoves::note(const MoveKey& key, const Entry& copied, const Piece& piece) {
    CopyStep step{.bytes = piece.bytes, .is_caught_up = piece.is_caught_up};
    if (!piece.is_caught_up) return step;
    state_.with([&](State& state) {
        const auto at = state.entries.find(key);
        if (at == state.entries.end() || at->second.move != copied.move) return;
        step.may_finish = at->second.is_assigned;
        step.is_news = !step.may_finish && !at->second.is_announced;
        at->second.is_announced = true;
    });
    return step;
}

/// Once for each time that it stops to go well. A disk that fails takes its directory with it, and
/// so does a copy that is offline.
void LocalMoves::complain(const MoveKey& key, const Entry& of, const Error& error) {
    bool is_first = false;
    bool is_offline = false;
    bool is_of_log = false;
    of.move->with([&](Move& move) {
        is_first = !std::exchange(move.has_complained, true);
        is_of_log = std::exchange(move.is_of_log, false);
        is_offline = !is_of_log && move.copy != nullptr && move.copy->offline();
    });
    if (is_first) {
        LOG_WARN(logger_, "the copy of a replica can't go on for now",
                 kv("partition", of.name.text()), kv("why", error.why));
    }
    if (!is_offline && !env::is_disk_failure(error)) return;
    const auto hosted = replicas_.hosted(key.topic, key.partition);
    if (is_of_log && !hosted) return;
    replicas_.fail_directory(is_of_log ? hosted->directory : of.directory, error);
}

void LocalMoves::finish(const MoveKey& key) {
    std::optional<Error> failed;
    bool is_done = false;
    replicas_.change_table([&] {
        const auto at = entry(key);
        const auto hosted = replicas_.hosted(key.topic, key.partition);
        if (!at || !hosted || hosted->local == nullptr) return;
        // Who ends the moves of a directory that fails waits here, and finds the log where it is.
        const auto swapped = at->move->with([&](Move& move) {
            const auto done = swap(move, *hosted);
            if (done && *done) replicas_.lies_in(key.topic, key.partition, at->directory);
            return done;
        });
        if (!swapped) failed = swapped.error();
        is_done = swapped && *swapped;
        if (is_done) moved(key, at->name, at->directory);
    });
    if (failed) give_up(key, *failed);
    if (!is_done) return;
    // What a crash finds in the new directory should know how far it is committed.
    if (const auto written = replicas_.checkpoint(); !written)
        LOG_WARN(logger_, "no checkpoint after a move", kv("why", written.error().why));
}

/// A log that has lost its name is not to be had before the next start.
void LocalMoves::give_up(const MoveKey& key, const Error& error) {
    const auto at = entry(key);
    if (!at) return;
    const bool has_ended = at->move->with([](const Move& move) { return move.has_ended; });
    complain(key, *at, error);
    if (!has_ended) return;
    if (const auto hosted = replicas_.hosted(key.topic, key.partition))
        replicas_.fail_directory(hosted->directory, error);
}

/// The log takes nothing from here on; what the copy lacks is little.
Result<bool> LocalMoves::swap(Move& move, const Hosted& hosted) {
    if (move.has_ended || move.copy == nullptr) return false;
    if (!replicas_.places().usable(move.to.directory)) return false;
    TRY_VOID(move.copy->flush());
    LocalPartition& from = *hosted.local;
    if (!from.begin_swap()) return false;
    Result<bool> is_whole = false;
    for (int i = 0; i < kLastPieces && is_whole && !*is_whole; ++i) {
        const auto piece = copy_piece({from.topic_id(), from.name().partition}, move, from);
        is_whole = piece ? Result<bool>(piece->is_caught_up) : std::unexpected(piece.error());
    }
    if (is_whole && *is_whole) {
        // It is opened again by its new name.
        const auto closed = std::exchange(move.copy, nullptr)->close();
        if (!closed) is_whole = std::unexpected(closed.error());
    }
    if (is_whole && *is_whole) return exchange(move, hosted);
    from.give_up_swap();
    return is_whole;
}

/// The old directory's new name is durable before the copy gets its own: a start never finds two of
/// them. It may find none; then the copy takes over.
Result<bool> LocalMoves::exchange(Move& move, const Hosted& hosted) {
    LocalPartition& from = *hosted.local;
    const Directories& places = replicas_.places();
    const std::string& own = places[hosted.directory].path();
    const std::string to = fmt::format("{}/{}", places[move.to.directory].path(), move.name.text());
    std::optional<std::string> old;
    const auto swapped = from.end_swap(
        [&](Offset start,
            const storage::LogOptions& options) -> Result<std::unique_ptr<storage::Log>> {
            move.is_of_log = true;
            TRY(old, replicas_.rename_away(move.name, hosted.directory, "delete"));
            TRY_VOID(env_.files().sync_directory(own));
            move.is_of_log = false;
            TRY_VOID(env_.files().rename(move.to.path, to));
            return storage::Log::open(env_, logger_, to, options,
                                      {.clean = true, .log_start_offset = start});
        });
    if (old) deleted_.add({*old}, from.directory_delete_delay());
    if (swapped) return true;
    if (old) {
        // The log has no name any more that a start would find: it is lost with the directory
        // whose error it is.
        move.has_ended = true;
        if (!move.is_of_log)
            replicas_.lies_in(from.topic_id(), from.name().partition, move.to.directory);
        from.take_offline();
    }
    return std::unexpected(swapped.error());
}

void LocalMoves::moved(const MoveKey& key, const storage::TopicPartition& name,
                       std::size_t directory) {
    state_.with([&](State& state) { state.entries.erase(key); });
    may_be_cleaned_again(key);
    const std::string& path = replicas_.places()[directory].path();
    LOG_INFO(logger_, "a replica has moved to another directory", kv("partition", name.text()),
             kv("to", path));
    if (const auto synced = env_.files().sync_directory(path); !synced)
        replicas_.fail_directory(directory, synced.error());
}

void LocalMoves::may_be_cleaned_again(const MoveKey& key) const {
    const auto hosted = replicas_.hosted(key.topic, key.partition);
    if (hosted && hosted->local != nullptr) hosted->local->set_copied(false);
}

void LocalMoves::found(std::size_t directory, std::vector<storage::FoundCopy> copies) {
    state_.with([&](State& state) {
        for (storage::FoundCopy& copy : copies)
            state.found.emplace(std::move(copy.partition),
                                FoundIn{directory, copy.topic_id, std::move(copy.path)});
    });
}

std::optional<CopyPlace> LocalMoves::copy_of(const MoveKey& key,
                                             const storage::TopicPartition& name,
                                             Uuid assigned) const {
    return state_.with([&](const State& state) -> std::optional<CopyPlace> {
        const auto [first, last] = state.found.equal_range(name);
        const auto at = std::find_if(first, last, [&](const auto& one) {
            const FoundIn& copy = one.second;
            return copy.topic_id == key.topic && replicas_.places().usable(copy.directory) &&
                   (assigned.is_reserved() || assigned == replicas_.places().id(copy.directory));
        });
        if (at == last) return std::nullopt;
        return CopyPlace{at->second.directory, at->second.path};
    });
}

void LocalMoves::taken_over(const storage::TopicPartition& name, const CopyPlace& place) {
    state_.with([&](State& state) {
        std::erase_if(state.found, [&](const auto& one) {
            return one.first == name && one.second.path == place.path;
        });
    });
}

/// One copy goes on; others, and those of another topic, are of no use.
void LocalMoves::resume(const MoveKey& key, const storage::TopicPartition& name,
                        const Hosted& hosted) {
    std::vector<FoundIn> copies;
    state_.with([&](State& state) {
        const auto [first, last] = state.found.equal_range(name);
        for (auto at = first; at != last; ++at) copies.push_back(std::move(at->second));
        state.found.erase(first, last);
    });
    bool has_one = false;
    for (FoundIn& copy : copies) {
        if (!replicas_.places().usable(copy.directory)) continue;
        CopyPlace place{copy.directory, std::move(copy.path)};
        if (has_one || copy.topic_id != key.topic || copy.directory == hosted.directory) {
            remove(name, place);
            continue;
        }
        has_one = true;
        LOG_INFO(logger_, "a move to another directory goes on", kv("partition", name.text()),
                 kv("to", replicas_.places()[copy.directory].path()));
        add(key, *hosted.local, std::move(place), nullptr);
    }
}

std::optional<std::size_t> LocalMoves::take_wanted(const storage::TopicPartition& name) {
    return state_.with([&](State& state) -> std::optional<std::size_t> {
        const auto at = state.wanted.find(name);
        if (at == state.wanted.end()) return std::nullopt;
        const std::size_t directory = at->second;
        state.wanted.erase(at);
        return replicas_.places().usable(directory) ? std::optional(directory) : std::nullopt;
    });
}

void LocalMoves::assigned(const MoveKey& key, Uuid directory) {
    const auto tell = state_.with([&](State& state) -> std::function<void()> {
        const auto at = state.entries.find(key);
        if (at == state.entries.end()) return nullptr;
        // Who was told of no directory may be told of the new one when it is there.
        at->second.is_assigned =
            directory.is_zero() || directory == replicas_.places().id(at->second.directory);
        return at->second.is_assigned ? state.tell : nullptr;
    });
    if (tell) tell();
}

std::optional<std::size_t> LocalMoves::announced(const MoveKey& key) const {
    const auto at = entry(key);
    return at && (at->is_announced || at->is_assigned) ? std::optional(at->directory)
                                                       : std::nullopt;
}

void LocalMoves::cancel(const MoveKey& key) {
    const auto ended = entry(key);
    if (!ended) return;
    end(key, *ended, true);
}

std::vector<Uuid> LocalMoves::take_ended() {
    return state_.with([](State& state) { return std::exchange(state.ended, {}); });
}

void LocalMoves::end(const MoveKey& key, const Entry& entry, bool is_deleted) {
    const auto tell = state_.with([&](State& state) -> std::function<void()> {
        const auto at = state.entries.find(key);
        if (at == state.entries.end()) return nullptr;
        const bool is_known = at->second.is_announced || at->second.is_assigned;
        state.entries.erase(at);
        if (!is_known) return nullptr;
        state.ended.push_back(key.topic);
        return state.tell;
    });
    entry.move->with([&](Move& move) {
        if (std::exchange(move.has_ended, true)) return;
        if (move.copy != nullptr) {
            move.copy->abandon();
            move.copy->wait_for_writes();
        }
        move.copy = nullptr;
        if (is_deleted) remove(move.name, move.to);
    });
    may_be_cleaned_again(key);
    if (tell) tell();
}

void LocalMoves::remove(const storage::TopicPartition& name, const CopyPlace& place) {
    auto renamed = replicas_.rename_away(name, place.directory, "delete", place.path);
    if (renamed) {
        deleted_.add({*std::move(renamed)}, env::Duration::zero());
    } else {
        LOG_WARN(logger_, "the copy of a replica stays on the disk", kv("directory", place.path),
                 kv("why", renamed.error().why));
    }
}

std::map<MoveKey, LocalMoves::Entry> LocalMoves::entries() const {
    return state_.with([](const State& state) { return state.entries; });
}

void LocalMoves::directory_failed(std::size_t directory) {
    for (const auto& [key, entry] : entries()) {
        const auto hosted = replicas_.hosted(key.topic, key.partition);
        const bool is_hit =
            entry.directory == directory || (hosted && hosted->directory == directory);
        if (!is_hit) continue;
        end(key, entry, false);
    }
}

void LocalMoves::close() {
    for (const auto& [key, entry] : entries()) {
        entry.move->with([&](Move& move) {
            if (std::exchange(move.has_ended, true) || move.copy == nullptr) return;
            if (const auto closed = move.copy->close(); !closed)
                LOG_WARN(logger_, "the copy of a replica did not close",
                         kv("why", closed.error().why));
        });
    }
}

std::vector<LocalMoves::Copied> LocalMoves::copies() const {
    std::vector<Copied> out;
    for (const auto& [key, entry] : entries()) {
        Copied copied{.key = key, .name = entry.name, .directory = entry.directory};
        if (entry.copy != nullptr) {
            copied.bytes = entry.copy->size_bytes();
            copied.end = entry.copy->log_end_offset();
        }
        out.push_back(std::move(copied));
    }
    return out;
}

}  // namespace milena::replication
