// SPDX-License-Identifier: Apache-2.0
// The options by which a tool is told its cluster and how to connect to it. They are declared here
// for all tools, so that each means and says the same everywhere.
#pragma once

#include "cluster/session.h"
#include "parser.h"

namespace milena::cli {

/// Of the tools that ask and change a cluster: --bootstrap-server, where they talk to controllers
/// too --bootstrap-controller, and --command-config.
struct AdminOptions {
    enum class To { brokers, brokers_or_controllers };

    explicit AdminOptions(Parser& parser, To to = To::brokers, bool with_short_names = false);

    bool has_controllers() const { return controllers != nullptr && controllers->is_given; }
    /// Just one of --bootstrap-server and --bootstrap-controller is given.
    bool says_one() const { return brokers.is_given != has_controllers(); }
    Connect connect() const;

    const Option& brokers;
    const Option* controllers;  ///< null where there is no --bootstrap-controller
    const Option& config;
};

/// Of the tools that produce or consume: --bootstrap-server, --command-property and
/// --command-config, and the older names of the last two.
struct RecordClientOptions {
    struct OlderNames {
        std::string property;  ///< empty if there is none
        std::string config;
        Takes property_takes = Takes::many;  ///< of both names
    };

    RecordClientOptions(Parser& parser, const OlderNames& older);

    /// The first option that is given together with its older name, and that; null if none is.
    std::pair<const Option*, const Option*> given_twice() const;
    /// The exit code of a tool that was given an option under both names, which it has said.
    std::optional<int> check(const Parser& parser) const;
    Connect connect(std::string_view client_id) const;

    const Option& bootstrap;
    const Option& property;
    const Option* older_property;  ///< null if there is none
    const Option& config;
    const Option& older_config;
};

}  // namespace milena::cli
