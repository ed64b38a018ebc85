// SPDX-License-Identifier: Apache-2.0
// The partitions that kafka-get-offsets is for: a list of topics with partitions or ranges of them,
// or a pattern of topics and a list of partitions.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "text/topic_filter.h"

namespace milena::cli {

class PartitionFilter {
public:
    /// "orders:0,orders:1-3,:5": a topic pattern, and a partition, a range without its end, or
    /// nothing for all.
    static Result<PartitionFilter> of_rules(std::string_view text);
    /// Empty texts are all topics, and all partitions. "0,1" are two.
    static Result<PartitionFilter> of_topic(std::string_view topic, std::string_view partitions);

    bool allows_topic(std::string_view topic) const;
    bool allows(std::string_view topic, std::int32_t partition) const;

private:
    struct Rule {
        TopicFilter topic;
        std::int64_t from = 0;
        std::int64_t to = 0;  ///< the first that is no more in it
    };
    std::vector<Rule> rules_;
};

}  // namespace milena::cli
