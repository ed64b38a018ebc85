// SPDX-License-Identifier: Apache-2.0
// The schema knows all of these records; three coordinators number theirs from 0 on.
#include "text/coordinator_records.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "milena/protocol/codec.h"
#include "milena/protocol/records/group.h"
#include "milena/protocol/records/transaction.h"

namespace milena::cli {
namespace {

using protocol::MessageKind;
using protocol::MessageType;
/// Keeps the order of the fields.
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 8> kTransactionStates{
    "Empty",          "Ongoing",       "PrepareCommit", "PrepareAbort",
    "CompleteCommit", "CompleteAbort", "Dead",          "PrepareEpochFence"};

/// Where Kafka prints a tagged field: in its schema's order. Ours come last.
struct TaggedPlace {
    std::string_view message;
    std::string_view field;
    std::string_view after;
};
constexpr auto kTaggedPlaces = std::to_array<TaggedPlace>({
    {"TransactionLogValue", "previousProducerId", "producerId"},
    {"TransactionLogValue", "nextProducerId", "previousProducerId"},
    {"TransactionLogValue", "nextProducerEpoch", "producerEpoch"},
    {"ShareSnapshotValue", "deliveryCompleteCount", "startOffset"},
    {"ShareUpdateValue", "deliveryCompleteCount", "startOffset"},
});

/// Moves what is tagged to its place in the schema. A place after a field that was left out is that
/// after the one before it.
void order_fields(std::string_view message, Json& json) {
    for (const auto& [name, field, after] : kTaggedPlaces) {
        if (name != message || !json.contains(field)) continue;
        const bool follows_none = !json.contains(after);
        const std::string_view anchor = follows_none ? std::string_view("producerId") : after;
        Json ordered = Json::object();
        for (const auto& [key, value] : json.items()) {
            if (key == field) continue;
            ordered[key] = value;
            if (key == anchor) ordered[std::string(field)] = json[std::string(field)];
        }
        json = std::move(ordered);
    }
}

Coordinator coordinator_of(std::string_view message) {
    if (message.starts_with("TransactionLog")) return Coordinator::transaction;
    if (message.starts_with("ShareSnapshot") || message.starts_with("ShareUpdate"))
        return Coordinator::share;
    return Coordinator::group;
}

/// A blob of the consumer protocol, which begins with its version, as JSON. What is none stays.
void replace_blob(Json& member, const char* field, std::string_view type_name, BytesView blob) {
    const auto version = leading_number(blob);
    const auto* const type = protocol::find_message_type(type_name);
    if (!version || type == nullptr || *version < 0) return;
    const auto known = std::min(*version, type->max_version);
    const auto json = coordinator_json(*type, blob.subspan(sizeof(std::int16_t)), known);
    if (json) member[field] = Json::parse(*json, nullptr, false);
}

Result<void> show_members(BytesView bytes, std::int16_t version, Json& json) {
    protocol::Arena arena;
    TRY(const auto group, protocol::decode<protocol::GroupMetadataValue>(bytes, version, arena));
    if (group.protocol_type != "consumer") return ok();
    std::size_t at = 0;
    for (const auto& member : group.members) {
        Json& shown = json["members"][at++];
        replace_blob(shown, "subscription", "ConsumerProtocolSubscription", member.subscription);
        replace_blob(shown, "assignment", "ConsumerProtocolAssignment", member.assignment);
    }
    return ok();
}

void name_state(Json& json) {
    const auto state = json["transactionStatus"].get<std::size_t>();
    if (state < kTransactionStates.size()) json["transactionStatus"] = kTransactionStates[state];
}

/// A consumer that is not a classic one has null here, which Kafka prints and our printer leaves
/// out as the default.
void show_classic_metadata(Json& json) {
    constexpr const char* kField = "classicMemberMetadata";
    if (!json.contains(kField)) json[kField] = nullptr;
}

std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::optional<std::int16_t> leading_number(BytesView bytes) {
    if (bytes.size() < sizeof(std::int16_t)) return std::nullopt;
    return load<std::int16_t>(bytes.data());
}

const MessageType* coordinator_message(Coordinator coordinator, MessageKind kind,
                                       std::int16_t type) {
    for (const auto* const message : protocol::message_types()) {
        if (message->kind == kind && message->key == type &&
            coordinator_of(message->name) == coordinator)
            return message;
    }
    return nullptr;
}

Result<std::string> coordinator_json(const MessageType& type, BytesView bytes,
                                     std::int16_t version) {
    if (!type.has_version(version)) {
        return fail(ErrorCode::unsupported_version,
                    fmt::format("Unknown version {} of {}", version, type.name));
    }
    protocol::Arena arena;
    void* const message = protocol::make_message(type, arena);
    ByteReader reader(bytes);
    TRY_VOID(protocol::decode_message(type, reader, version, arena, message));
    const std::string plain = protocol::message_to_json(type, message, version);
    const bool has_places =
        std::ranges::find(kTaggedPlaces, type.name, &TaggedPlace::message) != kTaggedPlaces.end();
    const bool is_member = &type == &protocol::ConsumerGroupMemberMetadataValue::kType;
    if (!has_places && !is_member) return plain;
    Json json = Json::parse(plain, nullptr, false);
    if (is_member) show_classic_metadata(json);
    order_fields(type.name, json);
    return text_of(json);
}

Result<std::string> readable_value_json(const MessageType& type, BytesView bytes,
                                        std::int16_t version) {
    TRY(const std::string plain, coordinator_json(type, bytes, version));
    Json json = Json::parse(plain, nullptr, false);
    if (&type == &protocol::GroupMetadataValue::kType) {
        TRY_VOID(show_members(bytes, version, json));
    } else if (&type == &protocol::TransactionLogValue::kType) {
        name_state(json);
    }
    return text_of(json);
}

}  // namespace milena::cli
