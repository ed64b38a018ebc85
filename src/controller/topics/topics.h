// SPDX-License-Identifier: Apache-2.0
// Creation and deletion of topics.
#pragma once

#include "view.h"

namespace milena::controller {

/// One decision never makes more partitions, nor writes more records, than this.
inline constexpr std::size_t kRecordsMax = 10'000;

Decision<CreateTopicsReply> create_topics(const View& view, const CreateTopicsRequest& request,
                                          env::Random& random);
Decision<std::vector<DeletedTopic>> delete_topics(const View& view,
                                                  std::span<const TopicToDelete> topics);

}  // namespace milena::controller
