// SPDX-License-Identifier: Apache-2.0
// What a controller costs in a very large cluster: its core alone, driven by modelled brokers.
//
//   controller_bench [BROKERS PARTITIONS]    3000 and 500000, with three replicas each
//
// CPU time of this process. Bytes are those of the heap that are in use.
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "milena/controller/controller.h"
#include "milena/metadata/features.h"
#include "sim/random.h"

namespace milena::controller {
namespace {

constexpr int kPartitionsPerTopic = 100;
constexpr int kLeadersThatFail = 500;
constexpr int kRacks = 3;
constexpr int kRounds = 20;

double cpu_ms() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto ms = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
    };
    return ms(usage.ru_utime) + ms(usage.ru_stime);
}

double heap_bytes() {
    const auto info = ::mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
}

template <class Work>
double measure(Work work) {
    const double before = cpu_ms();
    work();
    return cpu_ms() - before;
}

void print(const std::string& what, double value, const char* unit) {
    std::printf("%-58s %10.3f %s\n", what.c_str(), value, unit);
    std::fflush(stdout);
}

std::map<std::string, metadata::VersionRange> all_features() {
    std::map<std::string, metadata::VersionRange> features;
    for (const auto& feature : metadata::supported_features())
        features.emplace(feature.name, feature.range);
    return features;
}

class Bench {
public:
    Bench(int brokers, int partitions)
        : brokers_(brokers), partitions_(partitions), controller_(options(), random_) {
        append(controller_.activate({.committed = metadata::Image::empty(),
                                     .in_transaction = false,
                                     .bootstrap = {},
                                     .now = now_}));
    }

    void run() {
        std::printf("%d brokers, %d partitions with 3 replicas in topics of %d\n", brokers_,
                    partitions_, kPartitionsPerTopic);
        register_brokers();
        create_topics();
        beat();
        fail_over();
        snapshot();
    }

private:
    static Options options() {
        Options options;
        options.node = BrokerId(1'000'000);
        options.cluster_id = "bench";
        options.idle_interval_ms = 0;
        return options;
    }
    void append(const std::vector<RecordValue>& records) {
        const auto applied = controller_.apply(records, Offset(next_), LeaderEpoch(1), now_);
        INVARIANT(applied.has_value(), applied.error().why);
        next_ += static_cast<std::int64_t>(records.size());
    }

    void register_broker(int id) {
        RegisterBrokerRequest request;
        request.id = BrokerId(id);
        request.cluster_id = "bench";
        request.incarnation_id = env::random_uuid(random_);
        request.endpoints = {{"PLAINTEXT", fmt::format("broker-{}.example.com", id), 9092, 0}};
        request.features = all_features();
        request.rack = fmt::format("rack-{}", id % kRacks);
        request.log_directories = {{1, 1000 + static_cast<std::uint64_t>(id)}};
        append(controller_.register_broker(request, Offset(next_), now_).records);
        append(heartbeat(id).records);
    }

    Decision<Result<BrokerHeartbeatReply>> heartbeat(int id, bool want_fence = false) {
        BrokerHeartbeatRequest request;
        request.id = BrokerId(id);
        request.epoch = controller_.image()->cluster->find_broker(request.id)->epoch;
        request.metadata_offset = Offset(next_ - 1);
        request.want_fence = want_fence;
        return controller_.heartbeat(request, now_);
    }

    void register_brokers() {
        const double ms = measure([&] {
            for (int id = 1; id <= brokers_; ++id) register_broker(id);
        });
        print("register and unfence the brokers, each", ms / brokers_, "ms");
    }

    void create_topics() {
        const int topics = partitions_ / kPartitionsPerTopic;
        double apply_ms = 0;
        const double before = heap_bytes();
        const double ms = measure([&] {
            for (int index = 0; index < topics; ++index) {
                CreateTopicsRequest request;
                request.topics.push_back({.name = fmt::format("topic-{}", index),
                                          .partition_count = kPartitionsPerTopic,
                                          .replication_factor = 3});
                const auto decision = controller_.create_topics(request);
                INVARIANT(decision.reply.topics.front().code == ErrorCode::none, "a topic");
                apply_ms += measure([&] { append(decision.records); });
            }
        });
        print("make the topics: decide, all", ms - apply_ms, "ms");
        print("make the topics: apply, all", apply_ms, "ms");
        print("image and indexes of the controller, each partition",
              (heap_bytes() - before) / partitions_, "bytes");
    }

    void beat() {
        double best = 1e9;
        for (int round = 0; round < kRounds; ++round) {
            now_ += std::chrono::milliseconds(100);
            best = std::min(best, measure([&] {
                                for (int id = 1; id <= brokers_; ++id)
                                    INVARIANT(heartbeat(id).records.empty(), "nothing changes");
                            }));
        }
        print("one heartbeat of every broker", best, "ms");
        best = 1e9;
        for (int round = 0; round < kRounds; ++round) {
            best = std::min(best, measure([&] {
                                for (int i = 0; i < 100; ++i)
                                    INVARIANT(controller_.deadline() > now_, "in time");
                            }));
        }
        print("ask when the next session ends", best / 100, "ms");
    }

    /// A broker leads one partition of each of so many topics, and goes.
    void fail_over() {
        const int id = brokers_ + 1;
        register_broker(id);
        CreatePartitionsRequest request;
        const int topics = std::min(kLeadersThatFail, partitions_ / kPartitionsPerTopic);
        for (int index = 0; index < topics; ++index) {
            const std::vector<BrokerId> replicas{BrokerId(id), BrokerId(1 + index % brokers_),
                                                 BrokerId(1 + (index + 1) % brokers_)};
            request.topics.push_back({fmt::format("topic-{}", index), kPartitionsPerTopic + 1,
                                      std::vector<std::vector<BrokerId>>{replicas}});
        }
        const auto grown = controller_.create_partitions(request);
        INVARIANT(grown.reply.front().code == ErrorCode::none, grown.reply.front().why);
        append(grown.records);
        const double heap_before = heap_bytes();
        Decision<Result<BrokerHeartbeatReply>> fenced;
        const double decide_ms = measure([&] { fenced = heartbeat(id, true); });
        const auto old = controller_.image();
        const double apply_ms = measure([&] { append(fenced.records); });
        print(fmt::format("a broker that leads {} is fenced: decide", topics), decide_ms, "ms");
        print("                                     apply", apply_ms, "ms");
        print("the image before, kept beside the new one", (heap_bytes() - heap_before) / 1024,
              "KiB");
        INVARIANT(fenced.records.size() == static_cast<std::size_t>(topics) + 1, "one each");
        follow(old, fenced.records);
    }

    /// What a broker makes of it.
    void follow(const std::shared_ptr<const metadata::Image>& old,
                const std::vector<RecordValue>& records) {
        metadata::Loader loader(old);
        const std::vector<BytesView> values(records.begin(), records.end());
        const double ms = measure([&] {
            INVARIANT(loader.apply(values, {Offset(next_ - 1), LeaderEpoch(1), -1}), "records");
            INVARIANT(loader.take().has_value(), "a new image");
        });
        print("                                     apply on a broker", ms, "ms");
    }

    void snapshot() {
        std::vector<RecordValue> records;
        std::size_t bytes = 0;
        const double emit_ms = measure([&] {
            metadata::emit_records(*controller_.image(), [&](RecordValue value) {
                bytes += value.size();
                records.push_back(std::move(value));
            });
        });
        print("records of a snapshot", emit_ms, "ms");
        print("their bytes, each partition", static_cast<double>(bytes) / partitions_, "bytes");
        const std::vector<BytesView> values(records.begin(), records.end());
        metadata::Loader loader(metadata::Image::empty());
        const double before = heap_bytes();
        const double load_ms = measure([&] {
            INVARIANT(loader.load_snapshot(values, {Offset(next_ - 1), LeaderEpoch(1), -1}), "");
            INVARIANT(loader.take().has_value(), "an image");
        });
        print("load the snapshot", load_ms, "ms");
        print("image, each partition", (heap_bytes() - before) / partitions_, "bytes");
        const auto image = loader.image();
        Controller next(options(), random_);
        const double activate_ms = measure([&] {
            next.activate(
                {.committed = image, .in_transaction = false, .bootstrap = {}, .now = now_});
        });
        print("become controller on it", activate_ms, "ms");
    }

    int brokers_;
    int partitions_;
    sim::SeededRandom random_{1};
    env::Instant now_{};
    Controller controller_;
    std::int64_t next_ = 0;
};

}  // namespace
}  // namespace milena::controller

int main(int argc, char** argv) {
    if (argc != 1 && argc != 3) {
        std::fprintf(stderr, "usage: controller_bench [BROKERS PARTITIONS]\n");
        return 2;
    }
    milena::controller::Bench bench(argc == 3 ? std::stoi(argv[1]) : 3000,
                                    argc == 3 ? std::stoi(argv[2]) : 500'000);
    bench.run();
    return 0;
}
