// SPDX-License-Identifier: Apache-2.0
// Everything that one coordinator of transactions knows, and one decision while it is made. A
// decision reads the table and says which records follow; what they say is in the table once they
// are applied. Beside the records there is only what can be made again from them: who is due when,
// and which markers are on their way.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "milena/coordinator/transactions.h"
#include "transaction.h"

namespace milena::coordinator {

/// How the markers of a transaction stand whose decision is committed.
struct Markers {
    std::set<TransactionPartition> waiting{};  ///< to be ordered
    std::set<TransactionPartition> sent{};     ///< ordered, and not come back

    bool are_written() const { return waiting.empty() && sent.empty(); }
};

struct LiveTransaction {
    Transaction said;
    /// Null unless it is prepared and that is committed.
    std::unique_ptr<Markers> markers{};
    env::Instant due = env::kNever;
};

/// A record that is decided and not yet applied.
struct DecidedRecord {
    std::string id{};
    std::optional<Transaction> next{};  ///< nothing: the id is forgotten
    bool is_timeout = false;
};

class TransactionTable {
public:
    using Ids = std::map<std::string, LiveTransaction, std::less<>>;

    TransactionTable(TransactionOptions keys, Transactions::Place at, ProducerIdSource& source)
        : options(keys), place(at), producer_ids(source) {}

    const TransactionOptions options;
    Transactions::Place place;
    ProducerIdSource& producer_ids;
    /// Of the last decision, in the order of its records.
    std::deque<DecidedRecord> decided;
    /// Where records are that decide a transaction, and are not committed.
    std::deque<std::pair<Offset, std::string>> uncommitted;
    std::uint64_t timed_out = 0;

    const Ids& ids() const { return ids_; }
    const Transaction* find(std::string_view id) const;
    LiveTransaction* find_live(std::string_view id);
    /// What its last record says from now on; nothing is due. Made if it is not there.
    LiveTransaction& set(const std::string& id, Transaction said);
    void erase(std::string_view id);
    void set_due(std::string_view id, env::Instant due);
    /// Who is due first; kNever if nobody is.
    env::Instant deadline() const { return due_.empty() ? env::kNever : due_.begin()->first; }
    std::string_view first_due() const { return due_.begin()->second; }

    std::size_t count(TransactionState state) const {
        return counts_.at(static_cast<std::size_t>(state));
    }
    /// In all transactions.
    std::size_t partitions() const { return partitions_; }

private:
    void count_out(const Transaction& said);
    void drop_due(Ids::iterator at);

    Ids ids_;
    /// The names are those of the map.
    std::set<std::pair<env::Instant, std::string_view>> due_{};
    std::array<std::size_t, 8> counts_{};
    std::size_t partitions_ = 0;
};

class TransactionDecision {
public:
    TransactionDecision(TransactionTable& all, const TransactionTime& time)
        : table(all), time_(time) {}

    TransactionTable& table;

    env::Instant now() const { return time_.now; }
    std::int64_t wall_ms() const { return time_.wall_ms; }
    env::Instant in_ms(std::int64_t ms) const { return time_.now + std::chrono::milliseconds(ms); }
    /// What a client may do in this cluster.
    TransactionVersion allowed(TransactionVersion wanted) const {
        constexpr auto kByEpoch = TransactionVersion::epoch_a_transaction;
        return std::min(wanted, table.place.version) < kByEpoch ? TransactionVersion::classic
                                                                : kByEpoch;
    }

    void answer(Ticket ticket, TransactionReply reply) {
        step_.answers.push_back({ticket, std::move(reply)});
    }
    /// INVALID_REQUEST: the id is too long to be written.
    Result<void> write(std::string_view id, Transaction next, bool is_timeout = false);
    /// The same, of an id that is there, so that it can be written.
    void write_known(std::string_view id, Transaction next, bool is_timeout = false);
    void forget(std::string_view id);
    void order(MarkerOrder order) { step_.markers.push_back(std::move(order)); }
    /// What was written, roughly.
    std::size_t bytes() const { return bytes_; }

    TransactionStep take() { return std::move(step_); }

private:
    void add(Record record, DecidedRecord decided);

    TransactionTime time_;
    TransactionStep step_;
    std::size_t bytes_ = 0;
};

}  // namespace milena::coordinator
