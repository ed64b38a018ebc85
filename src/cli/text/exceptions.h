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

/// What the tools that change where partitions are refuse, each in a class of its own: what was
/// asked makes no sense, or cannot be done.
std::unexpected<Error> refuse_command(std::string why);
std::unexpected<Error> refuse_operation(std::string why);
/// A field of a JSON file that is missing or of another type.
std::unexpected<Error> refuse_field(std::string why);
/// A file that can't be read.
std::unexpected<Error> refuse_file(std::string_view path);

/// "org.apache.kafka.common.errors.TopicExistsException"; of refuse() "java.lang.…".
std::string exception_class(ErrorCode code);

/// What a server says with a code when it says nothing else.
std::string_view usual_message(ErrorCode code);

/// The error of an answer: `message` if there is one, or the usual one.
Error answered_error(std::int16_t code, std::string_view message);

/// "class: message".
std::string exception_text(const Error& error);

/// A stack trace without its stack, a line for each cause: an error that a server answered has
/// come out of a future.
std::string stack_trace(const Error& error);

/// "Error: message" and the stack trace, as a tool prints what it did not foresee.
std::string failure_text(const Error& error);
/// The same of `what`, which the tool refuses because of an answer.
std::string failure_text(std::string_view what, const Error& cause);

/// "[2026-11-29 15:05:43,949] ERROR text (logger)\n", the line of a tool's log, in local time.
std::string log_line(std::string_view level, std::string_view text, std::string_view logger);

}  // namespace milena::cli
