// SPDX-License-Identifier: Apache-2.0
// RE2 finds the mistake; its name is that of Kafka's library, which is RE2 in Java.
#include "groups/pattern_text.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace milena::cli {
namespace {

std::string_view mistake_of(const re2::RE2& pattern) {
    switch (pattern.error_code()) {
        case re2::RE2::ErrorBadEscape: return "invalid escape sequence";
        case re2::RE2::ErrorBadCharClass: return "invalid character class";
        case re2::RE2::ErrorBadCharRange: return "invalid character class range";
        case re2::RE2::ErrorMissingBracket: return "missing closing ]";
        case re2::RE2::ErrorMissingParen: return "missing closing )";
        case re2::RE2::ErrorUnexpectedParen: return "unexpected )";
        case re2::RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
        case re2::RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
        case re2::RE2::ErrorRepeatSize: return "invalid repeat count";
        case re2::RE2::ErrorRepeatOp: return "invalid nested repetition operator";
        case re2::RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
        case re2::RE2::ErrorBadUTF8: return "invalid UTF-8";
        case re2::RE2::ErrorBadNamedCapture: return "invalid named capture";
        default: return pattern.error();
    }
}

}  // namespace

std::string validity_of_pattern(std::string_view pattern) {
    const re2::RE2 read(re2::StringPiece(pattern.data(), pattern.size()), re2::RE2::Quiet);
    if (read.ok()) return fmt::format("The regular expression `{}` is valid.\n", pattern);
    return fmt::format("The regular expression `{}` is invalid: {}.\n", pattern, mistake_of(read));
}

}  // namespace milena::cli
