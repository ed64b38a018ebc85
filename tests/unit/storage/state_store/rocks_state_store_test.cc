// SPDX-License-Identifier: Apache-2.0
// What is RocksDB's own: when it is opened, what becomes of a directory that it can't read, and how
// much it keeps in memory.
#include "state_store/rocks_state_store.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "state_stores.h"

namespace milena::storage {
namespace {

using testing::HasSubstr;

class Lines final : public LogSink {
public:
    void write(const LogLine& line) override { text += line.text() + "\n"; }
    std::string text;
};

class RocksStateStoreTest : public testing::Test {
protected:
    void fill(int records = 1000) {
        std::vector<std::pair<std::string, std::string>> all;
        for (int i = 0; i < records; ++i)
            all.emplace_back(fmt::format("key-{:06}", i), fmt::format("value of {:06}", i));
        std::vector<StateChange> changes;
        for (const auto& [key, value] : all) changes.push_back({as_bytes(key), as_bytes(value)});
        applied += records;
        ASSERT_TRUE(store->write(space, changes, at_offset(applied)));
    }
    /// All files of that kind are cut in half, with other bytes in them.
    void spoil(std::string_view kind) {
        store.close();
        for (const auto& file : std::filesystem::directory_iterator(store.directory())) {
            if (file.path().filename().string().find(kind) == std::string::npos) continue;
            std::filesystem::resize_file(file.path(), file.file_size() / 2);
            std::fstream out(file.path(), std::ios::in | std::ios::out);
            out << "spoiled";
        }
    }

    TestedRocks store;
    const StateSpace space = space_of(1, 0);
    std::int64_t applied = 0;
    std::shared_ptr<Lines> lines = std::make_shared<Lines>();
};

TEST_F(RocksStateStoreTest, TouchesNothingUntilSomethingIsWritten) {
    ASSERT_TRUE(store->position(space));
    ASSERT_TRUE(store->spaces());
    ASSERT_TRUE(store->drop(space));
    ASSERT_TRUE(store->flush());
    EXPECT_EQ(store->memory_bytes(), 0U);
    EXPECT_FALSE(std::filesystem::exists(store.directory()));
    fill(1);
    EXPECT_TRUE(std::filesystem::exists(store.directory()));
}

TEST_F(RocksStateStoreTest, MakesADirectoryAnewThatItCannotRead) {
    for (const auto* kind : {"MANIFEST", "CURRENT", ".sst"}) {
        fill();
        ASSERT_TRUE(store->flush());
        spoil(kind);
        lines->text.clear();
        store.reopen(Logger(lines));
        const auto position = store->position(space);
        ASSERT_TRUE(position) << kind << ": " << position.error().why;
        EXPECT_EQ(*position, std::nullopt) << kind;
        EXPECT_THAT(lines->text, HasSubstr("made anew")) << kind;
        EXPECT_TRUE(store->spaces()->empty());
        applied = 0;
    }
    fill();
    EXPECT_EQ(store->position(space).value(), at_offset(1000));
}

TEST_F(RocksStateStoreTest, MakesADirectoryAnewInWhichAReadHasMetDamage) {
    fill(20'000);
    ASSERT_TRUE(store->flush());
    store.close();
    for (const auto& file : std::filesystem::directory_iterator(store.directory())) {
        if (file.path().extension() != ".sst") continue;
        std::fstream out(file.path(), std::ios::in | std::ios::out);
        out.seekp(static_cast<std::streamoff>(file.file_size() / 3));
        out << "spoiled";
    }
    store.reopen();
    EXPECT_EQ(store->position(space).value(), at_offset(20'000)) << "opening does not see it";
    const auto all = store->scan(space, {}, {}, [](BytesView, BytesView) { return true; });
    ASSERT_FALSE(all);
    EXPECT_EQ(all.error().code, ErrorCode::kafka_storage_error);
    EXPECT_THAT(all.error().why, HasSubstr(store.directory()));
    store.reopen(Logger(lines));
    EXPECT_EQ(store->position(space).value(), std::nullopt);
    EXPECT_THAT(lines->text, HasSubstr("made anew"));
    applied = 0;
    fill();
    store.reopen();
    EXPECT_TRUE(store->position(space)) << "and is well from then on";
}

TEST_F(RocksStateStoreTest, LeavesADirectoryAloneThatAnotherHasOpen) {
    fill();
    const auto second = open_state_store(Logger(), store.directory());
    const auto refused = second->position(space);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().why, HasSubstr(store.directory()));
    EXPECT_EQ(store->position(space).value(), at_offset(1000));
    ASSERT_TRUE(store->flush());
    store.reopen();
    EXPECT_EQ(store->position(space).value(), at_offset(1000));
}

TEST_F(RocksStateStoreTest, TellsWhichDirectoryItCannotMake) {
    const std::string file = testing::TempDir() + "milena-state-no-directory";
    std::ofstream(file) << "a file";
    const auto refused =
        open_state_store(Logger(), file + "/state")->write(space, {}, at_offset(1));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kafka_storage_error);
    EXPECT_THAT(refused.error().why, HasSubstr(file));
    std::filesystem::remove(file);
}

TEST_F(RocksStateStoreTest, KeepsAtMostItsBudgetInMemory) {
    for (int i = 0; i < 40; ++i) {
        fill(10'000);
        ASSERT_LT(store->memory_bytes(), 32U << 20);
    }
    ASSERT_TRUE(store->scan(space, {}, {}, [](BytesView, BytesView) { return true; }));
    EXPECT_LT(store->memory_bytes(), 32U << 20);
}

TEST_F(RocksStateStoreTest, SavesMoreThanAFlushSaysWhenItsBuffersAreFull) {
    fill();
    ASSERT_TRUE(store->flush());
    const std::string value(1 << 20, 'x');
    for (std::int64_t i = 1; i <= 30; ++i) {
        const StateChange change{as_bytes("large"), as_bytes(value)};
        ASSERT_TRUE(store->write(space, std::span(&change, 1), at_offset(1000 + i)));
    }
    EXPECT_EQ(store->flushed(space).value(), at_offset(1000));
    store.crash();
    EXPECT_GT(store->position(space).value()->applied, Offset(1000));
}

}  // namespace
}  // namespace milena::storage
