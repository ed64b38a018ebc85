// SPDX-License-Identifier: Apache-2.0
// What the APIs about configuration share: the layers of this broker, the loggers it has, and the
// way of a change. What only this broker can judge (its own dynamic values, its loggers) is judged
// here; the rest goes to the controller.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "milena/config/layers.h"
#include "request.h"

namespace milena::server {

/// The one logger that a node has, and its level, which can't be changed.
inline constexpr std::string_view kRootLogger = "root";
inline constexpr std::string_view kRootLevel = "INFO";

/// The layers below topics and groups, as an image has them.
class BrokerLayers {
public:
    BrokerLayers(const Broker& broker, const metadata::Image& image);
    config::Layers view() const { return {file_, *cluster_wide_, *broker_}; }

private:
    const config::Settings& file_;
    std::shared_ptr<const metadata::Configs> cluster_wide_;
    std::shared_ptr<const metadata::Configs> broker_;
};

/// Nothing if the client may; else the error of that type of resource.
std::optional<Error> config_refusal(const Request& request, security::Operation operation,
                                    metadata::ResourceType type, std::string_view name);

/// The number in a resource's name; INVALID_REQUEST that says `what` must be one, or is another's.
Result<void> check_is_this_node(const Request& request, std::string_view what,
                                std::string_view expected, std::string_view name);

struct AskedChange {
    std::string key;
    std::int8_t operation = 0;
    std::optional<std::string> value;
};

struct AskedAlteration {
    metadata::ConfigResource resource;
    std::vector<AskedChange> changes;
};

struct AlterationsAsked {
    std::vector<AskedAlteration> resources;
    /// AlterConfigs: what is not named goes. Loggers are changed incrementally only.
    bool replaces_all = false;
    bool validate_only = false;
};

/// One answer a resource, in their order; where it is done, the served image shows it.
env::Task<std::vector<controller::AlteredResource>> alter_configs(Request& request,
                                                                  AlterationsAsked asked);

}  // namespace milena::server
