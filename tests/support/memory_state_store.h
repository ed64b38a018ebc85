// SPDX-License-Identifier: Apache-2.0
// A state store for the simulator and for tests that loses in a crash what the one on RocksDB may
// lose: everything that was written after some write, which lies at or after the last flush. The
// memory that plays its disk outlives the stores that are opened on it, one life after the other.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "milena/env/guarded.h"
#include "milena/storage/state_store.h"

namespace milena::support {

class StateDisk {
public:
    using Bytes = std::vector<std::byte>;
    struct Space {
        storage::StatePosition position;
        std::map<Bytes, Bytes> records;

        bool operator==(const Space&) const = default;
    };
    using Spaces = std::map<storage::StateSpace, Space>;
    /// A write, or a drop, which has no position.
    struct Change {
        storage::StateSpace space;
        std::optional<storage::StatePosition> position{};
        std::vector<std::pair<Bytes, std::optional<Bytes>>> records{};
    };

    /// `draw(n)` is a number below n: which of the writes since the last flush survive a crash.
    /// `fault`, if given, is asked before each call that may fail.
    explicit StateDisk(std::function<std::uint64_t(std::uint64_t)> draw,
                       std::function<std::optional<Error>()> fault = {})
        : draw_(std::move(draw)), fault_(std::move(fault)) {}

    /// The last process has ended, with or without a flush.
    std::unique_ptr<storage::StateStore> open();

    Result<void> admit() const {
        if (!fault_) return ok();
        if (auto error = fault_()) return std::unexpected(*std::move(error));
        return ok();
    }
    void make(Change change) {
        contents_.with([&](Contents& contents) {
            apply(contents.now, change);
            contents.unflushed.push_back(std::move(change));
        });
    }
    void flush() {
        contents_.with([](Contents& contents) {
            contents.durable = contents.now;
            contents.unflushed.clear();
        });
    }
    template <class F>
    auto look(F&& use) const {
        return contents_.with([&](const Contents& contents) { return use(contents.now); });
    }
    /// Nothing for a space that was dropped since the last flush.
    std::optional<storage::StatePosition> flushed(const storage::StateSpace& space) const {
        return contents_.with([&](const Contents& contents) {
            const auto is_drop = [&](const Change& change) {
                return change.space == space && !change.position;
            };
            const auto found = contents.durable.find(space);
            if (found == contents.durable.end() || std::ranges::any_of(contents.unflushed, is_drop))
                return std::optional<storage::StatePosition>();
            return std::optional(found->second.position);
        });
    }

private:
    struct Contents {
        Spaces now;
        Spaces durable;
        std::vector<Change> unflushed;
    };
    static void apply(Spaces& spaces, const Change& change) {
        if (!change.position) {
            spaces.erase(change.space);
            return;
        }
        Space& space = spaces[change.space];
        space.position = *change.position;
        for (const auto& [key, value] : change.records) {
            if (value) {
                space.records.insert_or_assign(key, *value);
            } else {
                space.records.erase(key);
            }
        }
    }

    const std::function<std::uint64_t(std::uint64_t)> draw_;
    const std::function<std::optional<Error>()> fault_;
    env::Guarded<Contents> contents_;
};

class MemoryStateStore final : public storage::StateStore {
public:
    explicit MemoryStateStore(StateDisk& disk) : disk_(disk) {}

    Result<std::optional<storage::StatePosition>> position(
        const storage::StateSpace& space) const override {
        TRY_VOID(disk_.admit());
        return disk_.look([&](const auto& spaces) -> std::optional<storage::StatePosition> {
            const auto found = spaces.find(space);
            if (found == spaces.end()) return std::nullopt;
            return found->second.position;
        });
    }
    Result<void> write(const storage::StateSpace& space,
                       std::span<const storage::StateChange> changes,
                       const storage::StatePosition& after) override {
        TRY_VOID(disk_.admit());
        StateDisk::Change change{.space = space, .position = after};
        for (const auto& [key, value] : changes) {
            auto& [its_key, its_value] = change.records.emplace_back(copy(key), std::nullopt);
            if (value) its_value = copy(*value);
        }
        disk_.make(std::move(change));
        return ok();
    }
    Result<std::optional<std::vector<std::byte>>> get(const storage::StateSpace& space,
                                                      BytesView key) const override {
        TRY_VOID(disk_.admit());
        return disk_.look([&](const auto& spaces) -> std::optional<StateDisk::Bytes> {
            const auto found = spaces.find(space);
            if (found == spaces.end()) return std::nullopt;
            const auto record = found->second.records.find(copy(key));
            if (record == found->second.records.end()) return std::nullopt;
            return record->second;
        });
    }
    Result<void> scan(const storage::StateSpace& space, BytesView prefix, BytesView from,
                      const Visit& visit) const override {
        TRY_VOID(disk_.admit());
        const auto records = disk_.look([&](const auto& spaces) {
            const auto found = spaces.find(space);
            return found == spaces.end() ? std::map<StateDisk::Bytes, StateDisk::Bytes>()
                                         : found->second.records;
        });
        for (auto at = records.lower_bound(std::max(copy(prefix), copy(from)));
             at != records.end() && as_text(at->first).starts_with(as_text(prefix)); ++at) {
            if (!visit(at->first, at->second)) break;
        }
        return ok();
    }
    Result<void> drop(const storage::StateSpace& space) override {
        TRY_VOID(disk_.admit());
        disk_.make({.space = space});
        return ok();
    }
    Result<std::vector<storage::StateSpace>> spaces() const override {
        TRY_VOID(disk_.admit());
        return disk_.look([](const auto& spaces) {
            std::vector<storage::StateSpace> out;
            for (const auto& [space, content] : spaces) out.push_back(space);
            return out;
        });
    }
    Result<void> flush() override {
        TRY_VOID(disk_.admit());
        disk_.flush();
        return ok();
    }
    Result<std::optional<storage::StatePosition>> flushed(
        const storage::StateSpace& space) const override {
        TRY_VOID(disk_.admit());
        return disk_.flushed(space);
    }
    std::uint64_t memory_bytes() const override {
        return disk_.look([](const auto& spaces) {
            std::uint64_t bytes = 0;
            for (const auto& [name, space] : spaces) {
                for (const auto& [key, value] : space.records) bytes += key.size() + value.size();
            }
            return bytes;
        });
    }

private:
    static StateDisk::Bytes copy(BytesView bytes) { return {bytes.begin(), bytes.end()}; }

    StateDisk& disk_;
};

inline std::unique_ptr<storage::StateStore> StateDisk::open() {
    contents_.with([this](Contents& contents) {
        const std::uint64_t kept = draw_(contents.unflushed.size() + 1);
        for (std::uint64_t i = 0; i < kept; ++i) apply(contents.durable, contents.unflushed[i]);
        contents.now = contents.durable;
        contents.unflushed.clear();
    });
    return std::make_unique<MemoryStateStore>(*this);
}

}  // namespace milena::support
