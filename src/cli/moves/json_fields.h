// SPDX-License-Identifier: Apache-2.0
// What the tools read from the JSON files that they are given, and what Kafka's tools say of a
// field that is missing or of another type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "milena/base/result.h"

namespace milena::cli {

/// The whole text; nothing if it is no JSON.
std::optional<nlohmann::json> parse_json(std::string_view text);

/// An error unless `json` is an object.
Result<void> check_object(const nlohmann::json& json);
/// The elements of an array; all of them objects.
Result<std::vector<nlohmann::json>> objects_of(const nlohmann::json& json);

Result<std::string> text_field(const nlohmann::json& object, std::string_view name);
Result<std::int32_t> number_field(const nlohmann::json& object, std::string_view name);
Result<std::vector<std::int32_t>> numbers_field(const nlohmann::json& object,
                                                std::string_view name);
Result<std::vector<std::string>> texts_field(const nlohmann::json& object, std::string_view name);

/// "version", which is 1 if there is none; an error that it is another.
Result<void> check_version(const nlohmann::json& object);

}  // namespace milena::cli
