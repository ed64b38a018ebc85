// SPDX-License-Identifier: Apache-2.0
// JSON's values, checked one by one.
#include "moves/json_fields.h"

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "text/exceptions.h"

namespace milena::cli {
namespace {

using Json = nlohmann::json;

std::string shown(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::int32_t> number_of(const Json& json) {
    if (json.is_number_integer()) {
        // An unsigned one beyond 63 bits would look negative.
        const auto number = json.is_number_unsigned() && json.get<std::uint64_t>() >> 31 != 0
                                ? std::numeric_limits<std::int64_t>::max()
                                : json.get<std::int64_t>();
        if (std::in_range<std::int32_t>(number)) return static_cast<std::int32_t>(number);
    }
    return refuse_field(fmt::format("Expected `Integer` value, received {}", shown(json)));
}

Result<std::string> text_of(const Json& json) {
    if (json.is_string()) return json.get<std::string>();
    return refuse_field(fmt::format("Expected `String` value, received {}", shown(json)));
}

Result<const Json*> field(const Json& object, std::string_view name) {
    const auto found = object.find(name);
    if (found == object.end()) return refuse_field(fmt::format("No such field exists: `{}`", name));
    return &*found;
}

/// Of a field, which is named by its type.
Result<void> check_list(const Json& json) {
    if (json.is_array()) return ok();
    return refuse_field(fmt::format("Expected `JSON array` value, received {}", shown(json)));
}

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return std::nullopt;
    return json;
}

Result<void> check_object(const Json& json) {
    if (json.is_object()) return ok();
    return refuse_field(fmt::format("Expected JSON object, received {}", shown(json)));
}

Result<std::vector<Json>> objects_of(const Json& json) {
    if (!json.is_array())
        return refuse_field(fmt::format("Expected JSON array, received {}", shown(json)));
    std::vector<Json> objects;
    for (const Json& element : json) {
        TRY_VOID(check_object(element));
        objects.push_back(element);
    }
    return objects;
}

Result<std::string> text_field(const Json& object, std::string_view name) {
    TRY(const Json* const json, field(object, name));
    return text_of(*json);
}

Result<std::int32_t> number_field(const Json& object, std::string_view name) {
    TRY(const Json* const json, field(object, name));
    return number_of(*json);
}

Result<std::vector<std::int32_t>> numbers_field(const Json& object, std::string_view name) {
    TRY(const Json* const json, field(object, name));
    TRY_VOID(check_list(*json));
    std::vector<std::int32_t> numbers;
    for (const Json& element : *json) {
        TRY(const std::int32_t number, number_of(element));
        numbers.push_back(number);
    }
    return numbers;
}

Result<std::vector<std::string>> texts_field(const Json& object, std::string_view name) {
    TRY(const Json* const json, field(object, name));
    TRY_VOID(check_list(*json));
    std::vector<std::string> texts;
    for (const Json& element : *json) {
        TRY(auto text, text_of(element));
        texts.push_back(std::move(text));
    }
    return texts;
}

Result<void> check_version(const Json& object) {
    if (!object.contains("version")) return ok();
    TRY(const std::int32_t version, number_field(object, "version"));
    if (version == 1) return ok();
    return refuse_operation(fmt::format("Not supported version field value {}", version));
}

}  // namespace milena::cli
