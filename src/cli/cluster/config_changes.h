// SPDX-License-Identifier: Apache-2.0
// What kafka-configs does to topics, brokers, their loggers, groups and client metrics.
#pragma once

#include <map>

#include "cluster/config_entries.h"

namespace milena::cli {

struct ConfigChange {
    std::map<std::string, std::string> added;
    std::vector<std::string> deleted;
};

/// "a=1,b=[x,y]": commas inside brackets belong to the value.
Result<std::map<std::string, std::string>> parse_added_configs(std::string_view text);

/// What is described or altered.
struct ConfigEntity {
    ResourceType type = ResourceType::topic;
    std::string type_name;            ///< "topics"
    std::optional<std::string> name;  ///< an empty one is the default of all
};

/// Prints the configs that were set, or all with `all`, of one entity or of every one of its type.
env::Task<Result<void>> print_configs(Session& session, const ConfigEntity& entity, bool all);

env::Task<Result<void>> alter_configs(Session& session, const ConfigEntity& entity,
                                      const ConfigChange& change);

/// "  name=value sensitive=false synonyms={SOURCE:name=value, …}\n".
std::string config_line(const ConfigEntry& entry);

}  // namespace milena::cli
