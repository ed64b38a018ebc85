// SPDX-License-Identifier: Apache-2.0
// IncrementalAlterConfigs: single keys of a resource, set, removed, appended to, subtracted from.
#include "milena/protocol/messages/incremental_alter_configs.h"

#include "../api.h"
#include "../configs/configs.h"

namespace milena::server {
namespace {

env::Task<Result<void>> serve(Request& request) {
    return serve_alterations<protocol::IncrementalAlterConfigsRequest,
                             protocol::IncrementalAlterConfigsResponse>(request, false);
}

}  // namespace

Api api_44() {
    return make_api(protocol::ApiKey::incremental_alter_configs, &serve);
}

}  // namespace milena::server
