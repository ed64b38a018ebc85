// SPDX-License-Identifier: Apache-2.0
// What kafka-storage and kafka-features both tell of features: those that a release begins with,
// and what a level of one needs.
#pragma once

#include <string>
#include <string_view>

#include "milena/base/result.h"

namespace milena::cli {

/// version-mapping: the levels of the release that is called so; of the newest one if it is empty.
Result<std::string> version_mapping_text(std::string_view release);
/// feature-dependencies, of one "feature=level".
Result<std::string> feature_dependencies_text(std::string_view feature);

}  // namespace milena::cli
