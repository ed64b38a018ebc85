// SPDX-License-Identifier: Apache-2.0
// meta.properties: Java properties with cluster.id, directory.id, node.id and version=1.
#pragma once

#include <string>
#include <string_view>

#include "milena/storage/log_directory.h"

namespace milena::storage {

/// `path` is for the errors, which name the line, or the key that is missing.
Result<MetaProperties> parse_meta_properties(std::string_view path, std::string_view text);
/// As Kafka writes it, keys in alphabetical order under two comment lines, the second with the
/// time.
std::string format_meta_properties(const MetaProperties& meta, env::Timestamp now);

}  // namespace milena::storage
