// SPDX-License-Identifier: Apache-2.0
// Answers and records as lines of a script.
#pragma once

#include <functional>
#include <string>

#include "host.h"

namespace milena::coordinator::test {

/// The short name of a member's id.
using NameOf = std::function<std::string(const std::string&)>;

/// The name of a topic.
using TopicOf = std::function<std::string(Uuid)>;

std::string told_text(const Told& told, const NameOf& name_of, const TopicOf& topic_of);
std::string record_text(const Record& record, const NameOf& name_of, const TopicOf& topic_of);

// What operators are told.
std::string event_text(const GroupEvent& event, const NameOf& name_of);
std::string facts_text(const GroupFacts& facts, const NameOf& name_of);

// Of consumer groups.
std::string text_of(const ConsumerHeartbeatReply& reply, const TopicOf& topic_of);
std::string text_of(const DescribeConsumerGroupReply& reply, const NameOf& name_of,
                    const TopicOf& topic_of);
std::string consumer_record_text(const Record& record, const NameOf& name_of,
                                 const TopicOf& topic_of);

}  // namespace milena::coordinator::test
