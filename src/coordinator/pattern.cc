// SPDX-License-Identifier: Apache-2.0
// Patterns by RE2, which is known to this file alone.
#include "pattern.h"

#include <re2/re2.h>

namespace milena::coordinator {
namespace {

RE2::Options quiet() {
    RE2::Options options;
    options.set_log_errors(false);
    return options;
}

/// As Kafka's own library says it.
std::string_view text(RE2::ErrorCode code) {
    switch (code) {
        case RE2::NoError:
        case RE2::ErrorInternal: break;
        case RE2::ErrorBadEscape: return "invalid escape sequence";
        case RE2::ErrorBadCharClass: return "invalid character class";
        case RE2::ErrorBadCharRange: return "invalid character class range";
        case RE2::ErrorMissingBracket: return "missing closing ]";
        case RE2::ErrorMissingParen: return "missing closing )";
        case RE2::ErrorUnexpectedParen: return "unexpected )";
        case RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
        case RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
        case RE2::ErrorRepeatSize: return "invalid repeat count";
        case RE2::ErrorRepeatOp: return "invalid nested repetition operator";
        case RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
        case RE2::ErrorBadUTF8: return "invalid UTF-8";
        case RE2::ErrorBadNamedCapture: return "invalid named capture";
        case RE2::ErrorPatternTooLarge: return "expression too large";
    }
    return "internal error";
}

}  // namespace

struct Pattern::Compiled {
    explicit Compiled(const std::string& regex) : re2(regex, quiet()) {}
    const RE2 re2;
};

Result<Pattern> Pattern::make(const std::string& regex) {
    auto compiled = std::make_shared<const Compiled>(regex);
    if (!compiled->re2.ok()) {
        return fail(ErrorCode::invalid_regular_expression,
                    std::string(text(compiled->re2.error_code())));
    }
    return Pattern(std::move(compiled));
}

bool Pattern::matches(std::string_view name) const {
    return RE2::FullMatch(re2::StringPiece(name.data(), name.size()), compiled_->re2);
}

}  // namespace milena::coordinator
