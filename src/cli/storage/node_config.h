// SPDX-License-Identifier: Apache-2.0
// The configuration of the node whose directories a storage action is about.
#pragma once

#include "milena/config/broker_config.h"
#include "milena/env/env.h"
#include "parser.h"

namespace milena::cli {

Result<config::BrokerConfig> load_node_config(env::Env& env, const Option& file);

}  // namespace milena::cli
