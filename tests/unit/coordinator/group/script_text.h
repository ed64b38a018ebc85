// SPDX-License-Identifier: Apache-2.0
// Answers and records as lines of a script.
#pragma once

#include <functional>
#include <string>

#include "host.h"

namespace milena::coordinator::test {

/// The short name of a member's id.
using NameOf = std::function<std::string(const std::string&)>;

std::string told_text(const Told& told, const NameOf& name_of);
std::string record_text(const Record& record, const NameOf& name_of);

}  // namespace milena::coordinator::test
