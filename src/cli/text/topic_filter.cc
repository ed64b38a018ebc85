// SPDX-License-Identifier: Apache-2.0
// The tools' regular expressions over topic names.
#include "text/topic_filter.h"

#include <regex>

#include <fmt/format.h>

#include "text/exceptions.h"

namespace milena::cli {

struct TopicFilter::Pattern {
    std::regex regex;
};

Result<TopicFilter> TopicFilter::parse(std::string_view text) {
    std::string cleaned;
    for (const char c : text) {
        if (c == ',') {
            cleaned += '|';
        } else if (c != ' ') {
            cleaned += c;
        }
    }
    const std::size_t first = cleaned.find_first_not_of("\"'");
    const std::size_t last = cleaned.find_last_not_of("\"'");
    cleaned = first == std::string::npos ? "" : cleaned.substr(first, last - first + 1);
    TopicFilter filter;
    try {
        filter.pattern_ = std::make_shared<Pattern>(std::regex(cleaned));
    } catch (const std::regex_error&) {
        return refuse(fmt::format("{} is an invalid regex.", text));
    }
    return filter;
}

bool TopicFilter::allows(std::string_view topic) const {
    return std::regex_match(topic.begin(), topic.end(), pattern_->regex);
}

bool is_internal_topic(std::string_view topic) {
    return topic == "__consumer_offsets" || topic == "__transaction_state" ||
           topic == "__share_group_state";
}

}  // namespace milena::cli
