// SPDX-License-Identifier: Apache-2.0
// What an acceptor does when the process has no descriptor left for those who wait. The system call
// is this program's own, because a sanitizer that really had no descriptor left would fail first.
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "milena/env/env.h"
#include "milena/env/process.h"

namespace {
thread_local int error_of_next_accept = 0;
}

extern "C" int accept4(int listener, ::sockaddr* address, ::socklen_t* length, int flags) {
    if (error_of_next_accept != 0) {
        errno = std::exchange(error_of_next_accept, 0);
        return -1;
    }
    return static_cast<int>(::syscall(SYS_accept4, listener, address, length, flags));
}

namespace milena::env {
namespace {

Task<void> accept_with(RealEnv& env, int error_number, std::string& why, bool& retriable) {
    const Executor here = env.core(0);
    const auto acceptor = env.network().listen({"127.0.0.1", 0}, here);
    const Endpoint there = (*acceptor)->local();
    const auto client = co_await env.network().connect(there, here);
    error_of_next_accept = error_number;
    auto stream = co_await (*acceptor)->accept(here);
    if (!stream) {
        why = stream.error().why;
        retriable = is_retriable(stream.error().code);
        EXPECT_TRUE(why.starts_with("accept " + there.text() + ": ")) << why;
        stream = co_await (*acceptor)->accept(here);
    }
    EXPECT_TRUE(stream) << "the client still waits";
    env.stop();
}

TEST(TcpAcceptor, OutOfDescriptorsIsRetriable) {
    const auto env = make_real_env(1);
    std::string why;
    bool retriable = false;
    spawn(env->core(0), accept_with(*env, EMFILE, why, retriable));
    env->run();
    EXPECT_TRUE(why.ends_with("Too many open files")) << why;
    EXPECT_TRUE(retriable);
}

TEST(TcpAcceptor, AClientGetsADescriptorThatFilesCanSpare) {
    std::string directory = testing::TempDir() + "milena-acceptor-XXXXXX";
    ASSERT_NE(::mkdtemp(directory.data()), nullptr);
    const auto env = make_real_env(1);
    constexpr int kMoreThanFilesKeep = 100;
    std::vector<std::unique_ptr<File>> open;
    for (int i = 0; i < kMoreThanFilesKeep; ++i) {
        const std::string path = directory + "/" + std::to_string(i);
        open.push_back(*env->files().open(path, OpenMode::create));
    }
    const auto before = descriptor_figures(env->files());
    std::string why;
    bool retriable = false;
    spawn(env->core(0), accept_with(*env, EMFILE, why, retriable));
    env->run();
    EXPECT_EQ(why, "");
    EXPECT_GT(descriptor_figures(env->files()).evictions, before.evictions);
    EXPECT_TRUE(env->files().remove(directory));
}

TEST(TcpAcceptor, AClientThatLeftBeforeItsTurnIsPassedOver) {
    const auto env = make_real_env(1);
    std::string why;
    bool retriable = false;
    spawn(env->core(0), accept_with(*env, ECONNABORTED, why, retriable));
    env->run();
    EXPECT_EQ(why, "");
}

}  // namespace
}  // namespace milena::env
