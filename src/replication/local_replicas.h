// SPDX-License-Identifier: Apache-2.0
// The replicas of this node: one caller starts and stops them as the metadata says, everybody looks
// them up in the table that he publishes.
#pragma once

#include <deque>

#include "cleaning/local_cleaning.h"
#include "disk/deleted_files.h"
#include "disk/directories.h"
#include "disk/found_logs.h"
#include "hosted_topics.h"
#include "milena/replication/replicas.h"
#include "moves/local_moves.h"

namespace milena::replication {

class LocalReplicas final : public Replicas {
public:
    LocalReplicas(env::Env& env, const Logger& logger, BrokerId self,
                  std::vector<storage::LogDirectory*> directories, SettingsOf settings);

    void lacks(std::vector<std::string> paths) override { directories_.lack(std::move(paths)); }
    Result<void> load(const std::vector<bool>& directory_was_clean) override;
    Result<void> find_logs(const std::vector<bool>& directory_was_clean) override;
    void open_logs() override { found_.open(); }
    OpenProgress open_progress() const override { return found_.progress(); }

    void apply(const metadata::Image& image, std::span<const Uuid> changed) override;

    std::vector<PlacedReplica> misplaced(const metadata::Image& image,
                                         std::span<const Uuid> topics) const override;

    std::shared_ptr<Partition> find(Uuid topic_id, PartitionIndex partition) const override;
    std::vector<std::shared_ptr<Partition>> all() const override;

    Moves& moves() override { return moves_; }
    CleanableLogs& cleanable_logs() override { return cleanable_logs_; }
    std::vector<DirectoryState> directories() const override;
    std::vector<FailedDirectory> failed_directories() const override {
        return directories_.failed();
    }
    void note_failed_logs() override;
    void when_failed(std::function<void()> tell) override {
        directories_.when_failed(tell);
        failures_.when_added(std::move(tell));
    }
    std::vector<WriteLaneState> write_lanes() const override;

    void enforce_retention() override;
    env::Instant remove_deleted() override;
    void when_deleted(std::function<void()> tell) override { deleted_.when_added(std::move(tell)); }

    void sync_queued(std::size_t directory) override;
    void queue_due_syncs() override;
    void when_sync_queued(std::function<void()> tell) override {
        for (auto& queue : syncs_) queue.when_added(tell);
    }

    std::vector<std::shared_ptr<Partition>> take_isr_changes(std::size_t most) override;
    void when_isr_change_due(std::function<void()> tell) override {
        isr_changes_.when_added(std::move(tell));
    }

    Result<void> checkpoint() override;
    Result<void> close() override;

    // For moves between directories, and for cleanings.
    std::shared_ptr<const HostedTopics> table() const { return table_.load(); }
    BrokerId self() const { return self_; }
    const Directories& places() const { return directories_; }
    std::optional<std::size_t> find_directory(std::string_view path) const;
    std::shared_ptr<env::WriteLane> lane(std::size_t directory) const { return lanes_[directory]; }
    std::optional<Hosted> hosted(Uuid topic_id, PartitionIndex partition) const;
    /// Runs `change` while nobody else changes the table.
    void change_table(const std::function<void()>& change) {
        changing_.with([&](std::monostate&) { change(); });
    }
    /// The log lies there now; inside change_table().
    void lies_in(Uuid topic_id, PartitionIndex partition, std::size_t directory);
    /// It is written and synced as all in that directory are.
    void put_in(LocalPartition& partition, std::size_t directory);
    /// The partition's directory, or the one at `from`, is called otherwise; its new path.
    Result<std::string> rename_away(const storage::TopicPartition& partition, std::size_t directory,
                                    std::string_view suffix, std::string from = {});
    void fail_directory(std::size_t directory, const Error& error);

private:
    /// A partition that is being started.
    struct Start {
        storage::TopicPartition name;
        Uuid topic_id;
        const metadata::PartitionRegistration& registration;
        const PartitionSettings& settings;
    };
    /// What one apply() adds.
    struct Change {
        HostedTopics::Editor table;
        std::vector<bool> has_new_names;  ///< by directory
        std::size_t started = 0;
    };

    void apply_all(const metadata::Image& image, std::span<const Uuid> changed);
    /// How many replicas were stopped.
    std::size_t stop_gone(const metadata::Image& image, std::span<const Uuid> changed);
    void remove(const Hosted& hosted);
    void start_topic(const metadata::Image& image, Uuid topic_id, Change& change);
    void apply_partition(const Start& start, HostedTopic& topic, Change& change);
    Hosted host(const Start& start, Change& change);
    std::optional<FoundLogs::Claimed> new_log(const Start& start, Change& change);
    Result<std::unique_ptr<storage::Log>> open_new(const Start& start, std::size_t directory,
                                                   bool is_made);
    Result<std::optional<std::size_t>> left_log(const Start& start);
    Result<void> set_aside(const storage::TopicPartition& partition, std::size_t directory);
    std::optional<FoundLogs::Claimed> take_over(const Start& start, Change& change);
    void finish(Change& change);
    Result<void> checkpoint_all();
    std::size_t count_unsynced(std::size_t directory) const;
    Result<void> close_logs(std::size_t directory);
    Checkpoints checkpoints_of(std::size_t directory) const;
    void tell_of_strays();

    template <class F>
    void for_each_local(F&& use) const;

    env::Env& env_;
    Logger logger_;
    const BrokerId self_;
    const SettingsOf settings_;
    Directories directories_;
    FoundLogs found_;
    DeletedFiles deleted_;
    /// By directory, so that one that stalls does not keep the others from their syncs.
    std::deque<PartitionQueue<LocalPartition>> syncs_;
    PartitionQueue<LocalPartition> isr_changes_;
    PartitionQueue<LocalPartition> failures_;
    std::vector<std::shared_ptr<env::WriteLane>> lanes_;
    env::Published<HostedTopics> table_;
    env::Guarded<std::monostate> changing_;
    LocalMoves moves_;
    LocalCleanableLogs cleanable_logs_;
    env::Guarded<bool> told_of_strays_;
    env::Guarded<std::monostate> checkpointing_;
};

}  // namespace milena::replication
