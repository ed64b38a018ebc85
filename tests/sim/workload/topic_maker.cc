// SPDX-License-Identifier: Apache-2.0
// A step whose answer is an error that means "perhaps" (a timeout, no controller) is as good as one
// without an answer.
#include "sim/workload/topic_maker.h"

#include <array>

#include "milena/protocol/messages/create_topics.h"
#include "milena/protocol/messages/delete_topics.h"
#include "milena/protocol/messages/metadata.h"

namespace milena::sim {
namespace {

constexpr std::int32_t kTimeoutMs = 5'000;
constexpr std::int32_t kSegmentBytes = 1 << 20;
constexpr env::Duration kPauseMax = std::chrono::milliseconds(300);
constexpr std::array kKinds{"created", "deleted", "described"};
constexpr double kOtherBrokerChance = 0.3;

}  // namespace

bool TopicMaker::is_answer(std::int16_t code, ErrorCode other) {
    const auto error = static_cast<ErrorCode>(code);
    if (error == ErrorCode::none || error == other) return true;
    // The only server there is may be about to stop; another may lead.
    const bool may_be = error == ErrorCode::invalid_replication_factor ||
                        error == ErrorCode::not_controller || may_be_refused_with(error);
    if (!may_be) link_.complain("I14", fmt::format("{}: {}", topic_, error_name(error)));
    return false;
}

template <class Result>
TopicStep TopicMaker::answered(TopicStep::Kind kind, const Result& result, ErrorCode other) {
    TopicStep done = step(kind);
    done.is_answered = is_answer(result.error_code, other);
    if (result.error_code == 0) done.id = result.topic_id;
    if (kind == TopicStep::Kind::described) return done;
    done.server = link_.server();
    done.offset = offsets_.committed_end() - 1;
    if (!done.is_answered) link_.drop();  // another server may take the next one
    return done;
}

env::Task<void> TopicMaker::run() {
    Node& machine = link_.machine();
    while (!is_finishing_) {
        co_await take_a_step();
        co_await machine.sleep(machine.core(0), random_.between(env::Duration(0), kPauseMax));
    }
}

env::Task<void> TopicMaker::take_a_step() {
    const std::uint64_t drawn = random_.below(4);
    Link& link = drawn < 2 ? link_ : view_;
    if (co_await link.ready(nullptr) == nullptr) co_return;
    TopicStep done;
    switch (drawn) {
        case 0: done = co_await create({.segment_bytes = kSegmentBytes}); break;
        case 1: done = co_await remove(); break;
        default: done = co_await describe();
    }
    LOG_INFO(log_, "topic step", kv("kind", kKinds[static_cast<std::size_t>(done.kind)]),
             kv("answered", done.is_answered), kv("id", done.id ? done.id->text() : "none"),
             kv("offset", done.offset), kv("server", done.server));
    if (drawn < 2 && !done.is_answered) {
        const std::string stem = topic_.substr(0, topic_.find('-'));
        topic_ = fmt::format("{}-{}", stem, ++topics_);
    }
    history_.topics.push_back(std::move(done));
    // Any broker may be asked the next time.
    if (drawn >= 2 && random_.chance(kOtherBrokerChance)) view_.drop();
}

env::Task<void> TopicMaker::watch() {
    env::spawn(view_.machine().core(0), view_.watch());
    return link_.watch();
}

env::Task<void> TopicMaker::make(const TopicShape& shape) {
    Node& machine = link_.machine();
    for (;;) {
        if (co_await link_.ready(nullptr) != nullptr) {
            const TopicStep done = co_await create(shape);
            if (done.is_answered) co_return;
        }
        co_await machine.sleep(machine.core(0), kPauseMax);
    }
}

env::Task<TopicStep> TopicMaker::create(const TopicShape& shape) {
    protocol::CreateTopicsRequest request;
    std::array<protocol::CreateTopicsRequest::CreatableTopic, 1> topics;
    topics[0].name = topic_;
    topics[0].num_partitions = shape.partitions;
    topics[0].replication_factor = shape.replicas;
    // segment.bytes does not go below 1 MiB: no run would come to its second segment.
    std::array<protocol::CreateTopicsRequest::CreatableTopicConfig, 2> configs;
    const std::string bytes = std::to_string(shape.segment_bytes);
    configs[0].name = "internal.segment.bytes";
    configs[0].value = bytes;
    const std::string in_sync = std::to_string(std::max(1, shape.replicas - 1));
    configs[1].name = "min.insync.replicas";
    configs[1].value = in_sync;
    topics[0].configs = configs;
    request.topics = topics;
    request.timeout_ms = kTimeoutMs;
    const auto response = co_await link_.call<protocol::CreateTopicsResponse>(request, 7);
    if (!response) co_return step(TopicStep::Kind::created);
    co_return answered(TopicStep::Kind::created, response->topics[0],
                       ErrorCode::topic_already_exists);
}

env::Task<TopicStep> TopicMaker::remove() {
    protocol::DeleteTopicsRequest request;
    std::array<protocol::DeleteTopicsRequest::DeleteTopicState, 1> topics;
    topics[0].name = topic_;
    request.topics = topics;
    request.timeout_ms = kTimeoutMs;
    const auto response = co_await link_.call<protocol::DeleteTopicsResponse>(request, 6);
    if (!response) co_return step(TopicStep::Kind::deleted);
    co_return answered(TopicStep::Kind::deleted, response->responses[0],
                       ErrorCode::unknown_topic_or_partition);
}

env::Task<TopicStep> TopicMaker::describe() {
    protocol::MetadataRequest request;
    std::array<protocol::MetadataRequest::MetadataRequestTopic, 1> topics;
    topics[0].name = topic_;
    request.topics = topics;
    request.allow_auto_topic_creation = false;
    const std::string server = view_.server();
    const std::int64_t offset = offsets_.served(server);
    const auto response = co_await view_.call<protocol::MetadataResponse>(request, 12);
    if (!response) co_return step(TopicStep::Kind::described);
    TopicStep done = answered(TopicStep::Kind::described, response->topics[0],
                              ErrorCode::unknown_topic_or_partition);
    done.offset = offset;
    done.server = server;
    co_return done;
}

}  // namespace milena::sim
