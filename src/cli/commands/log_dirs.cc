// SPDX-License-Identifier: Apache-2.0
// milena log-dirs, kafka-log-dirs.sh: the log directories of brokers and what lies in them, as
// JSON.
#include <charconv>
#include <set>

#include <fmt/ranges.h>

#include "cluster/connect_options.h"
#include "cluster/offsets.h"
#include "command_files.h"
#include "console.h"
#include "milena/protocol/messages/describe_log_dirs.h"
#include "text/exceptions.h"
#include "text/hash_order.h"
#include "text/table.h"

namespace milena::cli {
namespace {

using protocol::DescribeLogDirsRequest;
using protocol::DescribeLogDirsResponse;

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        if (comma != 0) parts.emplace_back(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return parts;
}

/// The replicas of a directory, of the topics that are asked for, in the tool's order.
std::string replicas_text(const DescribeLogDirsResponse::DescribeLogDirsResult& directory,
                          const std::vector<std::string>& topics) {
    std::vector<std::string> texts;
    std::vector<std::int32_t> hashes;
    for (const auto& topic : directory.topics) {
        const bool is_wanted =
            topics.empty() || std::ranges::find(topics, topic.name) != topics.end();
        for (const auto& partition : topic.partitions) {
            if (!is_wanted) continue;
            hashes.push_back(java_hash(topic.name, partition.partition_index));
            texts.push_back(
                fmt::format(R"({{"partition":"{}-{}","size":{},"offsetLag":{},"isFuture":{}}})",
                            topic.name, partition.partition_index, partition.partition_size,
                            partition.offset_lag, partition.is_future_key));
        }
    }
    std::vector<std::string> ordered;
    for (const std::size_t at : hash_order(hashes, kHashMapCapacity)) ordered.push_back(texts[at]);
    return fmt::format("{}", fmt::join(ordered, ","));
}

std::string broker_text(BrokerId id, const DescribeLogDirsResponse& answer,
                        const std::vector<std::string>& topics) {
    std::vector<std::string_view> paths;
    for (const auto& directory : answer.results) paths.push_back(directory.log_dir);
    std::vector<std::string> directories;
    for (const std::size_t at : hash_order(paths)) {
        const auto& directory = answer.results[at];
        const auto code = static_cast<ErrorCode>(directory.error_code);
        directories.push_back(fmt::format(
            R"({{"partitions":[{}],"error":{},"logDir":{}}})", replicas_text(directory, topics),
            code == ErrorCode::none ? "null" : json_string(exception_class(code)),
            json_string(directory.log_dir)));
    }
    return fmt::format(R"({{"broker":{},"logDirs":[{}]}})", id, fmt::join(directories, ","));
}

using Ids = std::vector<std::int32_t>;

Ids picked(const Ids& ids, const std::vector<std::size_t>& order) {
    Ids ordered;
    for (const std::size_t at : order) ordered.push_back(ids[at]);
    return ordered;
}

/// As the tool lists a set of brokers.
std::string listed(const std::set<std::int32_t>& brokers) {
    const Ids ids(brokers.begin(), brokers.end());
    return fmt::format("{}", fmt::join(picked(ids, hash_order(ids, kHashMapCapacity)), ","));
}

/// The brokers that are asked for; an error names those that are not there.
Result<std::set<std::int32_t>> chosen_brokers(const wire::Client& client,
                                              const std::vector<std::string>& wanted) {
    std::set<std::int32_t> existing;
    for (const auto& [id, node] : client.nodes()) existing.insert(id.value);
    std::set<std::int32_t> chosen;
    std::set<std::int32_t> missing;
    for (const std::string& text : wanted) {
        std::int32_t id = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
        if (error != std::errc() || end != text.data() + text.size())
            return refuse(fmt::format("For input string: \"{}\"", text));
        (existing.contains(id) ? chosen : missing).insert(id);
    }
    if (!missing.empty()) {
        return refuse(
            fmt::format("ERROR: The given brokers do not exist from --broker-list: {}. "
                        "Current existent brokers: {}",
                        listed(missing), listed(existing)));
    }
    return wanted.empty() ? existing : chosen;
}

env::Task<Result<void>> describe(Session& session, const std::vector<std::string>& brokers,
                                 const std::vector<std::string>& topics) {
    CO_TRY_VOID(co_await session.client().refresh_nodes());
    CO_TRY(const auto chosen, chosen_brokers(session.client(), brokers));
    print("Querying brokers for log directories information\n");
    std::vector<std::string> texts;
    const Ids ids(chosen.begin(), chosen.end());
    // The answers are in a map of just this size.
    for (const std::int32_t id : picked(ids, hash_order(ids, ids.size()))) {
        DescribeLogDirsRequest request;
        request.topics = std::nullopt;
        CO_TRY(const auto answer, co_await session.ask<DescribeLogDirsResponse>(
                                      wire::Target::broker(BrokerId(id)), request));
        if (answer->error_code != 0)
            co_return std::unexpected(answered_error(answer->error_code, ""));
        texts.push_back(broker_text(BrokerId(id), *answer, topics));
    }
    print(fmt::format("Received log directory information from brokers {}\n", listed(chosen)));
    print(fmt::format(R"({{"brokers":[{}],"version":1}})", fmt::join(texts, ",")) + "\n");
    co_return ok();
}

int run(const Arguments& arguments) {
    Parser parser("log-dirs",
                  "This tool helps to query log directory usage on the specified brokers.");
    const AdminOptions cluster(parser);
    const Option& describe_option = parser.flag("describe", "Describe the log directories.");
    const Option& topics = parser.option("topic-list", "Topics; all by default.");
    const Option& brokers = parser.option("broker-list", "Ids of brokers; all by default.");
    parser.required(cluster.brokers);
    parser.required(describe_option);
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    const auto topic_list = split(topics.text());
    const auto broker_list = split(brokers.text());
    const auto done = in_session(cluster.connect(), [&](Session& session) {
        return describe(session, broker_list, topic_list);
    });
    if (done) return kExitOk;
    print_error(done.error().why + "\n");
    return kExitFailed;
}

}  // namespace

Command command_log_dirs() {
    return {.about = "The log directories of brokers, as JSON", .run = run};
}

}  // namespace milena::cli
