// SPDX-License-Identifier: Apache-2.0
// Most classes are called as their code is; the table has those that are not.
#include "text/exceptions.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace milena::cli {
namespace {

constexpr std::string_view kPackage = "org.apache.kafka.common.errors.";

// Codes that no server answers with.
constexpr auto kCommandRefused = static_cast<ErrorCode>(-1001);
constexpr auto kOperationRefused = static_cast<ErrorCode>(-1002);
constexpr auto kFieldRefused = static_cast<ErrorCode>(-1003);
constexpr auto kFileRefused = static_cast<ErrorCode>(-1004);

constexpr std::string_view kUnreadable = "Unable to read file ";

struct OtherName {
    ErrorCode code;
    std::string_view name;
};

constexpr auto kOtherNames = std::to_array<OtherName>({
    {ErrorCode::unknown_server_error, "UnknownServerException"},
    {ErrorCode::corrupt_message, "CorruptRecordException"},
    {ErrorCode::request_timed_out, "TimeoutException"},
    {ErrorCode::message_too_large, "RecordTooLargeException"},
    {ErrorCode::stale_controller_epoch, "ControllerMovedException"},
    {ErrorCode::offset_metadata_too_large, "OffsetMetadataTooLarge"},
    {ErrorCode::record_list_too_large, "RecordBatchTooLargeException"},
    {ErrorCode::topic_authorization_failed, "TopicAuthorizationException"},
    {ErrorCode::group_authorization_failed, "GroupAuthorizationException"},
    {ErrorCode::cluster_authorization_failed, "ClusterAuthorizationException"},
    {ErrorCode::topic_already_exists, "TopicExistsException"},
    {ErrorCode::invalid_config, "InvalidConfigurationException"},
    {ErrorCode::out_of_order_sequence_number, "OutOfOrderSequenceException"},
    {ErrorCode::duplicate_sequence_number, "DuplicateSequenceException"},
    {ErrorCode::invalid_producer_id_mapping, "InvalidPidMappingException"},
    {ErrorCode::invalid_transaction_timeout, "InvalidTxnTimeoutException"},
    {ErrorCode::transactional_id_authorization_failed, "TransactionalIdAuthorizationException"},
    {ErrorCode::kafka_storage_error, "KafkaStorageException"},
    {ErrorCode::sasl_authentication_failed, "SaslAuthenticationException"},
    {ErrorCode::delegation_token_auth_disabled, "DelegationTokenDisabledException"},
    {ErrorCode::delegation_token_request_not_allowed, "UnsupportedByAuthenticationException"},
    {ErrorCode::delegation_token_authorization_failed, "DelegationTokenAuthorizationException"},
    {ErrorCode::non_empty_group, "GroupNotEmptyException"},
    {ErrorCode::principal_deserialization_failure, "PrincipalDeserializationException"},
    {ErrorCode::fetch_session_topic_id_error, "FetchSessionTopicIdException"},
    {ErrorCode::invalid_regular_expression, "InvalidRegularExpression"},
});

/// Of what the tool has refused itself.
bool is_own(ErrorCode code) {
    return code == ErrorCode::none || code == kCommandRefused || code == kOperationRefused ||
           code == kFieldRefused || code == kFileRefused;
}

/// INVALID_PARTITIONS is InvalidPartitionsException.
std::string class_like_code(ErrorCode code) {
    std::string name;
    bool is_first = true;
    for (const char c : error_name(code)) {
        if (c == '_') {
            is_first = true;
            continue;
        }
        name += is_first || (c >= '0' && c <= '9') ? c : static_cast<char>(c - 'A' + 'a');
        is_first = false;
    }
    if (!name.ends_with("Exception")) name += "Exception";
    return name;
}

}  // namespace

std::unexpected<Error> refuse(std::string why) {
    return fail(ErrorCode::none, std::move(why));
}

std::unexpected<Error> refuse_command(std::string why) {
    return fail(kCommandRefused, std::move(why));
}

std::unexpected<Error> refuse_operation(std::string why) {
    return fail(kOperationRefused, std::move(why));
}

std::unexpected<Error> refuse_field(std::string why) {
    return fail(kFieldRefused, std::move(why));
}

std::unexpected<Error> refuse_file(std::string_view path) {
    return fail(kFileRefused, fmt::format("{}{}", kUnreadable, path));
}

std::string exception_class(ErrorCode code) {
    if (code == ErrorCode::none) return "java.lang.IllegalArgumentException";
    if (code == kCommandRefused) return "org.apache.kafka.tools.AdminCommandFailedException";
    if (code == kOperationRefused) return "org.apache.kafka.tools.AdminOperationException";
    if (code == kFileRefused) return "java.io.IOException";
    if (code == kFieldRefused) return "com.fasterxml.jackson.databind.JsonMappingException";
    if (code == ErrorCode::invalid_record) return "org.apache.kafka.common.InvalidRecordException";
    const auto other = std::ranges::find(kOtherNames, code, &OtherName::code);
    if (other != kOtherNames.end()) return fmt::format("{}{}", kPackage, other->name);
    return fmt::format("{}{}", kPackage, class_like_code(code));
}

std::string_view usual_message(ErrorCode code) {
    switch (code) {
        case ErrorCode::unknown_server_error:
            return "The server experienced an unexpected error when processing the request.";
        case ErrorCode::offset_out_of_range:
            return "The requested offset is not within the range of offsets maintained by the "
                   "server.";
        case ErrorCode::unknown_topic_or_partition:
            return "This server does not host this topic-partition.";
        case ErrorCode::leader_not_available:
            return "There is no leader for this topic-partition as we are in the middle of a "
                   "leadership election.";
        case ErrorCode::not_leader_or_follower:
            return "For requests intended only for the leader, this error indicates that the "
                   "broker is not the current leader. For requests intended for any replica, this "
                   "error indicates that the broker is not a replica of the topic partition.";
        case ErrorCode::message_too_large:
            return "The request included a message larger than the max message size the server "
                   "will accept.";
        case ErrorCode::kafka_storage_error:
            return "Disk error when trying to access log file on the disk.";
        case ErrorCode::log_dir_not_found:
            return "The user-specified log directory is not found in the broker config.";
        case ErrorCode::replica_not_available:
            return "The replica is not available for the requested topic-partition. Produce/Fetch "
                   "requests and other requests intended only for the leader or follower return "
                   "NOT_LEADER_OR_FOLLOWER if the broker is not a replica of the topic-partition.";
        case ErrorCode::preferred_leader_not_available:
            return "The preferred leader was not available.";
        case ErrorCode::eligible_leaders_not_available:
            return "Eligible topic partition leaders are not available.";
        case ErrorCode::policy_violation:
            return "Request parameters do not satisfy the configured policy.";
        case ErrorCode::coordinator_load_in_progress:
            return "The coordinator is loading and hence can't process requests.";
        case ErrorCode::coordinator_not_available: return "The coordinator is not available.";
        case ErrorCode::not_coordinator: return "This is not the correct coordinator.";
        case ErrorCode::illegal_generation: return "Specified group generation id is not valid.";
        case ErrorCode::unknown_member_id: return "The coordinator is not aware of this member.";
        case ErrorCode::rebalance_in_progress:
            return "The group is rebalancing, so a rejoin is needed.";
        case ErrorCode::group_authorization_failed: return "Group authorization failed.";
        case ErrorCode::non_empty_group: return "The group is not empty.";
        case ErrorCode::group_id_not_found: return "The group id does not exist.";
        case ErrorCode::group_subscribed_to_topic:
            return "Deleting offsets of a topic is forbidden while the consumer group is actively "
                   "subscribed to it.";
        case ErrorCode::unknown_topic_id: return "This server does not host this topic ID.";
        default: return error_name(code);
    }
}

Error answered_error(std::int16_t code, std::string_view message) {
    const auto known = static_cast<ErrorCode>(code);
    return {known, std::string(message.empty() ? usual_message(known) : message)};
}

std::string exception_text(const Error& error) {
    return fmt::format("{}: {}", exception_class(error.code), error.why);
}

std::string stack_trace(const Error& error) {
    const std::string text = exception_text(error);
    if (error.code == kFileRefused) {
        return fmt::format("{}\nCaused by: java.nio.file.NoSuchFileException: {}\n", text,
                           error.why.substr(kUnreadable.size()));
    }
    if (is_own(error.code)) return text + "\n";
    return fmt::format("java.util.concurrent.ExecutionException: {}\nCaused by: {}\n", text, text);
}

std::string failure_text(const Error& error) {
    return fmt::format("Error: {}\n{}\n", is_own(error.code) ? error.why : exception_text(error),
                       stack_trace(error));
}

std::string failure_text(std::string_view what, const Error& cause) {
    std::string causes = stack_trace(cause);
    return fmt::format("Error: {}\n{}: {}\nCaused by: {}\n", what, exception_class(kCommandRefused),
                       what, causes);
}

std::string log_line(std::string_view level, std::string_view text, std::string_view logger) {
    const auto now =
        std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
    const auto ms = now.time_since_epoch().count() % 1000;
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    return fmt::format("[{:%Y-%m-%d %H:%M:%S},{:03}] {} {} ({})\n", fmt::localtime(seconds), ms,
                       level, text, logger);
}

}  // namespace milena::cli
