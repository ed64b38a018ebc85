// SPDX-License-Identifier: Apache-2.0
// What an append costs beside a plain write of the same bytes, and what validation and reads cost.
//
//   storage_bench DIRECTORY [GIGABYTES]    makes and removes its files in DIRECTORY
//   storage_bench --write DIRECTORY        leaves a log of a few segments there, cleanly closed,
//   for other readers
//
// CPU time of this process, user and system; the lowest of three rounds, since a shared machine
// only ever adds.
#include <sys/resource.h>

#include <cstdio>
#include <string>
#include <vector>

#include "milena/base/crc32c.h"
#include "milena/env/env.h"
#include "milena/record/validate.h"
#include "milena/storage/log.h"
#include "support/batches.h"

namespace milena {
namespace {

constexpr std::size_t kRecordBytes = 1024;
constexpr int kRecordsPerBatch = 127;  // with their headers just below 128 KiB
constexpr std::uint64_t kWritebackBytes = 4ULL << 20;

double cpu_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <class T>
T must(Result<T> result) {
    INVARIANT(result, result.error().why);
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// CPU seconds of the cheapest of three calls.
template <class Work>
double measure(Work work) {
    double best = 1e9;
    for (int round = 0; round < 3; ++round) {
        const double before = cpu_seconds();
        work();
        best = std::min(best, cpu_seconds() - before);
    }
    return best;
}

class Bench {
public:
    Bench(env::Env& env, std::string directory, double gigabytes)
        : env_(env),
          directory_(std::move(directory)),
          batch_(support::plain_batch(0, kRecordsPerBatch, 1'700'000'000'000, 0, kRecordBytes)),
          count_(static_cast<int>(gigabytes * 1e9 / static_cast<double>(batch_.size()))) {}

    void run() {
        std::printf("%d batches of %zu bytes\n", count_, batch_.size());
        print("plain write", measure([&] { write_plainly(); }));
        print("append", measure([&] { append(); }));
        print("crc alone", measure([&] { check_crc(); }));
        print("sole_batch and validate_produced", measure([&] { validate(); }));
        read();
        many_logs();
    }

private:
    void print(const char* what, double seconds) const {
        const double gigabytes = static_cast<double>(batch_.size()) * count_ / 1e9;
        std::printf("%-34s %.3f CPU-s/GB\n", what, seconds / gigabytes);
    }

    void write_plainly() {
        const std::string path = directory_ + "/plain";
        const auto file = must(env_.files().open(path, env::OpenMode::create_empty));
        std::uint64_t position = 0;
        std::uint64_t written_back = 0;
        for (int batch = 0; batch < count_; ++batch) {
            must(file->write_at(position, batch_));
            position += batch_.size();
            if (position - written_back < kWritebackBytes) continue;
            file->start_writeback(written_back, position - written_back);
            written_back = position;
        }
        must(env_.files().remove(path));
    }

    void fill(storage::Log& log) {
        for (int batch = 0; batch < count_; ++batch) {
            record::stamp(batch_, log.log_end_offset(), LeaderEpoch(0));
            must(log.append(batch_));
        }
    }

    void append() {
        const std::string path = directory_ + "/log";
        const auto log = must(storage::Log::open(env_, Logger(), path, {}, {.clean = true}));
        fill(*log);
        must(env_.files().remove(path));
    }

    void check_crc() {
        for (int batch = 0; batch < count_; ++batch)
            INVARIANT(record::BatchView(batch_).check_crc(), "bad checksum");
    }

    void validate() {
        record::stamp(batch_, Offset(0), LeaderEpoch(-1));
        const record::ProduceRules rules;
        for (int batch = 0; batch < count_; ++batch) {
            const auto sole = record::sole_batch(batch_);
            INVARIANT(
                sole && record::validate_produced(*sole, rules, env::Timestamp(1'700'000'000'000)),
                "refused");
        }
    }

    /// A consumer that reads 1 MiB at a time, and one that reads each batch.
    void read() {
        const std::string path = directory_ + "/log";
        const auto log = must(storage::Log::open(env_, Logger(), path, {}, {.clean = true}));
        fill(*log);
        for (const std::uint64_t bytes_max : {std::uint64_t{1} << 20, std::uint64_t{1}}) {
            const auto batches_per_read =
                std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes_max / batch_.size()));
            std::int64_t reads = 0;
            const double seconds = measure([&] {
                reads = 0;
                for (Offset at(0); at < log->log_end_offset();
                     at = at + kRecordsPerBatch * batches_per_read, ++reads) {
                    must(log->read(at, log->log_end_offset(), bytes_max, true));
                }
            });
            std::printf("read of %7llu bytes at most        %.2f us\n",
                        static_cast<unsigned long long>(bytes_max),
                        seconds * 1e6 / static_cast<double>(reads));
        }
        must(env_.files().remove(path));
    }

    /// A thousand partitions with one batch each: made, stopped cleanly, found again, found after a
    /// kill.
    void many_logs() {
        constexpr int kLogs = 1000;
        const auto path = [&](int log) { return fmt::format("{}/many/t-{}", directory_, log); };
        const auto open_all = [&](const storage::Recovery& recovery) {
            std::vector<std::unique_ptr<storage::Log>> logs;
            for (int log = 0; log < kLogs; ++log) {
                logs.push_back(must(storage::Log::open(env_, Logger(), path(log), {}, recovery)));
            }
            return logs;
        };
        const auto timed = [&](const char* what, auto work) {
            const auto begin = env_.clock().now();
            const double cpu = cpu_seconds();
            work();
            const std::chrono::duration<double, std::micro> wall = env_.clock().now() - begin;
            std::printf("%-34s %.0f us CPU, %.0f us in all, a log\n", what,
                        (cpu_seconds() - cpu) * 1e6 / kLogs, wall.count() / kLogs);
        };
        std::vector<std::unique_ptr<storage::Log>> logs;
        const Offset end(kRecordsPerBatch);
        record::stamp(batch_, Offset(0), LeaderEpoch(0));
        timed("make", [&] { logs = open_all({.clean = true}); });
        timed("first append", [&] {
            for (const auto& log : logs) must(log->append(batch_));
        });
        timed("close", [&] {
            for (const auto& log : logs) must(log->close());
            logs.clear();
        });
        timed("open after a clean stop",
              [&] { logs = open_all({.clean = true, .recovery_point = end}); });
        logs.clear();
        timed("open after a kill, all synced", [&] { logs = open_all({.recovery_point = end}); });
        logs.clear();
        timed("open after a kill, nothing synced", [&] { logs = open_all({}); });
        logs.clear();
        must(env_.files().remove(directory_ + "/many"));
    }

    env::Env& env_;
    std::string directory_;
    std::vector<std::byte> batch_;
    int count_;
};

/// Batches of every codec, several segments, two epochs.
void write_log(env::Env& env, const std::string& directory) {
    const storage::LogOptions options{.segment_bytes = 100'000};
    const auto log = must(storage::Log::open(env, Logger(), directory, options, {.clean = true}));
    for (int batch = 0; batch < 400; ++batch) {
        support::BatchSpec spec{.base_offset = log->log_end_offset().value,
                                .leader_epoch = batch / 250,
                                .codec = static_cast<record::Codec>(batch % 5)};
        for (int record = 0; record < 20; ++record) {
            spec.records.push_back(
                {.timestamp = 1'700'000'000'000 + batch * 100 - (batch % 7) * 300 + record,
                 .key = fmt::format("key-{}", record),
                 .value = fmt::format("value {} of batch {} {}", record, batch,
                                      std::string(static_cast<std::size_t>(batch % 90), 'x')),
                 .headers = {{"h", std::nullopt}}});
        }
        must(log->append(support::make_batch(spec)));
    }
    must(log->close());
}

}  // namespace
}  // namespace milena

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.empty() || arguments.size() > 2) {
        std::fprintf(
            stderr,
            "usage: storage_bench DIRECTORY [GIGABYTES] | storage_bench --write DIRECTORY\n");
        return 2;
    }
    const auto env = milena::env::make_real_env(1);
    if (arguments[0] == "--write") {
        milena::write_log(*env, arguments[1]);
    } else {
        milena::must(env->files().create_directories(arguments[0]));
        milena::Bench(*env, arguments[0], arguments.size() == 2 ? std::stod(arguments[1]) : 2.0)
            .run();
    }
    return 0;
}
