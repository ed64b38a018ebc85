// SPDX-License-Identifier: Apache-2.0
// One ConsumerGroupHeartbeat of a consumer, with what its request views.
#pragma once

#include <array>
#include <vector>

#include "sim/workload/consumer.h"

namespace milena::sim {

inline constexpr std::int16_t kConsumerVersion = 1;
/// As long as a session at least, as Holds wants it.
inline constexpr env::Duration kConsumerRebalanceTimeout = std::chrono::seconds(4);

class Consumer::Frame {
public:
    using Request = protocol::ConsumerGroupHeartbeatRequest;

    /// Leaves with an epoch below 0. The consumer outlives it.
    Frame(const Consumer& of, const Said& said) : names_{of.shape_.topic}, pattern_("wo.k") {
        request_.group_id = of.shape_.group;
        request_.member_id = of.member_id_;
        request_.member_epoch = said.epoch;
        request_.instance_id = of.instance();
        if (said.is_whole) say_all(of);
        if (said.owned) say_owned(of, *said.owned);
    }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    const Request& request() const { return request_; }

private:
    void say_all(const Consumer& of) {
        request_.rebalance_timeout_ms =
            static_cast<std::int32_t>(kConsumerRebalanceTimeout / std::chrono::milliseconds(1));
        if (of.is_by_regex_) {
            request_.subscribed_topic_regex = std::string_view(pattern_);
        } else {
            request_.subscribed_topic_names = names_;
        }
        if (!of.assignor_.empty()) request_.server_assignor = std::string_view(of.assignor_);
    }
    void say_owned(const Consumer& of, const Partitions& owned) {
        indexes_.assign(owned.begin(), owned.end());
        topics_[0].topic_id = of.topic_id_;
        topics_[0].partitions = indexes_;
        request_.topic_partitions = std::span(topics_).first(owned.empty() ? 0 : 1);
    }

    std::array<std::string_view, 1> names_;
    std::string pattern_;
    std::vector<std::int32_t> indexes_;
    std::array<Request::TopicPartitions, 1> topics_;
    Request request_;
};

}  // namespace milena::sim
