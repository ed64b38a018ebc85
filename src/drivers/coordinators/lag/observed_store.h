// SPDX-License-Identifier: Apache-2.0
// A state store that somebody watches: what is written to it, and which of its spaces go, is told
// when it has happened, in the thread that did it.
#pragma once

#include "milena/drivers/group_lag.h"
#include "milena/storage/state_store.h"

namespace milena::drivers {

class ObservedStore final : public storage::StateStore {
public:
    ObservedStore(std::unique_ptr<storage::StateStore> store, StoreObserver observer)
        : store_(std::move(store)), observer_(std::move(observer)) {}

    Result<std::optional<storage::StatePosition>> position(
        const storage::StateSpace& space) const override {
        return store_->position(space);
    }
    Result<void> write(const storage::StateSpace& space,
                       std::span<const storage::StateChange> changes,
                       const storage::StatePosition& after) override;
    Result<std::optional<std::vector<std::byte>>> get(const storage::StateSpace& space,
                                                      BytesView key) const override {
        return store_->get(space, key);
    }
    Result<void> scan(const storage::StateSpace& space, BytesView prefix, BytesView from,
                      const Visit& visit) const override {
        return store_->scan(space, prefix, from, visit);
    }
    Result<void> drop(const storage::StateSpace& space) override;
    Result<std::vector<storage::StateSpace>> spaces() const override { return store_->spaces(); }
    Result<void> flush() override { return store_->flush(); }
    Result<std::optional<storage::StatePosition>> flushed(
        const storage::StateSpace& space) const override {
        return store_->flushed(space);
    }
    std::uint64_t memory_bytes() const override { return store_->memory_bytes(); }

private:
    const std::unique_ptr<storage::StateStore> store_;
    const StoreObserver observer_;
};

}  // namespace milena::drivers
