// SPDX-License-Identifier: Apache-2.0
// milena delete-records, kafka-delete-records.sh: moves the log start of partitions forward, to the
// offsets that a JSON file names.
#include <nlohmann/json.hpp>

#include "cluster/connect_options.h"
#include "cluster/offsets.h"
#include "command_files.h"
#include "console.h"
#include "milena/protocol/messages/delete_records.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

using protocol::DeleteRecordsRequest;
using protocol::DeleteRecordsResponse;

constexpr std::size_t kFileBytesMax = 64U << 20;
constexpr std::int32_t kTimeoutMs = 30'000;

struct Wanted {
    TopicPartition partition;
    std::int64_t offset = 0;
};

/// {"partitions": [{"topic": "t", "partition": 1, "offset": 1}], "version": 1}
Result<std::vector<Wanted>> parse_offsets(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object())
        return refuse("The input string is not a valid JSON");
    if (!json.contains("partitions") || !json["partitions"].is_array())
        return refuse("Missing partitions field");
    std::vector<Wanted> wanted;
    for (const auto& entry : json["partitions"]) {
        const auto is_number = [&entry](const char* key) {
            return entry.contains(key) && entry[key].is_number_integer();
        };
        if (!entry.is_object() || !entry.contains("topic") || !entry["topic"].is_string() ||
            !is_number("partition") || !is_number("offset")) {
            return refuse("A partition needs a topic, a partition and an offset");
        }
        Wanted one{{entry["topic"].get<std::string>(), entry["partition"].get<std::int32_t>()},
                   entry["offset"].get<std::int64_t>()};
        for (const Wanted& other : wanted) {
            if (other.partition == one.partition) {
                return refuse(
                    fmt::format("Offset json file contains duplicate topic partitions: {}",
                                one.partition.text()));
            }
        }
        wanted.push_back(std::move(one));
    }
    return wanted;
}

/// A request for one partition, which it views.
struct PartitionRequest {
    DeleteRecordsRequest request;
    std::array<DeleteRecordsRequest::DeleteRecordsTopic, 1> topics;
    std::array<DeleteRecordsRequest::DeleteRecordsPartition, 1> partitions;

    explicit PartitionRequest(const Wanted& wanted) {
        partitions[0].partition_index = wanted.partition.partition;
        partitions[0].offset = wanted.offset;
        topics[0].name = wanted.partition.topic;
        topics[0].partitions = partitions;
        request.topics = topics;
        request.timeout_ms = kTimeoutMs;
    }
};

using LowWatermarks = std::vector<std::pair<TopicPartition, Result<std::int64_t>>>;

env::Task<Result<LowWatermarks>> delete_records(Session& session,
                                                const std::vector<Wanted>& wanted) {
    LowWatermarks low_watermarks;
    for (const Wanted& one : wanted) {
        const std::vector<TopicPartition> partition{one.partition};
        const auto leaders = co_await by_leader(session, partition);
        if (!leaders) {
            low_watermarks.emplace_back(one.partition, std::unexpected(leaders.error()));
            continue;
        }
        const PartitionRequest asked(one);
        const auto target = wire::Target::broker(leaders->begin()->first);
        CO_TRY(const auto answer,
               co_await session.ask<DeleteRecordsResponse>(target, asked.request));
        for (const auto& topic : answer->topics) {
            for (const auto& result : topic.partitions) {
                if (result.error_code == 0) {
                    low_watermarks.emplace_back(one.partition, result.low_watermark);
                } else {
                    low_watermarks.emplace_back(
                        one.partition, std::unexpected(answered_error(result.error_code, "")));
                }
            }
        }
    }
    co_return low_watermarks;
}

/// In the order of the file: the order of Kafka's tool changes from run to run.
void print_results(const LowWatermarks& low_watermarks) {
    for (const auto& [partition, low_watermark] : low_watermarks) {
        print(low_watermark ? fmt::format("partition: {}\tlow_watermark: {}\n", partition.text(),
                                          *low_watermark)
                            : fmt::format("partition: {}\terror: {}\n", partition.text(),
                                          exception_text(low_watermark.error())));
    }
}

env::Task<Result<void>> act(Session& session, const std::string& file) {
    CO_TRY(const auto text, env::read_file(session.env().files(), file, kFileBytesMax));
    CO_TRY(const auto wanted, parse_offsets(text));
    print("Executing records delete operation\n");
    CO_TRY(const auto low_watermarks, co_await delete_records(session, wanted));
    print("Records delete operation completed:\n");
    for (const auto& [partition, low_watermark] : low_watermarks) {
        if (low_watermark) continue;
        print_error(log_line(
            "ERROR",
            fmt::format("[AdminClient clientId=adminclient-1] DeleteRecords request for topic "
                        "partition {} failed due to an unexpected error {}",
                        partition.text(), error_name(low_watermark.error().code)),
            "org.apache.kafka.clients.admin.internals.DeleteRecordsHandler"));
    }
    print_results(low_watermarks);
    co_return ok();
}

int run(const Arguments& arguments) {
    Parser parser("delete-records",
                  "This tool helps to delete records of the given partitions down to the specified "
                  "offset.");
    const AdminOptions cluster(parser);
    const Option& file = parser.option(
        "offset-json-file",
        R"({"partitions": [{"topic": "foo", "partition": 1, "offset": 1}], "version": 1})");
    parser.required(file);
    parser.required(cluster.brokers);
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    const std::string path(file.text());
    const auto done =
        in_session(cluster.connect(), [&path](Session& session) { return act(session, path); });
    if (done) return kExitOk;
    const bool is_of_file = done.error().code == ErrorCode::kafka_storage_error;
    print_error(is_of_file ? fmt::format("Unable to read file {}\n", path)
                           : done.error().why + "\n");
    return kExitFailed;
}

}  // namespace

Command command_delete_records() {
    return {.about = "Move the log start of partitions forward", .run = run};
}

}  // namespace milena::cli
