// SPDX-License-Identifier: Apache-2.0
// What is on its way to whom: one request at a time to each replica, with a deadline, and a pause
// after a failure.
#include "milena/base/invariant.h"
#include "replica.h"

namespace milena::raft {

ErrorCode Replica::refuse(LeaderEpoch epoch, BrokerId sender) const {
    if (sender < BrokerId(0) || epoch < LeaderEpoch(0) || epoch >= kEpochMax) {
        return ErrorCode::invalid_request;
    }
    if (shutting_down_ || failed_) return ErrorCode::broker_not_available;
    if (epoch < state_.epoch) return ErrorCode::fenced_leader_epoch;
    return ErrorCode::none;
}

bool Replica::is_for_self(const ReplicaKey& voter) const {
    if (voter.id == kNoBroker) return true;
    return voter.id == options_.self.id &&
           (voter.directory.is_zero() || voter.directory == options_.self.directory);
}

bool Replica::can_send(BrokerId to, Instant now) const {
    const auto flight = flights_.find(to);
    return flight == flights_.end() || (!flight->second.id && now >= flight->second.not_before);
}

void Replica::send(BrokerId to, Request request, Instant now,
                   std::vector<VoterEndpoint> endpoints) {
    INVARIANT(to != options_.self.id, "a message to myself");
    Flight& flight = flights_[to];
    flight.id = RequestId(++last_request_id_);
    flight.deadline = now + options_.request_timeout;
    output_.messages.push_back({to, *flight.id, std::move(request), std::move(endpoints)});
}

bool Replica::settle(BrokerId from, RequestId id) {
    const auto flight = flights_.find(from);
    if (flight == flights_.end() || flight->second.id != id) return false;
    flight->second.id.reset();
    flight->second.not_before = Instant{};
    return true;
}

void Replica::back_off(BrokerId to, Instant now) {
    Flight& flight = flights_[to];
    flight.id.reset();
    flight.not_before = now + options_.retry_backoff;
}

void Replica::expire_requests(Instant now) {
    for (auto& [to, flight] : flights_) {
        if (flight.id && now >= flight.deadline) back_off(to, now);
    }
}

}  // namespace milena::raft
