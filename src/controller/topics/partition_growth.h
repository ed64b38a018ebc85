// SPDX-License-Identifier: Apache-2.0
// More partitions for topics that are there (KIP-195).
#pragma once

#include "view.h"

namespace milena::controller {

Decision<std::vector<GrownTopic>> create_partitions(const View& view,
                                                    const CreatePartitionsRequest& request,
                                                    env::Random& random);

}  // namespace milena::controller
