// SPDX-License-Identifier: Apache-2.0
// One turn after the other: a heartbeat, the offsets of what is new, a commit. What is wanted back
// is committed once more, given up, and that is said with the next heartbeat. What it does wrong is
// in consumer_faults.cc.
#include "sim/workload/consumer.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "milena/protocol/messages/offset_commit.h"
#include "milena/protocol/messages/offset_fetch.h"
#include "sim/workload/consumer_frame.h"

namespace milena::sim {
namespace {

using namespace std::chrono_literals;
using protocol::OffsetCommitRequest;
using protocol::OffsetFetchRequest;

/// The first that knows of epochs names topics, the next one has their ids.
constexpr std::int16_t kCommitByName = 9;
constexpr std::int16_t kCommitById = 10;
constexpr std::int16_t kFetchVersion = 9;
constexpr env::Duration kRetryPause = 50ms;
constexpr double kMisbehaveChance = 0.03;
constexpr double kSayAgainChance = 0.03;
constexpr double kCommitLateChance = 0.3;
constexpr double kStandStillChance = 0.01;
constexpr double kDawdleChance = 0.5;
constexpr double kSayAllChance = 0.2;
constexpr double kLookChance = 0.3;

}  // namespace

Consumer::Consumer(ConsumerPorts ports, ConsumerShape shape, SeededRandom random, History& history)
    : link_(std::move(ports.link)),
      other_(std::move(ports.other)),
      shape_(std::move(shape)),
      random_(random),
      history_(history),
      sees_(std::move(ports.sees)),
      instance_(shape_.is_static ? fmt::format("consumer-{}", shape_.number) : ""),
      holds_(seen(), {.session = shape_.session_timeout, .rebalance = kConsumerRebalanceTimeout}) {
    begin_life();
}

std::string Consumer::text() const {
    return fmt::format("consumer {} of {} ({} at epoch {}, owns {}, is to give up {})",
                       shape_.number, shape_.group, member_id_, epoch_, owned_.size(),
                       to_give_up_.size());
}

protocol::NullableString Consumer::instance() const {
    if (!shape_.is_static) return std::nullopt;
    return std::string_view(instance_);
}

env::Task<void> Consumer::sleep(env::Duration duration) {
    co_await link_.machine().sleep(link_.machine().core(0), duration);
}

void Consumer::begin_life() {
    forget_assignment();
    holds_.forget_ghosts();
    member_id_ = env::random_uuid(random_).text();
    constexpr std::array<std::string_view, 3> kAssignors{"", "uniform", "range"};
    assignor_ = kAssignors[random_.below(kAssignors.size())];
    is_by_regex_ = random_.chance(0.4);
    commits_by_id_ = random_.chance(0.5);
}

void Consumer::forget_assignment() {
    holds_.give_up_all(link_.now());
    epoch_ = 0;
    owned_.clear();
    to_give_up_.clear();
    to_read_.clear();
    at_.clear();
    heard_owned_.clear();
    last_said_.reset();
    last_commit_.reset();
    says_all_ = true;
    asked_since_ = env::kNever;
    is_settled_ = false;
}

Consumer::Partitions Consumer::all_partitions() const {
    Partitions all;
    for (std::int32_t i = 0; i < shape_.partitions; ++i) all.insert(i);
    return all;
}

env::Duration Consumer::any_pause() {
    return random_.between(shape_.session_timeout / 10, shape_.session_timeout * 2);
}

env::Task<void> Consumer::watch() {
    env::spawn(link_.machine().core(0), other_.watch());
    co_await link_.watch();
}

env::Task<void> Consumer::run() {
    for (;;) {
        if (std::exchange(must_connect_, false)) link_.drop();
        if (co_await link_.ready_for_group(shape_.group) == nullptr) {
            is_settled_ = false;
            says_all_ = true;
            co_await sleep(kRetryPause);
            continue;
        }
        if (!is_finishing_ && random_.chance(kMisbehaveChance)) {
            co_await misbehave();
        } else {
            co_await turn();
        }
    }
}

env::Task<void> Consumer::turn() {
    const bool was_finishing = is_finishing_;
    bool goes_on = co_await heartbeat();
    if (goes_on && !to_read_.empty()) goes_on = co_await fetch(to_read_, true);
    if (goes_on && !at_.empty()) goes_on = co_await commit();
    if (goes_on && (was_finishing || random_.chance(kLookChance)))
        goes_on = co_await fetch(all_partitions(), false);
    is_settled_ = goes_on && was_finishing && epoch_ > 0 && to_give_up_.empty() && to_read_.empty();
    if (!goes_on) {
        co_await sleep(kRetryPause);
        co_return;
    }
    if (!was_finishing && random_.chance(kSayAgainChance)) co_await say_again();
    if (!was_finishing && last_commit_ && random_.chance(kCommitLateChance)) co_await commit_late();
    co_await sleep(random_.between(env::Duration(1ms), shape_.pause_max));
}

Consumer::Said Consumer::next_said() {
    Said said{.epoch = epoch_, .is_whole = epoch_ == 0 || says_all_};
    const bool says_owned =
        said.is_whole || owned_ != heard_owned_ || random_.chance(kSayAllChance);
    if (says_owned) said.owned = owned_;
    if (says_owned && random_.chance(0.5)) said.is_whole = true;
    return said;
}

void Consumer::give_up_what_is_wanted() {
    if (to_give_up_.empty() || (!is_finishing_ && random_.chance(kDawdleChance))) return;
    for (const std::int32_t partition : to_give_up_) {
        holds_.give_up(partition, link_.now());
        owned_.erase(partition);
        to_read_.erase(partition);
        at_.erase(partition);
    }
    to_give_up_.clear();
}

env::Task<bool> Consumer::heartbeat() {
    give_up_what_is_wanted();
    const Said said = next_said();
    const Frame frame(*this, said);
    const auto coordinator = sees_(shape_.group);
    const env::Instant sent = link_.now();
    asked_since_ = std::min(asked_since_, sent);
    const bool stands_still = !is_finishing_ && random_.chance(kStandStillChance);
    const env::Duration pause = stands_still ? any_pause() : env::Duration(0);
    const auto answer =
        co_await link_.call<HeartbeatAnswer>(frame.request(), kConsumerVersion, pause);
    if (!answer) {
        lose(said);
        co_return false;
    }
    const bool is_current =
        coordinator && coordinator->server == link_.server() && sees_(shape_.group) == coordinator;
    co_return hear(*answer, said, {.sent = sent, .came = link_.now(), .is_current = is_current});
}

/// It may yet be heard, whenever.
void Consumer::lose(const Said& said) {
    if (said.owned) holds_.ghost(*said.owned, link_.now());
    says_all_ = true;
}

bool Consumer::has_lost_its_place(ErrorCode code) {
    switch (code) {
        case ErrorCode::unknown_member_id:
        case ErrorCode::fenced_member_epoch:
        case ErrorCode::fenced_instance_id:
        // The group has become one of the classic protocol without it.
        case ErrorCode::group_id_not_found: return true;
        default: return false;
    }
}

bool Consumer::hear(const HeartbeatAnswer& answer, const Said& said, const Holds::Answer& when) {
    const auto code = static_cast<ErrorCode>(answer.error_code);
    // The process before is still taken to be there.
    if (code == ErrorCode::unreleased_instance_id && epoch_ == 0 && shape_.is_static) return false;
    if (has_lost_its_place(code)) {
        if (code == ErrorCode::fenced_instance_id)
            begin_life();
        else
            forget_assignment();
        return false;
    }
    if (is_refused(answer.error_code, "a heartbeat")) return false;
    const bool has_been_refused_a_place = answer.member_id.value_or(member_id_) != member_id_;
    if (has_been_refused_a_place || answer.member_epoch < epoch_) {
        link_.complain("I12", fmt::format("{} is told to be {} at epoch {}", text(),
                                          answer.member_id.value_or(""), answer.member_epoch));
    }
    epoch_ = answer.member_epoch;
    holds_.answered(when);
    if (said.owned) heard_owned_ = *said.owned;
    if (when.is_current && said.owned && to_give_up_.empty()) holds_.settled();
    if (answer.assignment) take(*answer.assignment, when);
    if (said.is_whole) says_all_ = false;
    last_said_ = said;
    asked_since_ = env::kNever;
    return true;
}

void Consumer::take(const HeartbeatAnswer::Assignment& assignment, const Holds::Answer& when) {
    Partitions told;
    for (const auto& topic : assignment.topic_partitions) {
        const bool is_known = topic_id_ == Uuid() || topic_id_ == topic.topic_id;
        topic_id_ = topic.topic_id;
        for (const std::int32_t index : topic.partitions) {
            const bool is_sound = is_known && index >= 0 && index < shape_.partitions;
            if (!is_sound || !told.insert(index).second)
                link_.complain("I12", fmt::format("{} is given partition {}", text(), index));
        }
    }
    for (const std::int32_t partition : told) {
        if (owned_.insert(partition).second) to_read_.insert(partition);
    }
    to_give_up_.clear();
    std::ranges::set_difference(owned_, told, std::inserter(to_give_up_, to_give_up_.end()));
    if (!to_give_up_.empty()) holds_.wanted_back(asked_since_);
    holds_.told(told, name(), when);
    seen().assignments.push_back({epoch_, name(), {told.begin(), told.end()}});
}

/// True if nothing came of it; a complaint if nothing explains that.
bool Consumer::is_refused(std::int16_t number, std::string_view what) {
    const auto code = static_cast<ErrorCode>(number);
    switch (code) {
        case ErrorCode::none: return false;
        case ErrorCode::not_coordinator:
        case ErrorCode::coordinator_not_available:
        case ErrorCode::coordinator_load_in_progress:
        case ErrorCode::request_timed_out: must_connect_ = says_all_ = true; return true;
        // Its next heartbeat tells it where it stands.
        case ErrorCode::stale_member_epoch:
        case ErrorCode::illegal_generation: return true;
        default: break;
    }
    if (!has_lost_its_place(code))
        link_.complain("I12", fmt::format("{} is told {} to {}", text(), error_name(code), what));
    return true;
}

/// As a member, if it is to go on from what it is told; else as anybody may.
env::Task<bool> Consumer::fetch(Partitions which, bool is_start) {
    const std::vector<std::int32_t> indexes(which.begin(), which.end());
    std::array<OffsetFetchRequest::OffsetFetchRequestTopics, 1> topics;
    topics[0].name = shape_.topic;
    topics[0].partition_indexes = indexes;
    std::array<OffsetFetchRequest::OffsetFetchRequestGroup, 1> groups;
    groups[0].group_id = shape_.group;
    groups[0].topics = topics;
    if (is_start) {
        groups[0].member_id = std::string_view(member_id_);
        groups[0].member_epoch = epoch_;
    }
    OffsetFetchRequest request;
    request.groups = groups;
    const env::Instant asked = link_.now();
    const auto answer = co_await link_.call<protocol::OffsetFetchResponse>(request, kFetchVersion);
    if (!answer || answer->groups.empty()) co_return false;
    if (is_refused(answer->groups[0].error_code, "a fetch of offsets")) co_return false;
    for (const auto& topic : answer->groups[0].topics) {
        for (const auto& one : topic.partitions) {
            if (is_refused(one.error_code, "a fetch of an offset")) co_return false;
            seen().partitions[one.partition_index].told.push_back(
                {asked, link_.now(), one.committed_offset});
            if (is_start && to_read_.erase(one.partition_index) > 0)
                at_[one.partition_index] = std::max<std::int64_t>(one.committed_offset, 0);
        }
    }
    co_return true;
}

env::Task<bool> Consumer::commit() {
    for (auto& [partition, offset] : at_) ++offset;
    last_commit_ = Commit{.epoch = epoch_, .offsets = at_};
    co_return co_await send_commit(*last_commit_, false);
}

env::Task<bool> Consumer::send_commit(Commit said, bool is_stale) {
    std::vector<OffsetCommitRequest::OffsetCommitRequestPartition> partitions;
    std::map<std::int32_t, std::size_t> steps;
    for (const auto& [index, offset] : said.offsets) {
        auto& one = partitions.emplace_back();
        one.partition_index = index;
        one.committed_offset = offset;
        auto& commits = seen().partitions[index].commits;
        steps[index] = commits.size();
        commits.push_back({.asked = link_.now(),
                           .offset = offset,
                           .generation = said.epoch,
                           .member = name(),
                           .is_stale = is_stale});
    }
    std::array<OffsetCommitRequest::OffsetCommitRequestTopic, 1> topics;
    topics[0].name = shape_.topic;
    topics[0].topic_id = topic_id_;
    topics[0].partitions = partitions;
    OffsetCommitRequest request;
    request.group_id = shape_.group;
    request.generation_id_or_member_epoch = said.epoch;
    request.member_id = member_id_;
    request.group_instance_id = instance();
    request.topics = topics;
    const auto answer = co_await link_.call<protocol::OffsetCommitResponse>(
        request, commits_by_id_ ? kCommitById : kCommitByName);
    if (!answer || answer->topics.empty()) co_return false;
    bool is_done = true;
    for (const auto& one : answer->topics[0].partitions) {
        if (is_refused(one.error_code, "a commit")) {
            is_done = false;
        } else if (const auto step = steps.find(one.partition_index); step != steps.end()) {
            seen().partitions[one.partition_index].commits[step->second].done = link_.now();
        }
    }
    co_return is_done;
}

}  // namespace milena::sim
