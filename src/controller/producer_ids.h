// SPDX-License-Identifier: Apache-2.0
// Blocks of producer ids (KIP-730): no id is ever given out twice.
#pragma once

#include "view.h"

namespace milena::controller {

Decision<Result<ProducerIdBlock>> allocate_producer_ids(const View& view,
                                                        const AllocateProducerIdsRequest& request);

}  // namespace milena::controller
