// SPDX-License-Identifier: Apache-2.0
// Several threads, each with more files than descriptors are for all, write, read, cut, sync,
// rename and remove them at random and compare with what they remember. One more reads the same
// files of all of them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "posix/posix_files.h"

namespace milena::env {
namespace {

constexpr std::size_t kThreads = 4;
constexpr std::size_t kFilesEach = 12;
constexpr std::size_t kDescriptors = 10;
constexpr int kSteps = 3000;
constexpr std::size_t kBytesMax = 64;

/// One thread's files, all in a directory of its own.
class Owner {
public:
    Owner(FileSystem& files, std::string directory, unsigned seed)
        : files_(files), directory_(std::move(directory)), random_(seed) {
        EXPECT_TRUE(files_.create_directories(directory_));
        for (std::size_t i = 0; i < kFilesEach; ++i) known_.push_back(make());
    }

    void run() {
        for (int i = 0; i < kSteps && !testing::Test::HasFailure(); ++i) step();
    }

private:
    struct Known {
        std::unique_ptr<File> file;
        std::string name;
        std::string content;
        bool is_removed = false;
    };

    std::size_t draw(std::size_t below) { return random_() % below; }
    std::string path(const std::string& name) { return directory_ + "/" + name; }
    std::string new_name() { return std::to_string(++names_); }

    Known make() {
        Known known;
        known.name = new_name();
        auto file = files_.open(path(known.name), OpenMode::create_empty);
        EXPECT_TRUE(file) << file.error().why;
        if (file) known.file = *std::move(file);
        return known;
    }

    void step() {
        Known& known = known_[draw(known_.size())];
        if (known.file == nullptr) return;
        if (known.is_removed) {
            check_removed(known);
            if (draw(4) == 0) known = make();
            return;
        }
        switch (draw(12)) {
            case 0: truncate(known); break;
            case 1: EXPECT_TRUE(known.file->sync()); break;
            case 2: rename(known); break;
            case 3: replace(known); break;
            case 4: move_all(); break;
            case 5: remove(known); break;
            case 6: reopen(known); break;
            case 7:
            case 8:
            case 9: write(known); break;
            default: check(known);
        }
    }

    void write(Known& known) {
        const std::size_t at = draw(kBytesMax / 2);
        const std::string text(1 + draw(kBytesMax / 2), static_cast<char>('a' + draw(26)));
        const auto written = known.file->write_at(at, as_bytes(text));
        EXPECT_TRUE(written) << written.error().why;
        if (known.content.size() < at + text.size()) known.content.resize(at + text.size());
        known.content.replace(at, text.size(), text);
    }
    void truncate(Known& known) {
        const std::size_t size = draw(kBytesMax);
        EXPECT_TRUE(known.file->truncate(size));
        known.content.resize(size);
    }
    void rename(Known& known) {
        const std::string name = new_name();
        EXPECT_TRUE(files_.rename(path(known.name), path(name)));
        known.name = name;
    }
    /// Takes the name of another, whose file has none then.
    void replace(Known& known) {
        Known& other = known_[draw(known_.size())];
        if (&other == &known || other.is_removed || other.file == nullptr) return;
        EXPECT_TRUE(files_.rename(path(known.name), path(other.name)));
        known.name = other.name;
        other.is_removed = true;
    }
    void move_all() {
        const std::string to = directory_ + "x";
        EXPECT_TRUE(files_.rename(directory_, to));
        directory_ = to.size() < 200 ? to : to.substr(0, to.find_last_not_of('x') + 1);
        if (directory_ != to) EXPECT_TRUE(files_.rename(to, directory_));
    }
    void remove(Known& known) {
        EXPECT_TRUE(files_.remove(path(known.name)));
        known.is_removed = true;
    }
    void reopen(Known& known) {
        auto file = files_.open(path(known.name), OpenMode::read_write);
        ASSERT_TRUE(file) << file.error().why;
        known.file = *std::move(file);
    }

    static Result<std::string> read(const Known& known) {
        std::string text(2 * kBytesMax, '\0');
        TRY(const std::size_t count,
            known.file->read_at(0, std::as_writable_bytes(std::span(text))));
        return text.substr(0, count);
    }
    static void check(const Known& known) {
        const auto text = read(known);
        ASSERT_TRUE(text) << text.error().why;
        EXPECT_EQ(*text, known.content);
        EXPECT_EQ(*known.file->size(), known.content.size());
    }
    /// As it was, or not to be had: never what has its name now.
    static void check_removed(const Known& known) {
        const auto text = read(known);
        if (text) {
            EXPECT_EQ(*text, known.content);
        } else {
            EXPECT_TRUE(text.error().why.starts_with("open ")) << text.error().why;
        }
    }

    FileSystem& files_;
    std::string directory_;
    std::mt19937 random_;
    std::uint64_t names_ = 0;
    std::vector<Known> known_;
};

/// Reads files that nobody changes, through handles that several threads share.
void read_shared(const std::vector<std::unique_ptr<File>>& shared, unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < kSteps; ++i) {
        const std::size_t which = random() % shared.size();
        std::array<std::byte, 1> byte{};
        ASSERT_TRUE(shared[which]->read_at(0, byte));
        ASSERT_EQ(byte[0], static_cast<std::byte>(which));
    }
}

class DescriptorCacheProperty : public testing::TestWithParam<unsigned> {};

TEST_P(DescriptorCacheProperty, EveryFileIsWhatItsOwnerWrote) {
    // In memory where there is such a place: thousands of syncs are not what is tested.
    const std::string memory = "/dev/shm/";
    std::string root = std::filesystem::exists(memory) ? memory : testing::TempDir();
    root += "milena-cache-XXXXXX";
    ASSERT_NE(::mkdtemp(root.data()), nullptr);
    {
        PosixFileSystem files(kDescriptors);
        // Half of the runs sync many files at once, half one by one.
        std::unique_ptr<FileLock> lock;
        if (GetParam() % 2 == 0) lock = *files.lock(root + "/.lock");
        std::vector<std::unique_ptr<File>> shared;
        for (std::size_t i = 0; i < kFilesEach; ++i) {
            shared.push_back(*files.open(root + "/" + std::to_string(i), OpenMode::create));
            const auto byte = static_cast<std::byte>(i);
            ASSERT_TRUE(shared[i]->write_at(0, BytesView(&byte, 1)));
        }
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < kThreads; ++i) {
            const unsigned seed = GetParam() * kThreads + i;
            threads.emplace_back([&files, &root, i, seed] {
                Owner(files, root + "/t" + std::to_string(i), seed).run();
            });
            threads.emplace_back([&shared, seed] { read_shared(shared, seed); });
        }
        for (std::thread& thread : threads) thread.join();
        shared.clear();
        EXPECT_EQ(files.descriptors().figures().open, 0U);
        EXPECT_GT(files.descriptors().figures().misses, kSteps / 2U);
    }
    std::filesystem::remove_all(root);
}
INSTANTIATE_TEST_SUITE_P(, DescriptorCacheProperty, testing::Range(1U, 5U));

}  // namespace
}  // namespace milena::env
