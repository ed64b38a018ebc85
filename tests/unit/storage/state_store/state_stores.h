// SPDX-License-Identifier: Apache-2.0
// Both state stores under one name, each with a way to crash its process.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "milena/storage/state_store.h"
#include "sim/random.h"
#include "support/memory_state_store.h"

namespace milena::storage {

class TestedStore {
public:
    virtual ~TestedStore() = default;
    StateStore& operator*() { return *store_; }
    StateStore* operator->() { return store_.get(); }
    /// The process dies, and another one opens what is left.
    virtual void crash() = 0;

protected:
    std::unique_ptr<StateStore> store_;
};

class TestedMemory final : public TestedStore {
public:
    TestedMemory() { store_ = disk_.open(); }
    void crash() override { store_ = disk_.open(); }

private:
    sim::SeededRandom random_{1};
    support::StateDisk disk_{[this](std::uint64_t bound) { return random_.below(bound); }};
};

class TestedRocks final : public TestedStore {
public:
    TestedRocks() {
        std::string name = testing::TempDir() + "milena-state-XXXXXX";
        EXPECT_NE(::mkdtemp(name.data()), nullptr);
        root_ = name;
        reopen();
    }
    ~TestedRocks() override {
        store_.reset();
        std::filesystem::remove_all(root_);
    }
    TestedRocks(const TestedRocks&) = delete;
    TestedRocks& operator=(const TestedRocks&) = delete;

    void crash() override { reopen(); }
    void close() { store_.reset(); }
    void reopen(const Logger& log = {}) {
        store_.reset();
        store_ = open_state_store(log, directory());
    }
    /// In a directory that is not there at first.
    std::string directory() const { return root_ + "/state/coordinators"; }

private:
    std::string root_;
};

inline StateSpace space_of(std::uint64_t topic, std::int32_t partition) {
    return {Uuid{topic, topic + 1}, PartitionIndex(partition)};
}

inline StatePosition at_offset(std::int64_t applied) {
    return {Offset(applied), LeaderEpoch(3), 1'700'000'000'000};
}

}  // namespace milena::storage
