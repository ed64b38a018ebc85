// SPDX-License-Identifier: Apache-2.0
// What an acceptor does when the process has no descriptor left for those who wait.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <netinet/in.h>

#include "milena/env/env.h"

namespace milena::env {
namespace {

/// A client that connects without any help of the Env, so its descriptor is open before they run
/// out.
int connect_plainly(std::uint16_t port) {
    const int client = ::socket(AF_INET, SOCK_STREAM, 0);
    ::sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(client, reinterpret_cast<const ::sockaddr*>(&address), sizeof address), 0);
    return client;
}

/// No further descriptor can be opened while this lives.
class NoDescriptors {
public:
    NoDescriptors() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const int lowest_free = ::dup(0);
        ::close(lowest_free);
        ::rlimit none = before_;
        none.rlim_cur = static_cast<::rlim_t>(lowest_free);
        ::setrlimit(RLIMIT_NOFILE, &none);
    }
    ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    ::rlimit before_{};
};

TEST(TcpAcceptor, OutOfDescriptorsIsRetriable) {
    const auto env = make_real_env(1);
    spawn(env->core(0), [](RealEnv& world) -> Task<void> {
        const Executor here = world.core(0);
        const auto acceptor = world.network().listen({"127.0.0.1", 0}, here);
        const int client = connect_plainly((*acceptor)->local().port);
        {
            const NoDescriptors none;
            const auto refused = co_await (*acceptor)->accept(here);
            EXPECT_FALSE(refused);
            EXPECT_TRUE(is_retriable(refused.error().code));
            EXPECT_EQ(refused.error().why,
                      "accept " + (*acceptor)->local().text() + ": Too many open files");
        }
        EXPECT_TRUE(co_await (*acceptor)->accept(here));
        ::close(client);
        world.stop();
    }(*env));
    env->run();
}

}  // namespace
}  // namespace milena::env
