// SPDX-License-Identifier: Apache-2.0
// Tells of what has succeeded, and of nothing else.
#include "observed_store.h"

namespace milena::drivers {

Result<void> ObservedStore::write(const storage::StateSpace& space,
                                  std::span<const storage::StateChange> changes,
                                  const storage::StatePosition& after) {
    TRY_VOID(store_->write(space, changes, after));
    if (!changes.empty()) observer_.written(space, changes);
    return ok();
}

Result<void> ObservedStore::drop(const storage::StateSpace& space) {
    TRY_VOID(store_->drop(space));
    observer_.dropped(space);
    return ok();
}

std::unique_ptr<storage::StateStore> observed(std::unique_ptr<storage::StateStore> store,
                                              StoreObserver observer) {
    return std::make_unique<ObservedStore>(std::move(store), std::move(observer));
}

}  // namespace milena::drivers
