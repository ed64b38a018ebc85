// SPDX-License-Identifier: Apache-2.0
// The options of one command: declared, then parsed once. Wrong usage prints a message and the
// table of options on standard error and gives exit code 1, as Kafka's tools do.
//
//   Parser parser("topics", "Creates, lists, describes, changes and deletes topics.");
//   auto& topic = parser.option("topic", "The topic.");
//   auto& list = parser.flag("list", "List all topics.");
//   if (const auto exit_code = parser.parse(arguments)) return *exit_code;
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "command.h"
#include "milena/base/result.h"

namespace milena::cli {

/// An option as it was declared, and after parse() what was given.
struct Option {
    std::string name;  ///< without the dashes
    std::string help;
    std::string letter{};  ///< of the short form; empty if there is none
    bool is_given = false;
    std::vector<std::string> values;

    explicit operator bool() const { return is_given; }
    /// The value that was given last, or `other`.
    std::string_view text_or(std::string_view other) const {
        return values.empty() ? other : std::string_view(values.back());
    }
    std::string_view text() const { return text_or(""); }
    /// "--config/-c"
    std::string flags() const { return "--" + name + (letter.empty() ? "" : "/-" + letter); }
};

/// How many values an option takes, and how often it may be given.
enum class Takes {
    one,       ///< one value, given at most once
    many,      ///< one value each time it is given
    optional,  ///< a value or none
    several,   ///< all that follows up to the next option
};

/// Kafka's tools are written with two libraries for options, which differ in their messages, in
/// what repeats mean and in --help: joptsimple has it on standard error with exit code 1,
/// argparse4j on standard output with 0.
enum class Library { joptsimple, argparse4j };

class Parser {
public:
    /// `command` is the name as in `milena COMMAND`; both come with --help and --version.
    Parser(std::string command, std::string about, Library like = Library::joptsimple);
    ~Parser();
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;

    /// `name` is "bootstrap-server", or "bootstrap-server,b" where there is a short -b.
    const Option& flag(std::string name, std::string help);
    const Option& option(std::string name, std::string help, Takes takes = Takes::one);
    /// An argument without a name.
    const Option& positional(std::string name, std::string help, Takes takes = Takes::one);
    /// Fails with Kafka's "Missing required argument" unless it is given.
    const Option& required(const Option& option);

    /// An exit code if there is nothing left to do: usage was wrong, or --help or --version given.
    std::optional<int> parse(const Arguments& arguments);

    /// Prints `message` and the options on standard error; gives exit code 1. Like argparse4j it is
    /// "kafka-NAME: error: message".
    int wrong_usage(std::string_view message) const;
    /// Wrong usage, in Kafka's words, if an option is given under its newer and its older name.
    std::optional<int> only_one_name(const Option& newer, const Option& older) const;

    /// The option's value as a whole number within 64 bits; `otherwise` if it was not given.
    Result<std::int64_t> number(const Option& option, std::int64_t otherwise) const;

private:
    struct Declared;
    Option& declare(std::string name, std::string help);
    std::string flags_of(std::string_view name) const;
    std::optional<int> check() const;
    std::optional<int> check_given() const;
    std::string usage() const;
    bool is_argparse() const { return like_ == Library::argparse4j; }

    std::string command_;
    std::string about_;
    Library like_;
    std::deque<Option> options_;
    std::vector<const Option*> required_;
    std::vector<const Option*> at_most_once_;
    std::unique_ptr<Declared> declared_;  ///< what the parsing library knows
    const Option* help_ = nullptr;
    const Option* version_ = nullptr;
};

}  // namespace milena::cli
