// SPDX-License-Identifier: Apache-2.0
// The least that a broker has to do, and nothing else: what the budgets of tests/bench are measured
// against.
//
//   floor ingest MB FOLDER BATCH   receives frames of one batch of BATCH bytes, checks each batch's
//                                  CRC-32C, appends it to a file, answers with 60 bytes
//   floor egress MB FOLDER         sends a file from the page cache by sendfile, 1 MiB at a time
//
// BATCH is to be what clients really send: a system keeps a file that is appended to in whole pages
// or whole 128 KiB in other pieces than one of any size, and they cost differently.
//
// The peer is a forked child on the other core, over one loopback connection. Prints one line: CPU
// seconds of the serving process for each GB (10^9 bytes), and seconds of the whole run.
#include <fcntl.h>
#include <isa-l/crc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t kLength = 4;
constexpr std::size_t kAnswer = 60;
/// Frames that the child has on their way, like a client with some requests in flight.
constexpr std::size_t kWindow = 8;
constexpr std::size_t kPiece = 1 << 20;
constexpr std::size_t kHotFile = 256 << 20;
constexpr std::size_t kFileMax = 1 << 30;

[[noreturn]] void die(const char* call) {
    std::perror(call);
    std::_Exit(1);
}

/// The result of a system call that must not fail.
template <class T>
T must(T result, const char* call) {
    if (result < 0) die(call);
    return result;
}

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

void run_on(int core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    sched_setaffinity(0, sizeof cores, &cores);  // a wish: one core must do where there is but one
}

void send_all(int socket, const char* bytes, std::size_t count) {
    while (count > 0) {
        const auto sent = must(send(socket, bytes, count, MSG_NOSIGNAL), "send");
        bytes += sent;
        count -= static_cast<std::size_t>(sent);
    }
}

void no_delay(int socket) {
    const int on = 1;
    must(setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "setsockopt");
}

/// The child of an ingest run: keeps kWindow frames in flight until `frames` are answered.
void send_frames(int socket, std::size_t frames, std::size_t batch) {
    std::vector<char> frame(kLength + batch);
    for (std::size_t at = kLength; at < frame.size(); ++at)
        frame[at] = static_cast<char>(at * 131 >> 3);
    const std::uint32_t length = htonl(static_cast<std::uint32_t>(batch));
    std::memcpy(frame.data(), &length, sizeof length);

    std::vector<char> answers(kAnswer * kWindow);
    std::size_t sent = 0;
    std::size_t answered_bytes = 0;
    while (answered_bytes < frames * kAnswer) {
        while (sent < frames && sent < answered_bytes / kAnswer + kWindow) {
            send_all(socket, frame.data(), frame.size());
            ++sent;
        }
        const auto count = must(recv(socket, answers.data(), answers.size(), 0), "recv answers");
        if (count == 0) die("the server is gone");
        answered_bytes += static_cast<std::size_t>(count);
    }
}

/// The child of an egress run: takes bytes and throws them away in the kernel.
void discard(int socket) {
    char none[1];
    while (must(recv(socket, none, 4 << 20, MSG_TRUNC), "recv") > 0) {
    }
}

class AppendFile {
public:
    explicit AppendFile(std::string path) : path_(std::move(path)) { begin(); }
    ~AppendFile() {
        close(file_);
        unlink(path_.c_str());
    }
    AppendFile(const AppendFile&) = delete;
    AppendFile& operator=(const AppendFile&) = delete;

    void append(const char* bytes, std::size_t count) {
        if (end_ + count > kFileMax) {
            close(file_);
            begin();
        }
        const auto written = pwrite(file_, bytes, count, static_cast<off_t>(end_));
        if (written != static_cast<ssize_t>(count)) die("pwrite");
        end_ += count;
    }

private:
    void begin() {
        unlink(path_.c_str());
        file_ = must(open(path_.c_str(), O_CREAT | O_RDWR | O_TRUNC, 0644), "open");
        end_ = 0;
    }

    std::string path_;
    int file_ = -1;
    std::size_t end_ = 0;
};

/// Receives until the child closes; gives the bytes of the batches.
std::size_t ingest(int socket, const std::string& folder, std::size_t batch_bytes) {
    const std::size_t frame_bytes = kLength + batch_bytes;
    AppendFile log(folder + "/floor.log");
    std::vector<char> buffer(kPiece + frame_bytes);
    const std::string answer(kAnswer, 'a');
    std::string answers;
    std::size_t held = 0;
    std::size_t taken = 0;
    unsigned checksums = 0;
    for (;;) {
        const auto count =
            must(recv(socket, buffer.data() + held, buffer.size() - held, 0), "recv");
        if (count == 0) break;
        held += static_cast<std::size_t>(count);
        std::size_t at = 0;
        answers.clear();
        for (; held - at >= frame_bytes; at += frame_bytes) {
            char* const batch = buffer.data() + at + kLength;
            checksums ^= crc32_iscsi(reinterpret_cast<unsigned char*>(batch),
                                     static_cast<int>(batch_bytes), ~0U);
            log.append(batch, batch_bytes);
            answers += answer;
            taken += batch_bytes;
        }
        if (!answers.empty()) send_all(socket, answers.data(), answers.size());
        std::memmove(buffer.data(), buffer.data() + at, held - at);
        held -= at;
    }
    if (checksums == 1) std::puts("");  // so that nobody optimises the checksums away
    return taken;
}

int hot_file(const std::string& folder) {
    const auto path = folder + "/floor.hot";
    const int file = must(open(path.c_str(), O_CREAT | O_RDWR | O_TRUNC, 0644), "open");
    unlink(path.c_str());
    const std::vector<char> piece(kPiece, 'h');
    for (std::size_t at = 0; at < kHotFile; at += piece.size()) {
        must(pwrite(file, piece.data(), piece.size(), static_cast<off_t>(at)), "pwrite");
    }
    must(fdatasync(file), "fdatasync");
    return file;
}

std::size_t egress(int socket, int file, std::size_t bytes) {
    for (std::size_t sent = 0; sent < bytes;) {
        auto at = static_cast<off_t>(sent % kHotFile);
        const auto wanted = std::min(kPiece, kHotFile - sent % kHotFile);
        const auto count = must(sendfile(socket, file, &at, wanted), "sendfile");
        sent += static_cast<std::size_t>(count);
    }
    return bytes;
}

/// A connected pair of loopback TCP sockets; forks, and gives each process its end.
struct Peers {
    int socket;
    pid_t child;  ///< 0 in the child
};

Peers fork_peer() {
    const int listener = must(socket(AF_INET, SOCK_STREAM, 0), "socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const where = reinterpret_cast<sockaddr*>(&address);
    must(bind(listener, where, length), "bind");
    must(listen(listener, 1), "listen");
    must(getsockname(listener, where, &length), "getsockname");
    const pid_t child = must(fork(), "fork");
    Peers peers{-1, child};
    if (child == 0) {
        peers.socket = must(socket(AF_INET, SOCK_STREAM, 0), "socket");
        must(connect(peers.socket, where, length), "connect");
    } else {
        peers.socket = must(accept(listener, nullptr, nullptr), "accept");
    }
    close(listener);
    no_delay(peers.socket);
    return peers;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view mode = argc >= 4 ? argv[1] : "";
    const bool is_ingest = mode == "ingest" && argc == 5;
    const auto batch = is_ingest ? static_cast<std::size_t>(std::atoll(argv[4])) : 0;
    if ((!is_ingest || batch == 0) && (mode != "egress" || argc != 4)) {
        std::fputs("usage: floor ingest MB FOLDER BATCH | floor egress MB FOLDER\n", stderr);
        return 2;
    }
    const auto bytes = static_cast<std::size_t>(std::atoll(argv[2])) * 1'000'000;
    const int file = is_ingest ? -1 : hot_file(argv[3]);
    const auto peers = fork_peer();
    if (peers.child == 0) {
        run_on(1);
        is_ingest ? send_frames(peers.socket, bytes / batch, batch) : discard(peers.socket);
        std::_Exit(0);
    }
    run_on(0);
    const double cpu_before = cpu_seconds();
    const auto began = std::chrono::steady_clock::now();
    const auto moved =
        is_ingest ? ingest(peers.socket, argv[3], batch) : egress(peers.socket, file, bytes);
    const double cpu = cpu_seconds() - cpu_before;
    close(peers.socket);
    waitpid(peers.child, nullptr, 0);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
    const double gb = static_cast<double>(moved) / 1e9;
    std::printf("%.4f CPU-s/GB %.3f s\n", cpu / gb, wall.count());
    return 0;
}
