// SPDX-License-Identifier: Apache-2.0
// DescribeTopicPartitions: topics in the order of their names, page by page (KIP-966), so that no
// answer is larger than max.request.partition.size.limit partitions, however many there are.
#include "milena/protocol/messages/describe_topic_partitions.h"

#include <algorithm>
#include <set>

#include "milena/controller/topic_names.h"

#include "../api.h"
#include "../image/describing.h"
#include "../topics.h"

namespace milena::server {
namespace {

using protocol::DescribeTopicPartitionsRequest;
using protocol::DescribeTopicPartitionsResponse;
using DescribedTopic = DescribeTopicPartitionsResponse::DescribeTopicPartitionsResponseTopic;
using DescribedPartition =
    DescribeTopicPartitionsResponse::DescribeTopicPartitionsResponsePartition;
using security::Operation;

/// Fills one answer from one image, which outlives it.
class Page {
public:
    Page(Request& request, const metadata::Image& image, std::size_t partitions_max)
        : request_(request), image_(image), left_(partitions_max) {}

    /// The topic's partitions from `first` on. False if the page ends here.
    bool add(const metadata::TopicImage& topic, std::int32_t first) {
        if (is_full(topic.name)) return false;
        auto begin = topic.partitions.lower_bound(PartitionIndex(first));
        const auto rest = static_cast<std::size_t>(
            std::max<std::int64_t>(0, static_cast<std::int64_t>(topic.partitions.size()) - first));
        auto partitions = request_.arena.make_array<DescribedPartition>(std::min(rest, left_));
        for (auto& out : partitions) {
            describe(begin->first, begin->second, out);
            ++begin;
        }
        DescribedTopic out = head(topic.name, ErrorCode::none);
        out.topic_id = topic.id;
        out.partitions = partitions;
        topics_.push_back(out);
        left_ -= partitions.size();
        if (partitions.size() == rest) return true;
        end_at(topic.name, begin->first.value);
        return false;
    }

    /// A topic that is not there. False if the page ends here.
    bool add_missing(std::string_view name) {
        if (is_full(name)) return false;
        topics_.push_back(head(name, controller::check_topic_name(name)
                                         ? ErrorCode::unknown_topic_or_partition
                                         : ErrorCode::invalid_topic_exception));
        return true;
    }

    /// Not a word about whether it is there.
    void add_denied(std::string_view name) {
        DescribedTopic out;
        out.error_code = static_cast<std::int16_t>(ErrorCode::topic_authorization_failed);
        out.name = name;
        topics_.push_back(out);
    }

    Result<void> answer_it() {
        response_.topics = topics_;
        return answer(request_, response_);
    }

private:
    /// Then the next page begins with `next`.
    bool is_full(std::string_view next) {
        if (left_ > 0) return false;
        end_at(next, 0);
        return true;
    }

    void end_at(std::string_view topic, std::int32_t partition) {
        auto& cursor = response_.next_cursor.emplace();
        cursor.topic_name = topic;
        cursor.partition_index = partition;
    }

    DescribedTopic head(std::string_view name, ErrorCode code) const {
        DescribedTopic out;
        out.error_code = static_cast<std::int16_t>(code);
        out.name = name;
        out.is_internal = is_internal_topic(name);
        out.topic_authorized_operations = topic_operations(request_, name);
        return out;
    }

    void describe(PartitionIndex index, const metadata::PartitionRegistration& partition,
                  DescribedPartition& out) {
        const ErrorCode error = leader_error(image_, partition, request_.session.listener().name);
        out.error_code = static_cast<std::int16_t>(error);
        out.partition_index = index.value;
        out.leader_id = (error == ErrorCode::none ? partition.leader : kNoBroker).value;
        out.leader_epoch = partition.leader_epoch.value;
        out.replica_nodes = numbers(partition.replicas);
        out.isr_nodes = numbers(partition.in_sync_replicas);
        out.eligible_leader_replicas = numbers(partition.eligible_leader_replicas);
        out.last_known_elr = numbers(partition.last_known_eligible_leader_replicas);
        out.offline_replicas = offline_replicas(image_, partition.replicas, request_.arena);
    }

    Request& request_;
    const metadata::Image& image_;
    std::size_t left_;
    std::vector<DescribedTopic> topics_;
    DescribeTopicPartitionsResponse response_;
};

bool may_describe(const Request& request, std::string_view topic) {
    return request.session.may(Operation::describe, security::ResourceType::topic, topic);
}

/// Where this page begins.
struct Start {
    std::string_view topic;
    std::int32_t partition = 0;

    std::int32_t first_of(std::string_view name) const { return name == topic ? partition : 0; }
};

/// The names that are asked for, from the cursor's on, each once.
std::set<std::string_view> names(const DescribeTopicPartitionsRequest& body, const Start& start) {
    std::set<std::string_view> all;
    for (const auto& topic : body.topics) {
        if (topic.name >= start.topic) all.insert(topic.name);
    }
    return all;
}

void add_all(const Request& request, const metadata::Image& image, const Start& start, Page& page) {
    const auto& by_name = image.topics->by_name;
    for (auto at = by_name.lower_bound(start.topic); at != by_name.end(); ++at) {
        if (!may_describe(request, at->first)) continue;
        if (!page.add(*image.topics->find(at->second), start.first_of(at->first))) return;
    }
}

void add_asked(const Request& request, const metadata::Image& image,
               const std::set<std::string_view>& asked, const Start& start, Page& page) {
    std::vector<std::string_view> denied;
    bool goes_on = true;
    for (const std::string_view name : asked) {
        if (!may_describe(request, name)) {
            denied.push_back(name);
        } else if (goes_on) {
            const auto topic = image.topics->find(name);
            goes_on = topic ? page.add(*topic, start.first_of(name)) : page.add_missing(name);
        }
    }
    for (const std::string_view name : denied) page.add_denied(name);
}

/// The answer to a cursor that points nowhere.
Result<void> answer_invalid(Request& request, const DescribeTopicPartitionsRequest& body) {
    auto topics = request.arena.make_array<DescribedTopic>(body.topics.size());
    for (std::size_t i = 0; i < topics.size(); ++i) {
        topics[i].error_code = static_cast<std::int16_t>(ErrorCode::invalid_request);
        topics[i].name = body.topics[i].name;
    }
    DescribeTopicPartitionsResponse response;
    response.topics = topics;
    return answer(request, response);
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<DescribeTopicPartitionsRequest>(request));
    Start start;
    if (body.cursor) start = {body.cursor->topic_name, body.cursor->partition_index};
    const auto asked = names(body, start);
    const bool is_asked_for = body.topics.empty() || asked.contains(start.topic);
    if (start.partition < 0 || (body.cursor && !is_asked_for))
        co_return answer_invalid(request, body);
    const auto image = request.broker().image.load();
    const std::int32_t limit = std::clamp(body.response_partition_limit, 1,
                                          request.broker().config.request_partitions_max);
    Page page(request, *image, static_cast<std::size_t>(limit));
    if (body.topics.empty()) {
        add_all(request, *image, start, page);
    } else {
        add_asked(request, *image, asked, start, page);
    }
    co_return page.answer_it();
}

}  // namespace

Api api_75() {
    return make_api(protocol::ApiKey::describe_topic_partitions, &serve);
}

}  // namespace milena::server
