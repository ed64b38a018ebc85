// SPDX-License-Identifier: Apache-2.0
// The contract of files and directories, in both worlds.
#include <algorithm>
#include <array>
#include <vector>

#include "contract.h"

namespace milena::env {
namespace {

class FilesContract : public EnvContract {
protected:
    FileSystem& files() { return env().files(); }
    std::string path(const std::string& name) { return directory() + "/" + name; }

    std::unique_ptr<File> open(const std::string& name, OpenMode mode = OpenMode::create) {
        auto file = files().open(path(name), mode);
        EXPECT_TRUE(file) << file.error().why;
        return file ? *std::move(file) : nullptr;
    }
    std::string content(const std::string& name) {
        const auto text = read_file(files(), path(name), 1U << 20);
        return text ? *text : text.error().why;
    }
    void write(const std::string& name, std::string_view text) {
        ASSERT_TRUE(open(name, OpenMode::create_empty)->write_at(0, as_bytes(text)));
    }
    std::vector<std::string> names() {
        const auto entries = files().list(directory());
        EXPECT_TRUE(entries);
        std::vector<std::string> found;
        for (const DirectoryEntry& entry : *entries) found.push_back(entry.name);
        return found;
    }
};
RUN_ON_BOTH(FilesContract);

TEST_P(FilesContract, WritesAllPiecesInOrderAndReadsThemBack) {
    const auto file = open("a");
    // More pieces than one call to the system takes, empty ones among them.
    std::vector<std::string> texts;
    for (int i = 0; i < 100; ++i)
        texts.push_back(
            std::string(static_cast<std::size_t>(i % 7), static_cast<char>('a' + i % 26)));
    std::vector<BytesView> pieces;
    std::string all = "0123";
    for (const std::string& text : texts) {
        pieces.push_back(as_bytes(text));
        all += text;
    }
    ASSERT_TRUE(file->write_at(0, as_bytes("0123456")));
    ASSERT_TRUE(file->write_at(4, pieces));
    EXPECT_EQ(content("a"), all);
    EXPECT_EQ(*file->size(), all.size());
    EXPECT_EQ(file->path(), path("a"));
}

TEST_P(FilesContract, ReadsFewerBytesOnlyAtTheEnd) {
    write("a", "hello");
    const auto file = open("a", OpenMode::read_only);
    std::array<std::byte, 10> into{};
    EXPECT_EQ(*file->read_at(2, into), 3U);
    EXPECT_EQ(as_text(BytesView(into).first(3)), "llo");
    EXPECT_EQ(*file->read_at(5, into), 0U);
    EXPECT_EQ(*file->read_at(500, into), 0U);
    EXPECT_TRUE(file->is_cached(0));
}

TEST_P(FilesContract, WritingBeyondTheEndLeavesZerosBetween) {
    const auto file = open("a");
    ASSERT_TRUE(file->write_at(3, as_bytes("x")));
    EXPECT_EQ(content("a"), std::string("\0\0\0x", 4));
}

TEST_P(FilesContract, TruncateCutsAndGrows) {
    write("a", "hello");
    const auto file = open("a");
    ASSERT_TRUE(file->truncate(2));
    EXPECT_EQ(content("a"), "he");
    ASSERT_TRUE(file->truncate(4));
    EXPECT_EQ(content("a"), std::string("he\0\0", 4));
}

TEST_P(FilesContract, SyncAndWritebackOfAWrittenFileSucceed) {
    const auto file = open("a");
    ASSERT_TRUE(file->write_at(0, as_bytes("hello")));
    file->start_writeback(0, 5);
    EXPECT_TRUE(file->sync());
    EXPECT_TRUE(files().sync_directory(directory()));
}

TEST_P(FilesContract, OpenModesSayWhatMustAndMayExist) {
    const auto absent = files().open(path("a"), OpenMode::read_only);
    ASSERT_FALSE(absent);
    EXPECT_EQ(absent.error().code, ErrorCode::kafka_storage_error);
    EXPECT_EQ(absent.error().why, "open " + path("a") + ": No such file or directory (ENOENT)");
    EXPECT_FALSE(is_out_of_space(absent.error()));
    EXPECT_FALSE(files().open(path("a"), OpenMode::read_write));
    EXPECT_FALSE(files().open(path("no/a"), OpenMode::create));

    write("a", "hello");
    EXPECT_EQ(*open("a", OpenMode::create)->size(), 5U);
    EXPECT_EQ(*open("a", OpenMode::read_write)->size(), 5U);
    EXPECT_EQ(*open("a", OpenMode::create_empty)->size(), 0U);
}

TEST_P(FilesContract, AFileOpenedForReadingCantBeWritten) {
    write("a", "hello");
    EXPECT_FALSE(open("a", OpenMode::read_only)->write_at(0, as_bytes("x")));
    EXPECT_EQ(content("a"), "hello");
}

TEST_P(FilesContract, ListsNamesInOrderWithKindAndSize) {
    write("b", "hello");
    write("a", "");
    ASSERT_TRUE(files().create_directories(path("c/d")));
    const auto entries = files().list(directory());
    ASSERT_TRUE(entries);
    ASSERT_EQ(entries->size(), 3U);
    EXPECT_EQ((*entries)[0].name, "a");
    EXPECT_EQ((*entries)[1].name, "b");
    EXPECT_EQ((*entries)[1].size, 5U);
    EXPECT_FALSE((*entries)[1].is_directory);
    EXPECT_EQ((*entries)[2].name, "c");
    EXPECT_TRUE((*entries)[2].is_directory);
    EXPECT_FALSE(files().list(path("absent")));
    EXPECT_FALSE(files().list(path("a")));
}

TEST_P(FilesContract, CreateDirectoriesIsContentWithWhatIsThere) {
    ASSERT_TRUE(files().create_directories(path("x/y/z")));
    ASSERT_TRUE(files().create_directories(path("x/y/z")));
    EXPECT_TRUE(files().exists(path("x/y/z")));
    write("file", "");
    EXPECT_FALSE(files().create_directories(path("file/sub")));
}

TEST_P(FilesContract, RenameReplacesAFileAndFollowsOpenOnes) {
    write("old", "old");
    write("new", "new");
    const auto file = open("new");
    ASSERT_TRUE(files().rename(path("new"), path("old")));
    EXPECT_EQ(content("old"), "new");
    EXPECT_FALSE(files().exists(path("new")));
    ASSERT_TRUE(file->write_at(0, as_bytes("NEW")));
    EXPECT_EQ(content("old"), "NEW");
    EXPECT_FALSE(files().rename(path("absent"), path("old")));
}

TEST_P(FilesContract, RenameMovesADirectoryWithWhatIsInIt) {
    ASSERT_TRUE(files().create_directories(path("d")));
    ASSERT_TRUE(files().create_directories(path("full")));
    write("d/a", "hello");
    write("full/a", "");
    EXPECT_FALSE(files().rename(path("d"), path("full")));
    ASSERT_TRUE(files().rename(path("d"), path("e")));
    EXPECT_EQ(content("e/a"), "hello");
}

TEST_P(FilesContract, RemoveTakesFilesAndTreesAndIsContentWithNothing) {
    write("a", "hello");
    ASSERT_TRUE(files().create_directories(path("d/e")));
    write("d/e/f", "hello");
    const auto file = open("a");
    ASSERT_TRUE(files().remove(path("a")));
    ASSERT_TRUE(files().remove(path("d")));
    ASSERT_TRUE(files().remove(path("d")));
    EXPECT_TRUE(names().empty());
    // Who has it open still reads it.
    std::array<std::byte, 5> into{};
    EXPECT_EQ(*file->read_at(0, into), 5U);
}

TEST_P(FilesContract, ALockHasOneHolder) {
    auto first = files().lock(path(".lock"));
    ASSERT_TRUE(first) << first.error().why;
    const auto second = files().lock(path(".lock"));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().why, "lock " + path(".lock") + ": this process holds it");
    EXPECT_TRUE(files().lock(path(".other")));
    first->reset();
    EXPECT_TRUE(files().lock(path(".lock")));
}

TEST_P(FilesContract, ReplaceFileLeavesTheNewContentAndNothingElse) {
    write("a", "old and longer");
    ASSERT_TRUE(replace_file(files(), path("a"), "new"));
    EXPECT_EQ(content("a"), "new");
    EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_P(FilesContract, ReadFileRefusesWhatIsTooLong) {
    write("a", "hello");
    EXPECT_TRUE(read_file(files(), path("a"), 5));
    const auto refused = read_file(files(), path("a"), 4);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().why,
              "read " + path("a") + ": 5 bytes, more than the 4 that such a file may have");
}

TEST_P(FilesContract, FreeBytesAreTold) {
    EXPECT_GT(*files().free_bytes(directory()), 0U);
    EXPECT_FALSE(files().free_bytes(path("absent")));
    EXPECT_GE(*files().total_bytes(directory()), *files().free_bytes(directory()));
    EXPECT_FALSE(files().total_bytes(path("absent")));
}

TEST_P(FilesContract, AFileSystemIsSyncedThroughALockInIt) {
    const auto lock = files().lock(path("lock"));
    ASSERT_TRUE(lock) << lock.error().why;
    EXPECT_TRUE((*lock)->sync_file_system());
}

TEST(StorageError, TellsAFullDiskThroughWhateverIsPutBefore) {
    const Error full = storage_error("pwritev", "/d/f", ENOSPC);
    EXPECT_EQ(full.why, "pwritev /d/f: No space left on device (ENOSPC)");
    EXPECT_TRUE(is_out_of_space(full));
    EXPECT_TRUE(is_out_of_space(storage_error("pwritev", "/d/f", EDQUOT)));
    EXPECT_TRUE(is_out_of_space(Result<void>(fail_at("append to t-0", full)).error()));
    EXPECT_FALSE(is_out_of_space(storage_error("pwritev", "/d/f (ENOSPC)", EIO)));
}

}  // namespace
}  // namespace milena::env
