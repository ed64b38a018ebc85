// SPDX-License-Identifier: Apache-2.0
// The lock as another process sees it: a child takes or tries the lock that Java would, with plain
// fcntl.
#include "posix/record_lock.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>

#include <gtest/gtest.h>

namespace milena::env {
namespace {

/// As FileChannel.tryLock(): an exclusive record lock of the whole file, without waiting.
bool try_lock_as_java(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT, 0644);
    struct ::flock whole{};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    return ::fcntl(descriptor, F_SETLK, &whole) == 0;
}

/// What `question` answers in another process.
template <class Question>
bool in_another_process(Question question) {
    const ::pid_t child = ::fork();
    if (child == 0) ::_exit(question() ? 0 : 1);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class RecordLockTest : public testing::Test {
protected:
    RecordLockTest() {
        std::string name = testing::TempDir() + "milena-lock-XXXXXX";
        ::close(::mkstemp(name.data()));
        path = name;
    }
    ~RecordLockTest() override { ::unlink(path.c_str()); }
    std::string path;
};

TEST_F(RecordLockTest, KeepsAnotherProcessOutUntilItIsGone) {
    {
        const auto lock = take_record_lock(path);
        ASSERT_TRUE(lock) << lock.error().why;
        EXPECT_FALSE(in_another_process([this] { return try_lock_as_java(path); }));
    }
    EXPECT_TRUE(in_another_process([this] { return try_lock_as_java(path); }));
}

TEST_F(RecordLockTest, IsKeptOutByAnotherProcess) {
    int locked[2];
    int done[2];
    ASSERT_EQ(::pipe(locked), 0);
    ASSERT_EQ(::pipe(done), 0);
    const ::pid_t child = ::fork();
    if (child == 0) {
        char byte = try_lock_as_java(path) ? 'y' : 'n';
        (void)!::write(locked[1], &byte, 1);
        (void)!::read(done[0], &byte, 1);
        ::_exit(0);
    }
    char byte = 0;
    ASSERT_EQ(::read(locked[0], &byte, 1), 1);
    ASSERT_EQ(byte, 'y');
    const auto refused = take_record_lock(path);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().why, "lock " + path + ": another process holds it");
    EXPECT_EQ(::write(done[1], &byte, 1), 1);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(take_record_lock(path));
}

TEST_F(RecordLockTest, ASecondAttemptHereDoesNotDropTheFirst) {
    // Closing any descriptor of the file would: so the attempt must not even open it, by whatever
    // name.
    const std::string other_name = path + ".link";
    ASSERT_EQ(::symlink(path.c_str(), other_name.c_str()), 0);
    const auto lock = take_record_lock(path);
    ASSERT_TRUE(lock);
    EXPECT_FALSE(take_record_lock(path));
    EXPECT_FALSE(take_record_lock(other_name));
    ::unlink(other_name.c_str());
    EXPECT_FALSE(in_another_process([this] { return try_lock_as_java(path); }));
}

TEST_F(RecordLockTest, WhereTheFileCantBeMadeItSaysWhy) {
    const auto refused = take_record_lock("/no/such/folder/.lock");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().why,
              "open /no/such/folder/.lock: No such file or directory (ENOENT)");
}

}  // namespace
}  // namespace milena::env
