// SPDX-License-Identifier: Apache-2.0
// Errors as Kafka's tools print them: with the name of the Java class that carries the code.
// Scripts look for these names.
#pragma once

#include <string>
#include <string_view>

#include "milena/base/result.h"

namespace milena::cli {

/// What the tool itself refuses, before or after it asked the cluster: Kafka's tools throw an
/// IllegalArgumentException. Told apart by a code that no failure has.
std::unexpected<Error> refuse(std::string why);

/// "org.apache.kafka.common.errors.TopicExistsException"; of refuse() "java.lang.…".
std::string exception_class(ErrorCode code);

/// What a server says with a code when it says nothing else.
std::string_view usual_message(ErrorCode code);

/// The error of an answer: `message` if there is one, or the usual one.
Error answered_error(std::int16_t code, std::string_view message);

/// "class: message".
std::string exception_text(const Error& error);

/// "[2026-11-29 15:05:43,949] ERROR text (logger)\n", the line of a tool's log, in local time.
std::string log_line(std::string_view level, std::string_view text, std::string_view logger);

}  // namespace milena::cli
