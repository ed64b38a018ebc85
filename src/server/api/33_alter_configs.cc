// SPDX-License-Identifier: Apache-2.0
// AlterConfigs: the whole configuration of a resource; what is not named goes.
#include "milena/protocol/messages/alter_configs.h"

#include "../api.h"
#include "../configs/configs.h"

namespace milena::server {
namespace {

env::Task<Result<void>> serve(Request& request) {
    return serve_alterations<protocol::AlterConfigsRequest, protocol::AlterConfigsResponse>(request,
                                                                                            true);
}

}  // namespace

Api api_33() {
    return make_api(protocol::ApiKey::alter_configs, &serve);
}

}  // namespace milena::server
