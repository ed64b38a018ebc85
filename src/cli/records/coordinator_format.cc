// SPDX-License-Identifier: Apache-2.0
// Each formatter is a coordinator and a range of its record types.
#include "records/coordinator_format.h"

#include <array>

#include <fmt/format.h>

#include "milena/protocol/records/group.h"
#include "milena/protocol/records/transaction.h"

namespace milena::cli {
namespace {

using protocol::MessageKind;

std::unexpected<Error> unreadable(const record::RecordView& record, std::string_view why) {
    return fail(ErrorCode::corrupt_message,
                fmt::format("Could not read record at offset {} due to: {}", record.offset, why));
}

}  // namespace

std::optional<CoordinatorFormat> CoordinatorFormat::of_class(std::string_view name) {
    struct Formatter {
        std::string_view name;
        Coordinator coordinator;
        std::int16_t first_type;
        std::int16_t last_type;
    };
    constexpr auto kFormatters = std::to_array<Formatter>({
        {"OffsetsMessageFormatter", Coordinator::group, 0, 1},
        {"GroupMetadataMessageFormatter", Coordinator::group, 2, 2},
        {"ShareGroupMessageFormatter", Coordinator::group, 10, 15},
        {"TransactionLogMessageFormatter", Coordinator::transaction, 0, 0},
        {"group.share.ShareGroupStateMessageFormatter", Coordinator::share, 0, 1},
    });
    constexpr std::string_view kPackage = "org.apache.kafka.tools.consumer.";
    if (!name.starts_with(kPackage)) return std::nullopt;
    name.remove_prefix(kPackage.size());
    for (const Formatter& formatter : kFormatters) {
        if (formatter.name != name) continue;
        CoordinatorFormat format;
        format.coordinator_ = formatter.coordinator;
        format.first_type_ = formatter.first_type;
        format.last_type_ = formatter.last_type;
        return format;
    }
    return std::nullopt;
}

Result<void> CoordinatorFormat::append(const record::RecordView& record, std::string& text) const {
    if (!record.key) return ok();
    const auto type = leading_number(*record.key);
    if (!type) return unreadable(record, "Could not read version from key's buffer.");
    if (*type < first_type_ || *type > last_type_) return ok();
    const auto* const key = coordinator_message(coordinator_, MessageKind::coordinator_key, *type);
    const auto* const value =
        coordinator_message(coordinator_, MessageKind::coordinator_value, *type);
    if (key == nullptr || value == nullptr) return ok();
    const auto key_json = coordinator_json(*key, record.key->subspan(sizeof *type), 0);
    if (!key_json) return unreadable(record, key_json.error().why);
    std::string value_json = "null";
    if (record.value) {
        const auto version = leading_number(*record.value);
        if (!version) return unreadable(record, "Could not read version from value's buffer.");
        if (!value->has_version(*version)) {
            return unreadable(record, fmt::format("Found an unknown record version {} for {} type",
                                                  *version, *type));
        }
        const BytesView body = record.value->subspan(sizeof *version);
        // Of all values only a transaction's is made readable.
        const auto json = value == &protocol::TransactionLogValue::kType
                              ? readable_value_json(*value, body, *version)
                              : coordinator_json(*value, body, *version);
        if (!json) return unreadable(record, json.error().why);
        value_json = fmt::format(R"({{"version":{},"data":{}}})", *version, *json);
    }
    text += fmt::format(R"({{"key":{{"type":{},"data":{}}},"value":{}}})", *type, *key_json,
                        value_json);
    return ok();
}

}  // namespace milena::cli
