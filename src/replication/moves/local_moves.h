// SPDX-License-Identifier: Apache-2.0
// The copies that are being made on this node. A copy is a replica of its own that follows the log
// beside it, so what a follower decides of its leader's answers (append, cut, begin anew) is
// decided here the same way. Locks are taken in this order: the change of the table, a move, a
// partition.
//
// Nobody knows how far an unfinished copy is synced: after a start all of it is checked, in the
// background, before it goes on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "disk/deleted_files.h"
#include "hosted_topics.h"
#include "milena/replication/moves.h"

namespace milena::replication {

class LocalReplicas;

/// A place for a replica: an index into the node's directories, and the path of what is there.
struct CopyPlace {
    std::size_t directory = 0;
    std::string path;
};

class LocalMoves final : public Moves {
public:
    LocalMoves(env::Env& env, Logger logger, LocalReplicas& replicas, DeletedFiles& deleted)
        : env_(env), logger_(std::move(logger)), replicas_(replicas), deleted_(deleted) {}

    ErrorCode place(Uuid topic_id, const storage::TopicPartition& name,
                    std::string_view directory) override;
    std::vector<MoveKey> under_way() const override;
    CopyStep copy(const MoveKey& key) override;
    void finish(const MoveKey& key) override;
    env::WriteLane* lane_of_copy(const MoveKey& key) const override;
    env::WriteLane* lane_of_log(const MoveKey& key) const override;
    std::vector<Uuid> take_ended() override;
    void when_due(std::function<void()> tell) override;

    // The rest is for who changes the table.

    /// Copies that a start has met.
    void found(std::size_t directory, std::vector<storage::FoundCopy> copies);
    /// The one that was to take over: the replica has no log, and lies, for all that the metadata
    /// says (zero: nothing), where the copy is. It ended between the two renames of finish().
    std::optional<CopyPlace> copy_of(const MoveKey& key, const storage::TopicPartition& name,
                                     Uuid assigned) const;
    /// It has the replica's name now, and is no copy any more.
    void taken_over(const storage::TopicPartition& name, const CopyPlace& place);
    /// The replica is there now: a copy of it that was found goes on.
    void resume(const MoveKey& key, const storage::TopicPartition& name, const Hosted& hosted);
    /// Where place() has said that the replica is to be made.
    std::optional<std::size_t> take_wanted(const storage::TopicPartition& name);
    /// What the metadata says of the replica's directory.
    void assigned(const MoveKey& key, Uuid directory);
    /// The directory that the controller is told of; nothing if the replica lies where it does.
    std::optional<std::size_t> announced(const MoveKey& key) const;
    /// The replica is gone, or is to lie where it does: the copy is deleted.
    void cancel(const MoveKey& key);
    /// Copies in it, and of what is in it, end where they are.
    void directory_failed(std::size_t directory);

    /// The last call: copies are left as a start can go on with them.
    void close();

    struct Copied {
        MoveKey key;
        storage::TopicPartition name;
        std::size_t directory = 0;
        std::uint64_t bytes = 0;
        Offset end{};
    };
    std::vector<Copied> copies() const;

private:
    struct Move {
        storage::TopicPartition name;
        CopyPlace to;
        /// Null until it is open.
        std::shared_ptr<LocalPartition> copy{};
        bool has_ended = false;
        bool has_complained = false;
        /// The last error is one of the disk that the log lies on, not the copy.
        bool is_of_log = false;
    };
    struct Entry {
        std::shared_ptr<env::Guarded<Move>> move{};
        storage::TopicPartition name{};
        std::size_t directory = 0;
        /// For who only looks.
        std::shared_ptr<LocalPartition> copy{};
        bool is_announced = false;
        bool is_assigned = false;
    };
    struct FoundIn {
        std::size_t directory = 0;
        Uuid topic_id;
        std::string path;
    };
    struct State {
        std::map<MoveKey, Entry> entries;
        std::multimap<storage::TopicPartition, FoundIn> found;
        std::map<storage::TopicPartition, std::size_t> wanted;
        std::vector<Uuid> ended;
        std::function<void()> tell;
    };
    struct Piece {
        std::uint64_t bytes = 0;
        bool is_caught_up = false;
    };

    ErrorCode place_in(std::size_t directory, const MoveKey& key,
                       const storage::TopicPartition& name);
    Result<void> begin(std::size_t directory, const MoveKey& key,
                       const storage::TopicPartition& name, LocalPartition& of);
    /// From here to the end of the move `of` is not cleaned.
    void add(const MoveKey& key, LocalPartition& of, CopyPlace to,
             std::shared_ptr<LocalPartition> copy);
    void may_be_cleaned_again(const MoveKey& key) const;
    std::optional<Entry> entry(const MoveKey& key) const;
    std::map<MoveKey, Entry> entries() const;
    void give_up(const MoveKey& key, const Error& error);
    Result<std::shared_ptr<LocalPartition>> open(const storage::TopicPartition& name, Uuid topic_id,
                                                 const CopyPlace& place, const LocalPartition& of,
                                                 bool is_new) const;
    Result<Piece> copy_piece(const MoveKey& key, Move& move, LocalPartition& from);
    CopyStep note(const MoveKey& key, const Entry& copied, const Piece& piece);
    /// True if the copy has become the log.
    Result<bool> swap(Move& move, const Hosted& hosted);
    Result<bool> exchange(Move& move, const Hosted& hosted);
    void moved(const MoveKey& key, const storage::TopicPartition& name, std::size_t directory);
    void complain(const MoveKey& key, const Entry& of, const Error& error);
    void end(const MoveKey& key, const Entry& entry, bool is_deleted);
    void remove(const storage::TopicPartition& name, const CopyPlace& place);

    env::Env& env_;
    Logger logger_;
    LocalReplicas& replicas_;
    DeletedFiles& deleted_;
    env::Guarded<State> state_;
};

}  // namespace milena::replication
