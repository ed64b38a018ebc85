// SPDX-License-Identifier: Apache-2.0
// As the server loads it, with this machine's name.
#include "storage/node_config.h"

#include <unistd.h>

#include <array>

namespace milena::cli {

Result<config::BrokerConfig> load_node_config(env::Env& env, const Option& file) {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host = {"localhost"};
    TRY(auto loaded,
        config::load_broker_config(env.files(), std::string(file.text()), host.data()));
    return std::move(loaded.config);
}

}  // namespace milena::cli
