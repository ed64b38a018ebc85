// SPDX-License-Identifier: Apache-2.0
// The acts of a run: start, faults, healing, the last reading.
#include "sim/runs/run.h"

#include "sim/checkers/checker.h"
#include "sim/runs/shape.h"
#include "sim/runs/story.h"
#include "sim/workload/reader.h"
#include "sim/workload/topic_maker.h"
#include "sim/workload/writer.h"

namespace milena::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// After the last fault, everything must work again within that time (I18).
constexpr env::Duration kHealLimit = seconds(30);
constexpr std::string_view kTopic = "work";
constexpr std::uint16_t kPort = 9092;

constexpr std::string_view kProperties = R"(
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://:9092,CONTROLLER://:9093
advertised.listeners=PLAINTEXT://n1:9092
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers=n1:9093
log.dirs=/data
offsets.topic.replication.factor=1
)";

class Run {
public:
    explicit Run(const RunOptions& options)
        : options_(options),
          world_(options.seed),
          log_(options.tells_its_story ? Logger(make_story(world_)) : Logger()),
          shape_(Shape::draw(world_.random().fork("shape"), options.only_fault)),
          clients_(world_.add_node("clients")),
          stage_{world_, servers_, clients_, world_.random().fork("faults"), history_.complaints} {}

    Report run() {
        servers_.push_back(std::make_unique<Server>(world_, "n1", properties(),
                                                    ServerPorts{log_, history_.complaints}));
        if (start()) {
            strike_and_heal();
            if (come_to_an_end()) read_everything();
        }
        for (Violation& one : judge(history_)) found_.push_back(std::move(one));
        Report done = report();
        if (done.read == 0 || done.acknowledged == 0)
            done.violations.push_back({"I18", "nothing was written, or nothing read"});
        return done;
    }

private:
    std::string properties() const {
        std::string text(kProperties);
        if (shape_.syncs_each_record) text += "log.flush.interval.messages=1\n";
        return text;
    }

    Link link() { return {clients_, {{"n1", kPort}}, history_.complaints}; }
    SeededRandom random_of(std::string_view kind, std::int32_t number) {
        return world_.random().fork(fmt::format("{}{}", kind, number));
    }
    Place place(std::int32_t number) const {
        return {std::string(kTopic), number % shape_.partitions};
    }

    /// False if the servers do not come to serve.
    bool start() {
        if (!all_serve()) return false;
        const bool is_made = world_.run(clients_, make_topic(), kHealLimit);
        if (!is_made) complain("I18", "no topic can be made");
        for (std::int32_t i = 0; i < shape_.writers; ++i) {
            const WriterShape shape{
                .place = place(i), .number = i, .pause_max = shape_.write_pause_max};
            add(writers_,
                std::make_unique<Writer>(link(), shape, random_of("writer", i), history_));
        }
        for (std::int32_t i = 0; i < shape_.readers; ++i) {
            add(readers_,
                std::make_unique<Reader>(link(), place(i), random_of("reader", i), history_));
        }
        add(makers_,
            std::make_unique<TopicMaker>(link(), "fleeting", random_of("maker", 0), history_));
        return is_made;
    }

    env::Task<void> make_topic() {
        TopicMaker maker(link(), std::string(kTopic), random_of("topic", 0), history_);
        co_await maker.make(shape_.partitions, shape_.segment_bytes);
    }

    template <class Client>
    void add(std::vector<std::unique_ptr<Client>>& clients, std::unique_ptr<Client> client) {
        env::spawn(clients_.core(0), client->run());
        env::spawn(clients_.core(0), client->watch());
        clients.push_back(std::move(client));
    }

    void strike_and_heal() {
        SeededRandom random = world_.random().fork("schedule");
        const env::Instant end = world_.now() + shape_.duration;
        while (world_.now() < end) {
            world_.run_for(random.between(milliseconds(100), seconds(4)));
            if (shape_.faults.empty()) continue;
            const std::uint64_t together = random.chance(0.3) ? 2 : 1;
            std::vector<const Fault*> struck;
            for (std::uint64_t i = 0; i < together; ++i) {
                struck.push_back(shape_.faults[random.below(shape_.faults.size())]);
                LOG_INFO(log_, "fault strikes", kv("fault", struck.back()->name));
                struck.back()->strike(stage_);
                ++strikes_;
            }
            world_.run_for(random.between(milliseconds(10), seconds(5)));
            for (const Fault* const fault : struck) fault->heal(stage_);
        }
        for (const Fault& fault : faults()) fault.heal(stage_);
        for (const auto& server : servers_) server->machine().faults().clear();
        LOG_INFO(log_, "all faults are healed");
    }

    bool all_serve() {
        const auto serve = [this] {
            return std::ranges::all_of(servers_, [](const auto& one) { return one->is_serving(); });
        };
        if (world_.run_until(serve, kHealLimit)) return true;
        for (const auto& server : servers_) {
            if (!server->is_serving()) {
                complain("I18", server->name() + " does not come to serve");
            }
        }
        return false;
    }

    /// Every writer writes once more and gets its answers.
    bool come_to_an_end() {
        start_servers(stage_);
        if (!all_serve()) return false;
        for (const auto& one : writers_) one->finish();
        for (const auto& one : readers_) one->finish();
        for (const auto& one : makers_) one->finish();
        const auto done = [this] {
            return std::ranges::all_of(writers_, [](const auto& one) { return one->is_done(); });
        };
        if (world_.run_until(done, kHealLimit)) return true;
        for (const auto& writer : writers_) {
            if (!writer->is_done()) complain("I18", writer->text() + " is not answered");
        }
        return false;
    }

    void read_everything() {
        for (std::int32_t i = 0; i < shape_.partitions; ++i) {
            Reader reader(link(), place(i), random_of("last", i), history_);
            bool is_read = false;
            const auto task = [](Reader& all, bool& flag) -> env::Task<void> {
                flag = co_await all.read_all();
            };
            world_.run(clients_, task(reader, is_read), kHealLimit);
            if (!is_read) return complain("I18", place(i).text() + " can't be read to its end");
        }
    }

    void complain(std::string_view invariant, std::string what) {
        found_.push_back({invariant, std::move(what)});
    }

    Report report() const {
        Report report{.seed = options_.seed,
                      .shape = shape_.text(),
                      .trace_hash = world_.trace_hash(),
                      .simulated = world_.now().time_since_epoch(),
                      .strikes = strikes_,
                      .topic_steps = history_.topics.size(),
                      .violations = found_};
        for (const auto& [place, partition] : history_.partitions) {
            report.acknowledged += partition.acknowledged.size();
            for (const ReadSession& session : partition.sessions)
                report.read += session.records.size();
        }
        return report;
    }

    const RunOptions& options_;
    World world_;
    const Logger log_;
    const Shape shape_;
    History history_;
    std::vector<Violation> found_;
    std::vector<std::unique_ptr<Server>> servers_;
    Node& clients_;
    Stage stage_;
    std::vector<std::unique_ptr<Writer>> writers_;
    std::vector<std::unique_ptr<Reader>> readers_;
    std::vector<std::unique_ptr<TopicMaker>> makers_;
    std::uint64_t strikes_ = 0;
};

}  // namespace

std::string Report::text() const {
    return fmt::format(
        "seed {}: {} violations; {} s simulated, {} strikes, {} records acknowledged, {} read, {} "
        "steps with topics, trace {:016x}\n  {}",
        seed, violations.size(), simulated / seconds(1), strikes, acknowledged, read, topic_steps,
        trace_hash, shape);
}

Report run_seed(const RunOptions& options) {
    return Run(options).run();
}

}  // namespace milena::sim
