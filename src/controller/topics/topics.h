// SPDX-License-Identifier: Apache-2.0
// Creation and deletion of topics.
#pragma once

#include "view.h"

namespace milena::controller {

Decision<CreateTopicsReply> create_topics(const View& view, const CreateTopicsRequest& request,
                                          env::Random& random);
Decision<std::vector<DeletedTopic>> delete_topics(const View& view,
                                                  std::span<const TopicToDelete> topics);

}  // namespace milena::controller
