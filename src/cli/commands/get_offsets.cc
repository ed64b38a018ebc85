// SPDX-License-Identifier: Apache-2.0
// milena get-offsets, kafka-get-offsets.sh: offsets of partitions, by time.
#include <charconv>

#include "cluster/connect_options.h"
#include "cluster/offsets.h"
#include "cluster/topic_states.h"
#include "command_files.h"
#include "console.h"
#include "text/exceptions.h"
#include "text/partition_filter.h"

namespace milena::cli {
namespace {

struct Options {
    Parser parser{"get-offsets", "An interactive shell for getting topic-partition offsets."};
    const AdminOptions cluster{parser};
    const Option& topic_partitions = parser.option(
        "topic-partitions", "Topic patterns with partitions or ranges: t1:0,t2:1-3,:5.");
    const Option& topic = parser.option("topic", "A pattern of topics.");
    const Option& partitions = parser.option("partitions", "A list of partitions.");
    const Option& time = parser.option(
        "time",
        "A timestamp, or -1 or latest, -2 or earliest, -3 or max-timestamp, -4 or earliest-local, "
        "-5 or latest-tiered, -6 or earliest-pending-upload. Default: latest.");
    const Option& exclude_internal =
        parser.flag("exclude-internal-topics", "Leave internal topics out.");
};

Result<std::int64_t> parse_time(std::string_view text) {
    constexpr std::array kNames{std::pair("latest", kLatest),
                                std::pair("earliest", kEarliest),
                                std::pair("max-timestamp", kMaxTimestamp),
                                std::pair("earliest-local", kEarliestLocal),
                                std::pair("latest-tiered", kLatestTiered),
                                std::pair("earliest-pending-upload", kEarliestPendingUpload)};
    for (const auto& [name, number] : kNames) {
        if (text == name) return number;
    }
    std::int64_t time = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time);
    if (!text.empty() && error == std::errc() && end == text.data() + text.size()) return time;
    return refuse(
        fmt::format("Malformed time argument {}. Please use -1 or latest / -2 or earliest / -3 or "
                    "max-timestamp / -4 or earliest-local / -5 or latest-tiered / -6 or "
                    "earliest-pending-upload, or a specified long format timestamp",
                    text));
}

Result<PartitionFilter> filter_of(const Options& options) {
    if (options.topic_partitions && (options.topic || options.partitions))
        return refuse("--topic-partitions cannot be used with --topic or --partitions");
    if (options.topic_partitions) return PartitionFilter::of_rules(options.topic_partitions.text());
    return PartitionFilter::of_topic(options.topic.text(), options.partitions.text());
}

env::Task<Result<std::vector<TopicPartition>>> chosen(Session& session,
                                                      const PartitionFilter& filter,
                                                      bool with_internal) {
    CO_TRY(auto topics, co_await list_topics(session, with_internal));
    std::erase_if(topics,
                  [&filter](const std::string& topic) { return !filter.allows_topic(topic); });
    CO_TRY(const auto metadata, co_await session.client().refresh(&topics));
    std::vector<TopicPartition> partitions;
    for (const auto& topic : metadata->topics) {
        for (const auto& partition : topic.partitions) {
            const std::string_view name = topic.name.value_or("");
            if (filter.allows(name, partition.partition_index))
                partitions.emplace_back(std::string(name), partition.partition_index);
        }
    }
    std::ranges::sort(partitions);
    if (partitions.empty())
        co_return refuse("Could not match any topic-partitions with the specified filters");
    co_return partitions;
}

env::Task<Result<void>> print_offsets(Session& session, const Options& options) {
    CO_TRY(const auto time, parse_time(options.time.text_or("latest")));
    CO_TRY(const auto filter, filter_of(options));
    CO_TRY(auto partitions, co_await chosen(session, filter, !options.exclude_internal.is_given));
    CO_TRY(const auto offsets, co_await list_offsets(session, std::move(partitions), time));
    for (const auto& [partition, offset] : offsets) {
        if (!offset) {
            print_error(
                fmt::format("Skip getting offsets for topic-partition {} due to error: {}\n",
                            partition.text(), exception_text(offset.error())));
        } else if (*offset >= 0) {
            print(fmt::format("{}:{}:{}\n", partition.topic, partition.partition, *offset));
        }
    }
    co_return ok();
}

int run(const Arguments& arguments) {
    Options options;
    options.parser.required(options.cluster.brokers);
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    const auto done = in_session(options.cluster.connect(), [&options](Session& session) {
        return print_offsets(session, options);
    });
    if (done) return kExitOk;
    print_error(fmt::format("Error occurred: {}\n", done.error().why));
    return kExitFailed;
}

}  // namespace

Command command_get_offsets() {
    return {.about = "Offsets of partitions, by time", .run = run};
}

}  // namespace milena::cli
