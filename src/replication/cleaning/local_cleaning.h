// SPDX-License-Identifier: Apache-2.0
// Cleanings of the replicas in the node's table.
#pragma once

#include "disk/deleted_files.h"
#include "local_partition.h"
#include "milena/replication/cleaning.h"

namespace milena::replication {

class LocalReplicas;

class LocalCleanableLogs final : public CleanableLogs {
public:
    LocalCleanableLogs(env::Env& env, Logger logger, LocalReplicas& replicas, DeletedFiles& deleted)
        : env_(env), logger_(std::move(logger)), replicas_(replicas), deleted_(deleted) {}

    std::vector<CleanableLog> list(const Limit& limit) override;
    std::unique_ptr<LogCleaning> begin(const CleanableLog& log,
                                       const storage::CleaningLimits& limits) override;

private:
    env::Env& env_;
    Logger logger_;
    LocalReplicas& replicas_;
    DeletedFiles& deleted_;
};

/// Holds its partition; finds its files by their names only while that is not abandoned.
class LocalCleaning final : public LogCleaning {
public:
    struct Parts {
        env::FileSystem& files;
        DeletedFiles& deleted;
        std::shared_ptr<LocalPartition> partition;
    };
    LocalCleaning(Parts parts, std::unique_ptr<storage::Cleaning> cleaning)
        : parts_(std::move(parts)), cleaning_(std::move(cleaning)) {}
    ~LocalCleaning() override { end(); }

    Result<Outcome> step() override;
    void give_up() override;
    const storage::CleaningFigures& figures() const override { return cleaning_->figures(); }

private:
    const storage::CleaningTicket& ticket() const { return cleaning_->source().ticket; }
    Result<Outcome> step_in_directory();
    /// False if it was called off.
    Result<bool> swap_in();
    Result<bool> take_place();

    /// Once: the log may be in another cleaning's hands then.
    void end();

    Parts parts_;
    std::unique_ptr<storage::Cleaning> cleaning_;
    bool is_over_ = false;
};

}  // namespace milena::replication
