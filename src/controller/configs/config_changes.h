// SPDX-License-Identifier: Apache-2.0
// Changes of dynamic configuration: what the resource would have afterwards is checked as a whole,
// and the records say only what differs.
#pragma once

#include "view.h"

namespace milena::controller {

Decision<std::vector<AlteredResource>> alter_configs(const View& view,
                                                     const AlterConfigsRequest& request);

}  // namespace milena::controller
