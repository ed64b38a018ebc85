// SPDX-License-Identifier: Apache-2.0
// Between fork and exec only calls that are safe there: all texts are made before.
#include "local/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

namespace milena::cli {
namespace {

std::string errno_text() {
    return std::strerror(errno);
}

/// In the child: never returns.
[[noreturn]] void become_server(pid_t parent, int output, char* const* arguments) {
    // Its own group: the terminal's Ctrl-C goes to the group of who started it.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execv("/proc/self/exe", arguments);
    ::_exit(127);
}

}  // namespace

Result<pid_t> spawn_server(const std::string& properties, const std::string& log) {
    std::string program = "milena";
    std::string command = "server";
    std::string file = properties;
    const std::array<char*, 4> arguments{program.data(), command.data(), file.data(), nullptr};
    const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (output < 0) {
        return fail(ErrorCode::kafka_storage_error, fmt::format("open {}: {}", log, errno_text()));
    }
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) become_server(parent, output, arguments.data());
    const std::string why = child < 0 ? errno_text() : "";
    ::close(output);
    if (child > 0) return child;
    return fail(ErrorCode::unknown_server_error, fmt::format("fork: {}", why));
}

std::optional<Ended> reap() {
    int status = 0;
    const pid_t process = ::waitpid(-1, &status, WNOHANG);
    if (process <= 0) return std::nullopt;
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return Ended{process, fmt::format("signal {} ({})", signal, ::strsignal(signal))};
    }
    return Ended{process, fmt::format("exit code {}", WEXITSTATUS(status))};
}

std::string tail_of(const std::string& path, std::size_t bytes_max) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) return "";
    const auto size = static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0));
    const std::size_t skipped = size > bytes_max ? size - bytes_max : 0;
    file.seekg(static_cast<std::streamoff>(skipped));
    std::string text;
    std::string line;
    // The first line after the cut is most likely half a line.
    if (skipped != 0) std::getline(file, line);
    while (std::getline(file, line)) text += fmt::format("    {}\n", line);
    return text;
}

pid_t lock_holder(const std::string& lock_path) {
    const int file = ::open(lock_path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    struct ::flock whole_file{};
    whole_file.l_type = F_WRLCK;
    whole_file.l_whence = SEEK_SET;
    const bool is_told = ::fcntl(file, F_GETLK, &whole_file) == 0;
    ::close(file);
    return is_told && whole_file.l_type != F_UNLCK && whole_file.l_pid > 0
               ? whole_file.l_pid
               : 0;  // of another machine, or of nobody in particular
}

}  // namespace milena::cli
