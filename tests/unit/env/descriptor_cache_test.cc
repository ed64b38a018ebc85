// SPDX-License-Identifier: Apache-2.0
// Many files over few descriptors. The system calls that are to fail are this program's own, each
// thread's or, for syncs, of the whole program: the cache syncs on a thread of its own.
#include "posix/descriptor_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "allocations.h"
#include "posix/posix_file.h"
#include "posix/posix_files.h"

namespace {
thread_local int error_of_next_open = 0;
thread_local bool all_opens_lack_descriptors = false;
std::atomic<int> file_syncs = 0;
std::atomic<int> error_of_file_syncs = 0;
/// fdatasync of its files does not return.
std::atomic<::dev_t> device_that_hangs = 0;
std::atomic<int> file_system_syncs = 0;
std::atomic<int> error_of_file_system_syncs = 0;

int fail_with(int error_number) {
    errno = error_number;
    return -1;
}
}  // namespace

extern "C" int open(const char* path, int flags, ...) {
    if (all_opens_lack_descriptors) return fail_with(EMFILE);
    if (error_of_next_open != 0) return fail_with(std::exchange(error_of_next_open, 0));
    std::va_list rest;
    va_start(rest, flags);
    const ::mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, ::mode_t) : 0;
    va_end(rest);
    return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

extern "C" int fdatasync(int descriptor) {
    ++file_syncs;
    if (error_of_file_syncs != 0) return fail_with(error_of_file_syncs);
    struct ::stat status{};
    ::fstat(descriptor, &status);
    while (status.st_dev == device_that_hangs)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}

extern "C" int syncfs(int descriptor) noexcept {
    ++file_system_syncs;
    if (error_of_file_system_syncs != 0) return fail_with(error_of_file_system_syncs);
    return static_cast<int>(::syscall(SYS_syncfs, descriptor));
}

namespace milena::env {
namespace {

constexpr std::size_t kCapacity = 8;
/// Where written files wait to be synced.
constexpr std::size_t kBeyond = kCapacity + kCapacity / 4;

/// In memory where there is such a place, whose syncs take no time.
std::string folder_of_tests() {
    const std::string memory = "/dev/shm/";
    return std::filesystem::exists(memory) ? memory : testing::TempDir();
}

std::string make_directory(const std::string& folder) {
    std::string name = folder + "milena-cache-XXXXXX";
    return ::mkdtemp(name.data()) == nullptr ? std::string() : name;
}

class DescriptorCacheTest : public testing::Test {
protected:
    DescriptorCacheTest() {
        directory = make_directory(folder_of_tests());
        file_syncs = 0;
        file_system_syncs = 0;
    }
    ~DescriptorCacheTest() override {
        error_of_file_syncs = 0;
        error_of_file_system_syncs = 0;
        all_opens_lack_descriptors = false;
        device_that_hangs = 0;
        std::filesystem::remove_all(directory);
    }

    std::string path(const std::string& name) { return directory + "/" + name; }
    std::unique_ptr<File> open(const std::string& name, OpenMode mode = OpenMode::create) {
        auto file = files.open(path(name), mode);
        EXPECT_TRUE(file) << file.error().why;
        return file ? *std::move(file) : nullptr;
    }
    static std::string content(const File& file) {
        std::string text(100, '\0');
        const auto count = file.read_at(0, std::as_writable_bytes(std::span(text)));
        return count ? text.substr(0, *count) : count.error().why;
    }
    static void write(File& file, const std::string& text) {
        const auto written = file.write_at(0, as_bytes(text));
        EXPECT_TRUE(written) << written.error().why;
    }
    /// Has so many others in use at once that every file that may be closed is; `kept` may not.
    void crowd_out(std::size_t kept = 0) {
        std::vector<std::unique_ptr<File>> others;
        std::vector<DescriptorLease> leases;
        for (std::size_t i = 0; i < kCapacity; ++i) {
            others.push_back(open("other" + std::to_string(i)));
            leases.push_back(*dynamic_cast<PosixFile&>(*others.back()).lease());
        }
        // What was written is synced by another thread first.
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (files.descriptors().figures().open > kCapacity + kept &&
               std::chrono::steady_clock::now() < give_up) {
            if (!files.descriptors().release_some())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        EXPECT_EQ(files.descriptors().figures().open, kCapacity + kept);
    }
    std::size_t open_descriptors() {
        std::size_t count = 0;
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
            std::error_code gone;
            const auto target = std::filesystem::read_symlink(entry.path(), gone);
            count += target.string().starts_with(directory + "/");
        }
        return count;
    }

    std::string directory;
    PosixFileSystem files{kCapacity};
};

TEST_F(DescriptorCacheTest, ManyFilesTakeFewDescriptors) {
    constexpr std::size_t kFiles = 100;
    std::vector<std::unique_ptr<File>> all;
    for (std::size_t i = 0; i < kFiles; ++i) {
        all.push_back(open(std::to_string(i), OpenMode::create_empty));
        write(*all.back(), "content " + std::to_string(i));
        EXPECT_LE(open_descriptors(), kBeyond);
    }
    for (std::size_t i = 0; i < kFiles; ++i) {
        EXPECT_EQ(content(*all[i]), "content " + std::to_string(i));
        EXPECT_EQ(*all[i]->size(), ("content " + std::to_string(i)).size());
        EXPECT_TRUE(all[i]->is_cached(0));
        EXPECT_LE(open_descriptors(), kBeyond);
    }
    const DescriptorFigures figures = files.descriptors().figures();
    EXPECT_EQ(figures.open_max, kCapacity);
    EXPECT_EQ(figures.open, kCapacity);
    EXPECT_GE(figures.misses, kFiles - kBeyond);
    EXPECT_GE(figures.evictions, 2 * (kFiles - kBeyond));
    EXPECT_GE(figures.dirty_evictions, kFiles - kBeyond);
    all.clear();
    EXPECT_EQ(open_descriptors(), 0U);
    EXPECT_EQ(files.descriptors().figures().open, 0U);
}

TEST_F(DescriptorCacheTest, AFileInUseKeepsItsDescriptor) {
    const auto file = open("a");
    write(*file, "hello");
    const auto lease = dynamic_cast<PosixFile&>(*file).lease();
    ASSERT_TRUE(lease);
    const int number = lease->number();
    crowd_out(1);
    std::array<char, 5> into{};
    EXPECT_EQ(::pread(number, into.data(), into.size(), 0), 5);
    EXPECT_EQ(std::string_view(into.data(), into.size()), "hello");
}

TEST_F(DescriptorCacheTest, AUseOfAnOpenFileIsCountedAndAllocatesNothing) {
    const auto file = open("a");
    write(*file, "hello");
    std::array<std::byte, 5> into{};
    const std::uint64_t hits = files.descriptors().figures().hits;
    const std::uint64_t allocations = allocations_of_this_thread();
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(file->write_at(0, as_bytes("hello")));
        EXPECT_TRUE(file->read_at(0, into));
    }
    EXPECT_EQ(allocations_of_this_thread(), allocations);
    EXPECT_EQ(files.descriptors().figures().hits, hits + 200);
}

TEST_F(DescriptorCacheTest, WhatIsUsedOftenStaysOpen) {
    const auto often = open("often");
    std::vector<std::unique_ptr<File>> all;
    for (std::size_t i = 0; i < 10 * kCapacity; ++i) {
        all.push_back(open(std::to_string(i)));
        content(*often);
        content(*often);
    }
    EXPECT_EQ(files.descriptors().figures().misses, 0U);
}

TEST_F(DescriptorCacheTest, AWrittenFileIsSyncedBeforeItIsClosed) {
    const auto file = open("a");
    write(*file, "hello");
    ASSERT_EQ(file_syncs, 0);
    crowd_out();
    EXPECT_EQ(file_syncs, 1);
    EXPECT_EQ(files.descriptors().figures().dirty_evictions, 1U);
    // What was only read is not.
    content(*file);
    crowd_out();
    EXPECT_EQ(file_syncs, 1);
    EXPECT_TRUE(file->truncate(2));
    crowd_out();
    EXPECT_EQ(file_syncs, 2);
    EXPECT_EQ(content(*file), "he");
}

TEST_F(DescriptorCacheTest, WhatThatSyncLostIsToldToEveryWriterAndSync) {
    const auto file = open("a");
    const auto other = open("b");
    write(*file, "hello");
    error_of_file_syncs = EIO;
    crowd_out();
    ASSERT_EQ(file_syncs, 1);
    error_of_file_syncs = 0;
    const std::string why = "fdatasync " + path("a") + ": Input/output error (EIO)";
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(file->sync().error().why, why);
        EXPECT_EQ(file->write_at(0, as_bytes("x")).error().why, why);
        EXPECT_EQ(file->truncate(0).error().why, why);
    }
    EXPECT_EQ(file_syncs, 1) << "it was tried again";
    EXPECT_EQ(content(*file), "hello");
    EXPECT_TRUE(other->sync());
}

TEST_F(DescriptorCacheTest, ASyncThatItsOwnerSawFailIsFinalToo) {
    const auto file = open("a");
    write(*file, "hello");
    error_of_file_syncs = ENOSPC;
    EXPECT_TRUE(is_out_of_space(file->sync().error()));
    error_of_file_syncs = 0;
    EXPECT_FALSE(file->sync());
    EXPECT_FALSE(file->write_at(0, as_bytes("x")));
}

TEST_F(DescriptorCacheTest, WhatOneHandleLostIsToldToEveryOtherOfTheFile) {
    // The system tells it once only: one that comes later would sync without an error.
    const auto before = open("a");
    auto loser = open("a");
    write(*loser, "hello");
    error_of_file_syncs = EIO;
    EXPECT_FALSE(loser->sync());
    error_of_file_syncs = 0;
    loser.reset();
    EXPECT_FALSE(before->sync());
    EXPECT_FALSE(before->write_at(0, as_bytes("x")));
    ASSERT_TRUE(files.rename(path("a"), path("b")));
    EXPECT_EQ(open("b")->sync().error().why,
              "fdatasync " + path("b") + ": Input/output error (EIO)");
    EXPECT_EQ(file_syncs, 1) << "it was tried again";
    EXPECT_TRUE(open("a")->sync()) << "another file";
}

TEST_F(DescriptorCacheTest, WithoutDescriptorsNothingIsWrittenAndNothingNeedsToBeCut) {
    const auto file = open("a");
    write(*file, "hello");
    crowd_out();
    all_opens_lack_descriptors = true;
    EXPECT_FALSE(file->write_at(5, as_bytes("!")));
    EXPECT_TRUE(file->truncate(5));
    EXPECT_FALSE(file->truncate(4));
    std::filesystem::rename(path("a"), path("b"));
    EXPECT_FALSE(file->truncate(5)) << "who knows how long it is";
    std::filesystem::rename(path("b"), path("a"));
    all_opens_lack_descriptors = false;
    EXPECT_EQ(content(*file), "hello");
}

TEST_F(DescriptorCacheTest, ADiskThatHangsHoldsUpNobodyElse) {
    const std::string elsewhere = make_directory(testing::TempDir());
    struct ::stat here{};
    struct ::stat there{};
    ASSERT_EQ(::stat(directory.c_str(), &here), 0);
    ASSERT_EQ(::stat(elsewhere.c_str(), &there), 0);
    if (here.st_dev == there.st_dev) {
        std::filesystem::remove_all(elsewhere);
        GTEST_SKIP() << "needs two file systems";
    }
    device_that_hangs = there.st_dev;
    std::vector<std::unique_ptr<File>> hanging;
    for (std::size_t i = 0; i < kCapacity; ++i) {
        hanging.push_back(*files.open(elsewhere + "/" + std::to_string(i), OpenMode::create));
        write(*hanging.back(), "hello");
    }
    constexpr std::size_t kFiles = 100;
    const auto began = std::chrono::steady_clock::now();
    std::vector<std::unique_ptr<File>> all;
    for (std::size_t i = 0; i < kFiles; ++i) {
        all.push_back(open(std::to_string(i)));
        write(*all.back(), std::to_string(i));
    }
    for (std::size_t i = 0; i < kFiles; ++i) EXPECT_EQ(content(*all[i]), std::to_string(i));
    // Far from a second for each, and from waiting until the other is well again.
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
    EXPECT_GE(files.descriptors().figures().misses, kFiles / 2) << "its own ones were closed";
    device_that_hangs = 0;
    for (const auto& file : hanging) EXPECT_TRUE(file->sync());
    hanging.clear();
    std::filesystem::remove_all(elsewhere);
}

TEST_F(DescriptorCacheTest, OpeningAgainNeitherEmptiesNorMakesAFile) {
    const auto emptied = open("a", OpenMode::create_empty);
    write(*emptied, "hello");
    const auto removed = open("b", OpenMode::create);
    crowd_out();
    EXPECT_EQ(content(*emptied), "hello");
    std::filesystem::remove(path("b"));
    EXPECT_EQ(content(*removed), "open " + path("b") + ": No such file or directory (ENOENT)");
    EXPECT_FALSE(files.exists(path("b")));
    EXPECT_FALSE(removed->size());
    EXPECT_TRUE(removed->is_cached(0));
}

TEST_F(DescriptorCacheTest, AFileIsFoundByItsNewName) {
    ASSERT_TRUE(files.create_directories(path("t-0/d")));
    const auto below = open("t-0/d/a");
    const auto beside = open("t-0.x");
    const auto file = open("t-0/a.tmp");
    write(*below, "below");
    write(*beside, "beside");
    write(*file, "file");
    ASSERT_TRUE(files.rename(path("t-0/a.tmp"), path("t-0/a")));
    ASSERT_TRUE(files.rename(path("t-0"), path("t-0.1-delete")));
    crowd_out();
    EXPECT_EQ(content(*below), "below");
    EXPECT_EQ(content(*beside), "beside");
    EXPECT_EQ(content(*file), "file");
    crowd_out();
    EXPECT_TRUE(file->write_at(0, as_bytes("FILE")));
    EXPECT_EQ(content(*open("t-0.1-delete/a")), "FILE");
    EXPECT_EQ(file->path(), path("t-0/a.tmp"));
}

TEST_F(DescriptorCacheTest, ARenameThatFailsChangesNothing) {
    const auto file = open("a");
    write(*file, "hello");
    EXPECT_EQ(
        files.rename(path("a"), path("no/a")).error().why,
        "rename " + path("a") + " to " + path("no/a") + ": No such file or directory (ENOENT)");
    crowd_out();
    EXPECT_EQ(content(*file), "hello");
}

TEST_F(DescriptorCacheTest, AFileOfTheSameNameIsNotTakenForIt) {
    // As a topic that is deleted and made anew: nothing of the old one may reach the new one.
    const auto old = open("a");
    write(*old, "old");
    crowd_out();
    ASSERT_TRUE(open("b")->write_at(0, as_bytes("new")));
    ASSERT_EQ(::rename(path("b").c_str(), path("a").c_str()), 0) << "behind the cache's back";
    EXPECT_EQ(content(*old), "open " + path("a") + ": Stale file handle (ESTALE)");
    EXPECT_FALSE(old->write_at(0, as_bytes("OLD")));
    EXPECT_EQ(content(*open("a")), "new");
}

TEST_F(DescriptorCacheTest, WhatIsRemovedOrReplacedWhileOpenStaysReadable) {
    const auto removed = open("a");
    const auto replaced = open("b");
    write(*removed, "removed");
    write(*replaced, "replaced");
    write(*open("c"), "new");
    ASSERT_TRUE(files.remove(path("a")));
    ASSERT_TRUE(files.rename(path("c"), path("b")));
    crowd_out(2);
    EXPECT_EQ(content(*removed), "removed");
    EXPECT_EQ(content(*replaced), "replaced");
    EXPECT_EQ(content(*open("b")), "new");
}

TEST_F(DescriptorCacheTest, WithoutDescriptorsItClosesOneAndTriesAgain) {
    const auto first = open("a");
    write(*first, "hello");
    EXPECT_TRUE(first->sync());
    const auto second = open("b");
    for (const int error_number : {EMFILE, ENFILE}) {
        const std::uint64_t before = files.descriptors().figures().evictions;
        error_of_next_open = error_number;
        EXPECT_TRUE(open("c"));
        error_of_next_open = error_number;
        EXPECT_TRUE(files.sync_directory(directory));
        EXPECT_GT(files.descriptors().figures().evictions, before);
        EXPECT_EQ(content(*first), "hello");
        EXPECT_EQ(content(*second), "");
    }
    // With nothing to close it waits for others.
    PosixFileSystem empty(kCapacity);
    error_of_next_open = EMFILE;
    EXPECT_TRUE(empty.open(path("d"), OpenMode::create));
}

TEST_F(DescriptorCacheTest, GivesSomeUpForSocketsButNotAll) {
    std::vector<std::unique_ptr<File>> all;
    for (std::size_t i = 0; i < kCapacity; ++i) all.push_back(open(std::to_string(i)));
    EXPECT_TRUE(files.descriptors().release_some());
    EXPECT_EQ(open_descriptors(), 1U);
    EXPECT_FALSE(files.descriptors().release_some());
    EXPECT_EQ(content(*all[3]), "");
}

TEST_F(DescriptorCacheTest, AReadOnlyFileIsFoundAgain) {
    // Permissions count for an ordinary user only; a thread can be one.
    constexpr ::uid_t kNobody = 65534;
    if (::geteuid() != 0) GTEST_SKIP() << "needs to be root to become another user";
    std::filesystem::permissions(directory, std::filesystem::perms::all);
    std::thread([this] {
        ::syscall(SYS_setfsuid, kNobody);
        const auto file = open("a");
        write(*file, "hello");
        ASSERT_TRUE(files.make_read_only(path("a")));
        crowd_out();
        EXPECT_EQ(content(*file), "hello");
        EXPECT_TRUE(file->sync());
        EXPECT_FALSE(file->write_at(0, as_bytes("x")));
        EXPECT_FALSE(files.open(path("a"), OpenMode::read_write));
    }).join();
}

TEST_F(DescriptorCacheTest, ManyFilesAreSyncedAtOnce) {
    constexpr std::size_t kFiles = 64;
    PosixFileSystem many(kFiles);
    const auto lock = *many.lock(path(".lock"));
    std::vector<std::unique_ptr<File>> all;
    for (std::size_t i = 0; i < 2 * kFiles; ++i) {
        all.push_back(*many.open(path(std::to_string(i)), OpenMode::create));
        if (i < kFiles) write(*all[i], "hello");
    }
    // Nobody waited for that: the others are closed one for the other meanwhile.
    for (int i = 0; i < 10'000 && file_system_syncs == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_GE(file_system_syncs, 1);
    EXPECT_LE(file_system_syncs, 8);
    EXPECT_LE(file_syncs, static_cast<int>(kFiles / 2));
    EXPECT_GE(many.descriptors().figures().dirty_evictions, kFiles / 2);
    for (std::size_t i = 0; i < kFiles; ++i) EXPECT_TRUE(all[i]->sync());
}

TEST_F(DescriptorCacheTest, IfThatFailsEveryFileIsAskedByItself) {
    constexpr std::size_t kFiles = 64;
    PosixFileSystem many(kFiles);
    const auto lock = *many.lock(path(".lock"));
    std::vector<std::unique_ptr<File>> all;
    error_of_file_system_syncs = EIO;
    for (std::size_t i = 0; i < 2 * kFiles; ++i) {
        all.push_back(*many.open(path(std::to_string(i)), OpenMode::create));
        write(*all[i], "hello");
    }
    // Others may have been lost before, which the file system would not tell again.
    EXPECT_EQ(file_system_syncs, 1);
    EXPECT_GE(file_syncs, static_cast<int>(kFiles / 2));
    for (const auto& file : all) EXPECT_TRUE(file->sync());
}

}  // namespace
}  // namespace milena::env
