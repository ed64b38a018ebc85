// SPDX-License-Identifier: Apache-2.0
// Who votes from now on (KIP-853). A leader takes one change at a time, and only when the set
// before and a record of its own epoch are committed: two sets that hold at once then differ in one
// voter, so any two majorities have a replica in common. A replica that is no leader asks for what
// its own entry should be.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "milena/base/invariant.h"
#include "replica.h"

namespace milena::raft {

namespace {

/// Who has asked for the leader's end within this time is taken for one that can keep up.
constexpr Duration kCaughtUpWithin = std::chrono::hours(1);

/// As Kafka's tools show a replica.
std::string key_text(const ReplicaKey& key) {
    return fmt::format("ReplicaKey(id={}, directoryId={})", key.id, key.directory);
}

std::string keys_text(const VoterSet& voters) {
    std::vector<std::string> keys;
    for (const auto& [id, voter] : voters.by_id()) keys.push_back(key_text(voter.key));
    return fmt::format("[{}]", fmt::join(keys, ", "));
}

bool is_whole(const ReplicaKey& key) {
    return key.id >= BrokerId(0) && !key.directory.is_zero();
}

/// The order of endpoints says nothing.
bool says_the_same(Voter one, Voter other) {
    std::ranges::sort(one.endpoints);
    std::ranges::sort(other.endpoints);
    return one == other;
}

bool supports(std::int16_t min, std::int16_t max, std::int16_t version) {
    return min >= 0 && min <= max && min <= version && version <= max;
}

}  // namespace

/// The sender's epoch is not always said; then it is this replica's.
ErrorCode Replica::refuse_change(LeaderEpoch epoch) const {
    if (shutting_down_ || failed_) return ErrorCode::broker_not_available;
    if (epoch < state_.epoch) return ErrorCode::fenced_leader_epoch;
    if (epoch > state_.epoch) return ErrorCode::unknown_leader_epoch;
    return role_ == Role::leader ? ErrorCode::none : ErrorCode::not_leader_or_follower;
}

std::optional<Error> Replica::refuse_now() const {
    const auto not_yet = [](std::string why) {
        return Error{ErrorCode::request_timed_out, std::move(why)};
    };
    if (change_) return not_yet("Another change of the voters is under way");
    if (high_watermark_.value_or(Offset(0)) <= epoch_start_)
        return not_yet("The leader has not committed a record of its epoch yet");
    if (voter_history_.current().offset >= *high_watermark_)
        return not_yet("The change of the voters before is not committed yet");
    return std::nullopt;
}

bool Replica::names_own_listener(const std::vector<VoterEndpoint>& endpoints) const {
    if (options_.endpoints.empty()) return true;
    return std::ranges::any_of(endpoints, [&](const VoterEndpoint& endpoint) {
        return endpoint.listener == options_.endpoints.front().listener;
    });
}

bool Replica::is_caught_up(const ReplicaKey& observer, Instant now) const {
    const auto progress = observers_.find(observer);
    return progress != observers_.end() && progress->second.caught_up_at &&
           progress->second.last_fetch > now - kCaughtUpWithin;
}

void Replica::change_voters(RequestId id, const AddVoterRequest& request, Instant now) {
    const auto refuse = [&](ErrorCode error, std::string why = {}) {
        output_.replies.push_back({id, VoterChangeResponse{error, {}, std::move(why)}});
    };
    if (const ErrorCode error = refuse_change(state_.epoch); error != ErrorCode::none)
        return refuse(error);
    if (!is_whole(request.voter))
        return refuse(ErrorCode::invalid_request, "A voter has an id and a directory id");
    if (!names_own_listener(request.endpoints)) {
        return refuse(ErrorCode::invalid_request,
                      fmt::format("The new voter has no endpoint for the listener {}",
                                  options_.endpoints.front().listener));
    }
    const std::optional<Error> not_now = refuse_now();
    if (not_now && (change_ || kraft_version() > 0)) return refuse(not_now->code, not_now->why);
    if (kraft_version() < 1) {
        return refuse(ErrorCode::unsupported_version,
                      "Voters can't be added while kraft.version is 0");
    }
    if (voters().find(request.voter.id) != nullptr) {
        return refuse(ErrorCode::duplicate_voter,
                      fmt::format("The voter id for {} is already part of the set of voters {}.",
                                  key_text(request.voter), keys_text(voters())));
    }
    if (!can_send(request.voter.id, now)) {
        return refuse(ErrorCode::request_timed_out,
                      fmt::format("{} was asked a moment ago", key_text(request.voter)));
    }
    change_ = VoterChange{.reply_to = id,
                          .voter = request.voter,
                          .deadline = now + options_.request_timeout,
                          .addition = request};
    send(request.voter.id, SupportedVersionsRequest{}, now, request.endpoints);
}

void Replica::on_response(BrokerId from, const SupportedVersionsResponse& response, Instant now) {
    if (!change_ || !change_->addition || change_->voter.id != from) return;
    const AddVoterRequest addition = *std::exchange(change_->addition, std::nullopt);
    const std::string name = key_text(addition.voter);
    if (response.error != ErrorCode::none) {
        return finish_change(ErrorCode::request_timed_out,
                             fmt::format("{} does not say what it supports", name));
    }
    if (!supports(response.kraft_version_min, response.kraft_version_max, kraft_version())) {
        return finish_change(
            ErrorCode::invalid_request,
            fmt::format("{} supports kraft.version {} to {}, not {}", name,
                        response.kraft_version_min, response.kraft_version_max, kraft_version()));
    }
    if (!is_caught_up(addition.voter, now)) {
        return finish_change(ErrorCode::request_timed_out,
                             fmt::format("{} has not caught up with the leader's log", name));
    }
    std::vector<Voter> next{{.key = addition.voter,
                             .endpoints = addition.endpoints,
                             .kraft_version_min = response.kraft_version_min,
                             .kraft_version_max = response.kraft_version_max}};
    for (const auto& [id, voter] : voters().by_id()) next.push_back(voter);
    change_->offset = append_voters(std::move(next));
    if (addition.ack_when_committed) return;
    change_->is_answered = true;
    output_.replies.push_back({change_->reply_to, VoterChangeResponse{}});
}

void Replica::change_voters(RequestId id, const RemoveVoterRequest& request, Instant now) {
    const auto refuse = [&](ErrorCode error, std::string why = {}) {
        output_.replies.push_back({id, VoterChangeResponse{error, {}, std::move(why)}});
    };
    if (const ErrorCode error = refuse_change(state_.epoch); error != ErrorCode::none)
        return refuse(error);
    if (!is_whole(request.voter))
        return refuse(ErrorCode::invalid_request, "A voter has an id and a directory id");
    const std::optional<Error> not_now = refuse_now();
    if (not_now && (change_ || kraft_version() > 0)) return refuse(not_now->code, not_now->why);
    if (kraft_version() < 1) {
        return refuse(ErrorCode::unsupported_version,
                      "Voters can't be removed while kraft.version is 0");
    }
    const Voter* const old = voters().find(request.voter.id);
    // The last one stays: nobody could ever be added again.
    if (old == nullptr || old->key != request.voter || voters().size() == 1) {
        return refuse(ErrorCode::voter_not_found,
                      fmt::format("Cannot remove voter {} from the set of voters {}",
                                  key_text(request.voter), keys_text(voters())));
    }
    std::vector<Voter> next;
    for (const auto& [voter_id, voter] : voters().by_id()) {
        if (voter_id != request.voter.id) next.push_back(voter);
    }
    change_ = VoterChange{.reply_to = id,
                          .voter = request.voter,
                          .deadline = now + options_.request_timeout,
                          .offset = append_voters(std::move(next))};
}

void Replica::change_voters(RequestId id, const UpdateVoterRequest& request, Instant) {
    const auto reply = [&](ErrorCode error) {
        output_.replies.push_back({id, VoterChangeResponse{error, answer_view(), {}}});
    };
    const Voter& wanted = request.voter;
    if (const ErrorCode error = refuse_change(request.current_leader_epoch);
        error != ErrorCode::none) {
        return reply(error);
    }
    if (!is_whole(wanted.key) || !names_own_listener(wanted.endpoints) ||
        !supports(wanted.kraft_version_min, wanted.kraft_version_max, kraft_version())) {
        return reply(ErrorCode::invalid_request);
    }
    if (refuse_now()) return reply(ErrorCode::request_timed_out);
    const Voter* const known = voters().find(wanted.key.id);
    if (known == nullptr || !voters().contains(wanted.key))
        return reply(ErrorCode::voter_not_found);
    // With version 0 the words about a voter are configuration.
    if (kraft_version() > 0 && !says_the_same(*known, wanted)) {
        std::vector<Voter> next{wanted};
        for (const auto& [voter_id, voter] : voters().by_id()) {
            if (voter_id != wanted.key.id) next.push_back(voter);
        }
        append_voters(std::move(next));
    }
    reply(ErrorCode::none);
}

SupportedVersionsResponse Replica::on_request(const SupportedVersionsRequest&, Instant) {
    const Voter self{.key = options_.self, .endpoints = {}};
    return {.kraft_version_min = self.kraft_version_min,
            .kraft_version_max = self.kraft_version_max};
}

/// The voters as the first record of an epoch names them: with what its leader says of itself.
VoterSet Replica::voters_of_new_epoch() const {
    const Voter self{.key = options_.self, .endpoints = options_.endpoints};
    std::vector<Voter> next;
    for (const auto& [id, voter] : voters().by_id()) {
        const bool is_own =
            id == options_.self.id && !options_.endpoints.empty() && !says_the_same(voter, self);
        next.push_back(is_own ? self : voter);
    }
    return VoterSet(std::move(next));
}

/// Where the set stands.
Offset Replica::append_voters(std::vector<Voter> voters) {
    INVARIANT(role_ == Role::leader && voter_history_.current().offset < *high_watermark_,
              "a change of voters on top of one that is not committed");
    VoterSet next(std::move(voters));
    INVARIANT(next.is_one_change_from(this->voters()), "more than one voter changes at once");
    const Offset at = log_end_;
    append({.base_offset = at,
            .last_offset = at,
            .epoch = state_.epoch,
            .control = {VotersRecord{std::move(next)}},
            .bytes = nullptr});
    return at;
}

void Replica::finish_change(ErrorCode error, std::string why) {
    if (!change_->is_answered) {
        output_.replies.push_back(
            {change_->reply_to, VoterChangeResponse{error, {}, std::move(why)}});
    }
    // Who is no voter is not asked again: only voters have a place among those on their way.
    if (voters().find(change_->voter.id) == nullptr) flights_.erase(change_->voter.id);
    change_.reset();
}

void Replica::advance_change(Instant now) {
    const Offset committed = high_watermark_.value_or(Offset(0));
    if (change_ && change_->offset >= Offset(0) && change_->offset < committed)
        finish_change(ErrorCode::none, {});
    if (change_ && now >= change_->deadline)
        finish_change(ErrorCode::request_timed_out, "The change of the voters takes too long");
    // Nobody counts this leader any more: it has led until the others could do without it.
    if (!is_voter() && voter_history_.current().offset < committed) become_resigned(now);
}

/// True for a replica that is out of the set, as far as it is known not yet for good: nobody else
/// may have the record that takes it out, and then nobody else would be elected (Raft, 4.2.2 of the
/// dissertation).
bool Replica::is_leaving() const {
    const VotersAt* const before = voter_history_.before_change();
    const bool is_committed = high_watermark_ && voter_history_.current().offset < *high_watermark_;
    return !is_voter() && !is_committed && before != nullptr &&
           before->voters.contains(options_.self);
}

/// What this follower wants the leader to change about it.
std::optional<Request> Replica::wanted_change() const {
    if (kraft_version() < 1 || options_.endpoints.empty()) return std::nullopt;
    const Voter wanted{.key = options_.self, .endpoints = options_.endpoints};
    const Voter* const entry = voters().find(options_.self.id);
    if (is_voter()) {
        if (says_the_same(*entry, wanted)) return std::nullopt;
        return UpdateVoterRequest{state_.epoch, wanted};
    }
    if (!options_.auto_join) return std::nullopt;
    // The disk that it had before votes no more: it is taken out first.
    if (entry != nullptr) return RemoveVoterRequest{entry->key};
    return AddVoterRequest{wanted.key, wanted.endpoints, false};
}

void Replica::on_response(BrokerId from, const VoterChangeResponse& response, Instant now) {
    if (role_ != Role::follower || from != state_.leader) return;
    if (response.error == ErrorCode::none) role_deadline_ = now + options_.fetch_timeout;
}

}  // namespace milena::raft
