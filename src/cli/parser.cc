// SPDX-License-Identifier: Apache-2.0
// CLI11 takes the arguments apart; the messages are those of Kafka's tools.
#include "parser.h"

#include <charconv>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "console.h"

namespace milena::cli {
namespace {

constexpr std::string_view kKafkaVersion = "4.4.0";

/// "bootstrap-server,b" as CLI11 wants it: "--bootstrap-server,-b".
std::string with_dashes(std::string_view name) {
    const std::size_t comma = name.find(',');
    std::string dashed = "--" + std::string(name.substr(0, comma));
    if (comma != std::string_view::npos) dashed += ",-" + std::string(name.substr(comma + 1));
    return dashed;
}

std::string without_dashes(std::string_view argument) {
    while (argument.starts_with('-')) argument.remove_prefix(1);
    return std::string(argument.substr(0, argument.find('=')));
}

}  // namespace

struct Parser::Declared {
    CLI::App app;
    std::vector<std::pair<Option*, CLI::Option*>> options;
};

Parser::Parser(std::string command, std::string about, Library like)
    : command_(std::move(command)),
      about_(std::move(about)),
      like_(like),
      declared_(std::make_unique<Declared>()) {
    declared_->app.set_help_flag();
    declared_->app.name("milena " + command_);
    declared_->app.allow_extras();
    help_ = &flag(is_argparse() ? "help,h" : "help", "Print usage information.");
    version_ = &flag("version", "Display Kafka version.");
}

Parser::~Parser() = default;

Option& Parser::declare(std::string name, std::string help) {
    Option& option = options_.emplace_back(name.substr(0, name.find(',')), std::move(help));
    if (const auto comma = name.find(','); comma != std::string::npos)
        option.letter = name.substr(comma + 1);
    return option;
}

const Option& Parser::flag(std::string name, std::string help) {
    Option& option = declare(name, std::move(help));
    declared_->options.emplace_back(
        &option, declared_->app.add_flag(with_dashes(name), std::as_const(option.help)));
    return option;
}

const Option& Parser::option(std::string name, std::string help, Takes takes) {
    Option& option = declare(name, std::move(help));
    auto* const known = declared_->app.add_option(with_dashes(name), option.values, option.help);
    known->expected(takes == Takes::optional ? 0 : 1, takes == Takes::several ? 1 << 20 : 1);
    known->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    known->allow_extra_args(takes == Takes::several);
    known->type_name("VALUE");
    declared_->options.emplace_back(&option, known);
    if (takes == Takes::one || takes == Takes::optional) at_most_once_.push_back(&option);
    return option;
}

const Option& Parser::positional(std::string name, std::string help, Takes takes) {
    Option& option = declare(name, std::move(help));
    auto* const known = declared_->app.add_option(name, option.values, option.help);
    known->expected(0, takes == Takes::one ? 1 : 1 << 20);
    declared_->options.emplace_back(&option, known);
    return option;
}

const Option& Parser::required(const Option& option) {
    required_.push_back(&option);
    return option;
}

std::optional<int> Parser::parse(const Arguments& arguments) {
    if (arguments.empty() && !is_argparse()) return wrong_usage(about_);
    try {
        // CLI11 takes them from the back.
        declared_->app.parse(Arguments(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ArgumentMismatch& mismatch) {
        const std::string name =
            without_dashes(std::string_view(mismatch.what())
                               .substr(0, std::string_view(mismatch.what()).find_first_of(": ")));
        return wrong_usage(is_argparse()
                               ? fmt::format("argument {}: expected one argument", flags_of(name))
                               : fmt::format("Option {} requires an argument", name));
    } catch (const CLI::Error& error) {
        return wrong_usage(error.what());
    }
    for (const auto& [option, known] : declared_->options) {
        option->is_given = known->count() != 0;
        // CLI11 gives an empty text for an optional value that was left out.
        if (known->get_expected_min() == 0) std::erase(option->values, "");
    }
    if (help_->is_given && is_argparse()) {
        print(fmt::format("{}\n{}", about_, usage()));
        return kExitOk;
    }
    if (help_->is_given) return wrong_usage(about_);
    if (version_->is_given) {
        print(fmt::format("{}\n", kKafkaVersion));
        return kExitOk;
    }
    return check();
}

std::optional<int> Parser::check() const {
    for (const std::string& extra : declared_->app.remaining()) {
        if (!extra.starts_with('-') || extra.size() == 1) continue;
        return wrong_usage(
            is_argparse() ? fmt::format("unrecognized arguments: '{}'", extra)
                          : fmt::format("{} is not a recognized option", without_dashes(extra)));
    }
    return check_given();
}

std::optional<int> Parser::check_given() const {
    for (const Option* option : at_most_once_) {
        // Like argparse4j the last one counts.
        if (option->values.size() <= 1 || is_argparse()) continue;
        return wrong_usage(fmt::format(
            "Found multiple arguments for option {}, but you asked for only one", option->name));
    }
    for (const Option* option : required_) {
        if (option->is_given) continue;
        return wrong_usage(is_argparse()
                               ? fmt::format("argument {} is required", option->flags())
                               : fmt::format("Missing required argument \"[{}]\"", option->name));
    }
    return std::nullopt;
}

std::string Parser::flags_of(std::string_view name) const {
    for (const Option& option : options_) {
        if (option.name == name || option.letter == name) return option.flags();
    }
    return "--" + std::string(name);
}

int Parser::wrong_usage(std::string_view message) const {
    // The tool has the name of its first word: "storage format" is kafka-storage.
    const std::string tool = command_.substr(0, command_.find(' '));
    print_error(is_argparse() ? fmt::format("kafka-{}: error: {}\n{}", tool, message, usage())
                              : fmt::format("{}\n{}", message, usage()));
    return kExitFailed;
}

std::optional<int> Parser::only_one_name(const Option& newer, const Option& older) const {
    if (!newer || !older) return std::nullopt;
    return wrong_usage(is_argparse() ? fmt::format("--{} and --{} cannot be specified together.",
                                                   newer.name, older.name)
                                     : fmt::format("Options --{} and --{} cannot be specified "
                                                   "together.",
                                                   newer.name, older.name));
}

std::string Parser::usage() const {
    return declared_->app.help();
}

Result<std::int64_t> Parser::number(const Option& option, std::int64_t otherwise) const {
    if (option.values.empty()) return otherwise;
    const std::string& text = option.values.back();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return fail(ErrorCode::invalid_request,
                    fmt::format("Cannot parse argument '{}' of option {}", text, option.name));
    return number;
}

}  // namespace milena::cli
