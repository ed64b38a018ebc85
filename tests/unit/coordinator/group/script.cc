// SPDX-License-Identifier: Apache-2.0
// Words to requests, one command a line.
#include "script.h"

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "host.h"
#include "messages.h"
#include "script_text.h"

namespace milena::coordinator::test {
namespace {

/// What comes after the command: words, and options as NAME=VALUE.
struct Words {
    explicit Words(std::istringstream in) {
        for (std::string word; in >> word;) {
            const auto equals = word.find('=');
            if (equals == std::string::npos) {
                plain.push_back(word);
            } else {
                options.emplace_back(word.substr(0, equals), word.substr(equals + 1));
            }
        }
    }

    std::optional<std::string> option(std::string_view name) const {
        for (const auto& [key, value] : options) {
            if (key == name) return value;
        }
        return std::nullopt;
    }
    int number(std::string_view name, int otherwise) const {
        const auto value = option(name);
        return value ? std::stoi(*value) : otherwise;
    }
    bool has(std::string_view word) const { return std::ranges::find(plain, word) != plain.end(); }
    std::string at(std::size_t index) const { return index < plain.size() ? plain[index] : ""; }

    std::vector<std::string> plain;
    std::vector<std::pair<std::string, std::string>> options;
};

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, at);) parts.push_back(part);
    return parts;
}

/// "topic:3"
std::pair<std::string, PartitionIndex> partition_of(const std::string& text) {
    const auto parts = split(text, ':');
    return {parts.at(0), PartitionIndex(std::stoi(parts.at(1)))};
}

ErrorCode code_of(const std::string& name) {
    for (std::int16_t number = -1; number < 200; ++number) {
        if (error_name(static_cast<ErrorCode>(number)) == name)
            return static_cast<ErrorCode>(number);
    }
    ADD_FAILURE() << "no such code: " << name;
    return ErrorCode::none;
}

class Runner {
public:
    std::string run(std::istringstream in) {
        std::string command;
        in >> command;
        const Words words(std::move(in));
        if (command == "options") {
            make_host(words);
            return {};
        }
        if (host_ == nullptr) host_ = std::make_unique<Host>();
        if (!on_host(command, words)) {
            const auto request = request_of(command, words);
            if (request) host_->ask(*request);
        }
        return news();
    }

private:
    void make_host(const Words& words) {
        printed_ = 0;
        names_.clear();
        ids_.clear();
        counts_.clear();
        GroupOptions options;
        options.group_min_session_timeout_ms = words.number("min-session", 6000);
        options.group_max_session_timeout_ms = words.number("max-session", 1'800'000);
        options.group_initial_rebalance_delay_ms = words.number("delay", 3000);
        options.group_max_size = words.number("size", INT32_MAX);
        options.group_rebalance_damping_ms = words.number("damping", 0);
        options.offset_metadata_max_bytes = words.number("metadata", 4096);
        options.offsets_retention_ms = words.number("retention", 600'000);
        options.consumer.max_size = words.number("consumer-size", INT32_MAX);
        options.consumer.may_upgrade = !words.has("no-upgrade");
        options.consumer.may_downgrade = !words.has("no-downgrade");
        host_ = std::make_unique<Host>(options);
        prints_events_ = words.has("events");
    }

    bool on_host(const std::string& command, const Words& words) {
        if (command == "time") {
            host_->advance_ms(std::stoi(words.at(0)));
        } else if (command == "hold") {
            host_->hold();
        } else if (command == "release") {
            host_->release();
        } else if (command == "fail") {
            host_->fail_next_append(code_of(words.at(0)));
        } else if (command == "store") {
            host_->store();
        } else if (command == "take-over") {
            host_->take_over();
        } else if (command == "expire") {
            host_->expire();
        } else if (command == "topic") {
            host_->set_topic(words.at(0), std::stoi(words.at(1)),
                             split(words.option("racks").value_or(""), ','));
        } else if (command == "group") {
            host_->set_group(words.at(0),
                             {.session_timeout_ms = words.number("session", 45'000),
                              .heartbeat_interval_ms = words.number("heartbeat", 5'000),
                              .assignment_interval_ms = words.number("interval", 1'000)});
        } else if (command == "hold-work") {
            host_->hold_work();
        } else if (command == "work") {
            host_->do_work();
        } else if (command == "gone") {
            host_->forget_topics({.topics = {{words.at(0), {}}}});
        } else {
            return false;
        }
        return true;
    }

    std::optional<GroupRequest> request_of(const std::string& command, const Words& words) {
        if (command == "join") return join(words);
        if (command == "sync") return sync(words);
        if (command == "heartbeat") return heartbeat(words);
        if (command == "leave") return leave(words);
        if (command == "commit") return commit(words);
        if (command == "fetch") return fetch(words);
        if (command == "forget") return forget(words);
        if (command == "beat") return beat(words);
        if (command == "epochs") return DescribeConsumerGroupRequest{words.at(0)};
        if (command == "describe") return DescribeGroupRequest{words.at(0)};
        if (command == "facts") return DescribeGroupRequest{words.at(0), true};
        if (command == "consumer-facts") return DescribeConsumerGroupRequest{words.at(0), true};
        if (command == "delete") return DeleteGroupRequest{words.at(0)};
        if (command == "list") {
            return ListGroupsRequest{.states = split(words.option("states").value_or(""), ','),
                                     .types = split(words.option("types").value_or(""), ',')};
        }
        ADD_FAILURE() << "no such command: " << command;
        return std::nullopt;
    }

    GroupRequest join(const Words& words) const {
        JoinRequest request = join_request(words.at(0), words.at(1));
        request.member_id = id_of(words.option("as").value_or(""));
        request.reason = words.option("reason").value_or("");
        request.instance_id = words.option("instance");
        request.protocol_type = words.option("type").value_or("consumer");
        request.protocols.clear();
        const auto topics = split(words.option("topics").value_or("t"), ',');
        for (const auto& name : split(words.option("protocols").value_or("range"), ','))
            request.protocols.push_back({name, subscription(topics)});
        request.session_timeout_ms = words.number("session", 10'000);
        request.rebalance_timeout_ms = words.number("rebalance", 60'000);
        request.must_know_its_id = !words.has("old");
        request.can_skip_assignment = words.has("skip");
        return request;
    }

    GroupRequest sync(const Words& words) const {
        SyncRequest request;
        request.group = words.at(0);
        request.member_id = id_of(words.at(1));
        request.generation = std::stoi(words.at(2));
        request.instance_id = words.option("instance");
        request.protocol_name = words.option("protocol");
        for (const auto& [name, value] : words.options) {
            if (name.find('#') != std::string::npos)
                request.assignments.push_back({id_of(name), assignment(value)});
        }
        return request;
    }

    /// "@t:0,t:1" as consumers would write it; else the text itself.
    Bytes assignment(const std::string& text) const {
        if (!text.starts_with('@')) return bytes(text);
        return host_->assignment(partitions(text.substr(1)));
    }

    GroupRequest heartbeat(const Words& words) const {
        HeartbeatRequest request;
        request.group = words.at(0);
        request.member_id = id_of(words.at(1));
        request.generation = std::stoi(words.at(2));
        request.instance_id = words.option("instance");
        return request;
    }

    /// A joining member says all of itself, whatever the line says of it.
    GroupRequest beat(const Words& words) const {
        ConsumerHeartbeatRequest request;
        request.group = words.at(0);
        request.member_id = id_of(words.at(1));
        request.member_epoch = std::stoi(words.at(2));
        request.instance_id = words.option("instance");
        request.rack_id = words.option("rack");
        request.assignor = words.option("assignor");
        request.regex = words.option("regex");
        if (const auto topics = words.option("topics")) request.topics = split(*topics, ',');
        request.rebalance_timeout_ms =
            words.number("rebalance", request.member_epoch == 0 ? 60'000 : -1);
        if (request.member_epoch == 0) request.owned.emplace();
        if (const auto owned = words.option("owned")) request.owned = partitions(*owned);
        request.client_id = "c";
        request.client_host = "/h";
        return request;
    }

    /// "t:0,t:1"; nothing is none.
    std::vector<TopicPartitions> partitions(const std::string& text) const {
        std::vector<TopicPartitions> out;
        for (const std::string& one : split(text, ',')) {
            const auto [topic, index] = partition_of(one);
            out.push_back({host_->topic_id(topic), {index}});
        }
        return out;
    }

    GroupRequest leave(const Words& words) const {
        LeaveRequest request;
        request.group = words.at(0);
        for (std::size_t i = 1; i < words.plain.size(); ++i) {
            auto& member = request.members.emplace_back();
            if (words.at(i).starts_with("i:")) {
                member.instance_id = words.at(i).substr(2);
            } else {
                member.member_id = id_of(words.at(i));
            }
        }
        return request;
    }

    GroupRequest commit(const Words& words) const {
        CommitRequest request;
        request.group = words.at(0);
        if (words.at(1) != "-") request.member_id = id_of(words.at(1));
        request.generation_or_epoch = std::stoi(words.at(2));
        request.instance_id = words.option("instance");
        request.retention_ms = words.number("keep", -1);
        for (const auto& [name, value] : words.options) {
            if (name.find(':') == std::string::npos) continue;
            const auto [topic, partition] = partition_of(name);
            const auto parts = split(value, ',');
            auto& one = request.topics.emplace_back();
            one.name = topic;
            one.id = host_->topic_id(topic);
            auto& part = one.partitions.emplace_back();
            part.partition = partition;
            part.offset = Offset(std::stoi(parts.at(0)));
            if (parts.size() > 1) part.metadata = parts[1];
        }
        return request;
    }

    GroupRequest fetch(const Words& words) const {
        FetchOffsetsRequest request;
        request.group = words.at(0);
        if (const auto member = words.option("as")) request.member_id = id_of(*member);
        request.member_epoch = words.number("epoch", -1);
        for (std::size_t i = 1; i < words.plain.size(); ++i) {
            if (!request.topics) request.topics.emplace();
            const auto [topic, partition] = partition_of(words.at(i));
            auto& one = request.topics->emplace_back();
            one.name = topic;
            one.partitions = {partition};
        }
        return request;
    }

    static GroupRequest forget(const Words& words) {
        DeleteOffsetsRequest request;
        request.group = words.at(0);
        for (std::size_t i = 1; i < words.plain.size(); ++i) {
            const auto [topic, partition] = partition_of(words.at(i));
            request.topics.push_back({topic, {partition}});
        }
        return request;
    }

    std::string news() {
        std::string lines;
        const NameOf name_of = [this](const std::string& id) { return name_for(id); };
        const TopicOf topic_of = [this](Uuid id) { return host_->topic_name(id); };
        for (; printed_ < host_->log().size(); ++printed_)
            lines += record_text(host_->log()[printed_], name_of, topic_of) + "\n";
        for (const GroupEvent& event : host_->take_events()) {
            if (prints_events_) lines += event_text(event, name_of) + "\n";
        }
        for (const Told& told : host_->take_told())
            lines += told_text(told, name_of, topic_of) + "\n";
        return lines;
    }

    /// An id is a name, a dash and 36 characters.
    std::string name_for(const std::string& id) {
        constexpr std::size_t kTail = 37;
        if (id.size() <= kTail) return id;
        if (const auto known = names_.find(id); known != names_.end()) return known->second;
        const std::string begin = id.substr(0, id.size() - kTail);
        std::string name = fmt::format("{}#{}", begin, ++counts_[begin]);
        ids_.emplace(name, id);
        return names_.emplace(id, std::move(name)).first->second;
    }
    std::string id_of(const std::string& name) const {
        const auto known = ids_.find(name);
        return known == ids_.end() ? name : known->second;
    }

    std::unique_ptr<Host> host_;
    bool prints_events_ = false;
    std::size_t printed_ = 0;
    std::map<std::string, std::string> names_;
    std::map<std::string, std::string> ids_;
    std::map<std::string, int> counts_;
};

}  // namespace

std::string run_script(const std::string& script) {
    Runner runner;
    std::string real;
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("> ")) {
            real += line + "\n" + runner.run(std::istringstream(line.substr(2)));
        } else if (line.empty() || line.starts_with("#")) {
            real += line + "\n";
        }
    }
    return real;
}

}  // namespace milena::coordinator::test
