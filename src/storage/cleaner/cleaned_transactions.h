// SPDX-License-Identifier: Apache-2.0
// Which records are void and which markers may go, for whoever walks over the batches of a log from
// its first on (KIP-98, KIP-534): records of aborted transactions go at once; a marker goes when no
// batch of its transaction is left before it. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "milena/record/batch.h"
#include "milena/storage/cleaning.h"

namespace milena::storage {

class CleanedTransactions {
public:
    /// Aborted ones that overlap with what comes next; those that were told before are known.
    void add(std::vector<IndexedTransaction> aborted);

    /// A batch of data: true if its records are void.
    bool pass_data(const record::BatchView& batch);
    /// A control batch: true if nothing is left of what it ends, or if it is no marker any more.
    bool pass_control(const record::BatchView& batch);

    /// The aborted transaction that the last control batch ended, if there is something left of it:
    /// the segment's index is to have it.
    std::optional<IndexedTransaction> take_indexed() { return std::exchange(indexed_, {}); }

private:
    struct Ongoing {
        IndexedTransaction transaction;
        bool has_batch = false;
    };
    void begin_up_to(Offset offset);

    /// By first offset, those not reached yet.
    std::multimap<Offset, IndexedTransaction> to_come_;
    std::map<ProducerId, Ongoing> aborted_;
    std::set<ProducerId> committed_;
    std::optional<IndexedTransaction> indexed_;
};

}  // namespace milena::storage
