// SPDX-License-Identifier: Apache-2.0
// The first records of a new leader, and of a new cluster.
#pragma once

#include "view.h"

namespace milena::controller {

/// What has to be in the log before the first decision: the end of a transaction that was left
/// open; on an empty log the features and users that formatting chose (one transaction, KIP-868); a
/// cluster-wide min.insync.replicas wherever eligible replicas are kept, because brokers must agree
/// on it (KIP-966).
Records activation_records(const View& view, const Activation& activation);

}  // namespace milena::controller
