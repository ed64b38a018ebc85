// SPDX-License-Identifier: Apache-2.0
// Options to what a session connects with.
#include "cluster/connect_options.h"

#include <fmt/format.h>

namespace milena::cli {
namespace {

std::string named(std::string name, std::string_view short_name, bool with_short_name) {
    return with_short_name ? fmt::format("{},{}", name, short_name) : name;
}

std::string older_name_of(std::string_view name) {
    return fmt::format("The older name of --{}.", name);
}

}  // namespace

AdminOptions::AdminOptions(Parser& parser, To to, bool with_short_names)
    : brokers(parser.option(named("bootstrap-server", "b", with_short_names),
                            "The brokers to connect to: host1:port1,host2:port2.")),
      controllers(to == To::brokers
                      ? nullptr
                      : &parser.option(named("bootstrap-controller", "C", with_short_names),
                                       "The controllers to connect to.")),
      config(parser.option(named("command-config", "c", with_short_names),
                           "A file with properties of the client.")) {}

Connect AdminOptions::connect() const {
    Connect connect;
    connect.to_controllers = has_controllers();
    connect.bootstrap = has_controllers() ? controllers->text() : brokers.text();
    connect.config_file = config.text();
    connect.client_id = "adminclient-1";
    return connect;
}

RecordClientOptions::RecordClientOptions(Parser& parser, const OlderNames& older)
    : bootstrap(
          parser.option("bootstrap-server", "The brokers to connect to: host1:port1,host2:port2.")),
      property(parser.option("command-property", "key=value, a property of the client.",
                             older.property_takes)),
      older_property(older.property.empty()
                         ? nullptr
                         : &parser.option(older.property, older_name_of("command-property"),
                                          older.property_takes)),
      config(parser.option("command-config", "A file with properties of the client.")),
      older_config(parser.option(older.config, older_name_of("command-config"))) {}

std::pair<const Option*, const Option*> RecordClientOptions::given_twice() const {
    if (property && older_property != nullptr && *older_property)
        return {&property, older_property};
    if (config && older_config) return {&config, &older_config};
    return {nullptr, nullptr};
}

std::optional<int> RecordClientOptions::check(const Parser& parser) const {
    const auto [newer, older] = given_twice();
    return newer == nullptr ? std::nullopt : parser.only_one_name(*newer, *older);
}

Connect RecordClientOptions::connect(std::string_view client_id) const {
    Connect connect;
    connect.bootstrap = bootstrap.text();
    connect.config_file = config ? config.text() : older_config.text();
    connect.client_id = client_id;
    connect.properties = property.values;
    if (!property && older_property != nullptr) connect.properties = older_property->values;
    return connect;
}

}  // namespace milena::cli
