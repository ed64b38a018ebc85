// SPDX-License-Identifier: Apache-2.0
// The acts of a run: start, faults, healing, the last reading.
#include "sim/runs/run.h"

#include <algorithm>
#include <map>

#include "milena/coordinator/group_gateway.h"
#include "sim/checkers/checker.h"
#include "sim/runs/replica_logs.h"
#include "sim/runs/story.h"
#include "sim/workload/consumer.h"
#include "sim/workload/member.h"
#include "sim/workload/reader.h"
#include "sim/workload/replica_mover.h"
#include "sim/workload/topic_maker.h"
#include "sim/workload/writer.h"

namespace milena::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// After the last fault, everything must work again within that time (I18).
constexpr env::Duration kHealLimit = seconds(30);
constexpr std::string_view kTopic = "work";
constexpr std::string_view kGroup = "group";
constexpr std::string_view kOffsetsTopic = "__consumer_offsets";
constexpr std::size_t kTogetherMax = 3;
/// Between two looks at what the nodes publish.
constexpr env::Duration kLookInterval = seconds(1);

using Endpoints = std::vector<env::Endpoint>;

class Run {
public:
    explicit Run(const RunOptions& options)
        : options_(options),
          world_(options.seed),
          log_(options.tells_its_story ? Logger(make_story(world_)) : Logger()),
          shape_(Shape::draw(world_.random().fork("shape"), options.wanted)),
          clients_(world_.add_node("clients", 1)) {
        world_.take_coarse_steps(shape_.takes_coarse_steps);
        for (const Role& role : shape_.layout.roles()) {
            servers_.push_back(std::make_unique<Server>(
                world_,
                ServerOptions{.role = role,
                              .properties = shape_.layout.properties(role, shape_.settings),
                              .format = shape_.layout.format(role),
                              .state_seed = mix(options.seed + servers_.size()),
                              .log = log_},
                history_.complaints));
        }
        watch_ = std::make_unique<QuorumWatch>(world_, servers_, history_.complaints);
        stage_ =
            std::make_unique<Stage>(Stage{world_, servers_, clients_, *watch_,
                                          world_.random().fork("faults"), history_.complaints});
        look_again();
    }

    Report run() {
        bool is_whole = start();
        if (is_whole) {
            strike_and_heal();
            is_whole = come_to_an_end() && metadata_works() && read_everything();
            if (is_whole) look_at_replicas();
        }
        // Without a last reading everything would seem to be lost.
        const auto judged = is_whole ? judge(history_) : history_.complaints;
        found_.insert(found_.end(), judged.begin(), judged.end());
        Report done = report();
        if (done.read == 0 || done.acknowledged == 0)
            done.violations.push_back({"I18", "nothing was written, or nothing read"});
        return done;
    }

private:
    void look_again() {
        watch_->compare_images();
        world_.after(kLookInterval, [this] { look_again(); });
    }

    Endpoints brokers() const {
        Endpoints found;
        for (const auto& server : servers_) {
            if (server->role().is_broker) found.push_back({server->name(), kBrokerPort});
        }
        return found;
    }
    /// Whoever may take a change of the metadata.
    Endpoints deciders() const {
        Endpoints found = brokers();
        for (const auto& server : servers_) {
            if (!server->role().is_broker) found.push_back({server->name(), kControllerPort});
        }
        return found;
    }

    Link link() { return {clients_, brokers(), history_.complaints}; }
    TopicMakerPorts maker_ports() {
        return {{clients_, deciders(), history_.complaints}, link(), offsets(), log_};
    }
    MetadataOffsets offsets() {
        return {.committed_end = [this] { return watch_->laws().committed_end(); },
                .served =
                    [this](const std::string& name) {
                        const auto at = std::ranges::find(
                            servers_, name, [](const auto& one) { return one->name(); });
                        const auto image = (*at)->served_image();
                        return image == nullptr ? -1 : image->provenance.last_offset.value;
                    }};
    }
    SeededRandom random_of(std::string_view kind, std::int32_t number) {
        return world_.random().fork(fmt::format("{}{}", kind, number));
    }
    Place place(std::int32_t number) const {
        return {std::string(kTopic), number % shape_.partitions};
    }

    /// False if the servers do not come to serve.
    bool start() {
        if (!all_serve()) return false;
        if (!make_everywhere(std::string(kTopic))) return false;
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
        add(makers_, std::make_unique<TopicMaker>(maker_ports(), "fleeting", random_of("maker", 0),
                                                  history_));
        add_mover();
        add_members();
        return true;
    }

    /// Where there is a broker to move to, or another order.
    void add_mover() {
        MoverShape shape{.topic = std::string(kTopic),
                         .partitions = shape_.partitions,
                         .replicas = shape_.layout.replicas()};
        for (const Role& role : shape_.layout.roles()) {
            if (role.is_broker) shape.brokers.push_back(role.id);
        }
        if (shape.brokers.size() == 1) return;
        add(movers_, std::make_unique<ReplicaMover>(Link(clients_, deciders(), history_.complaints),
                                                    std::move(shape), random_of("mover", 0), log_));
    }

    void add_members() {
        if (shape_.is_mixed) history_.groups[std::string(kGroup)].is_mixed = true;
        for (std::int32_t i = 0; i < shape_.members; ++i) {
            const MemberShape shape{.group = std::string(kGroup),
                                    .topic = std::string(kTopic),
                                    .partitions = shape_.partitions,
                                    .number = i,
                                    .is_static = i < shape_.static_members};
            add(members_,
                std::make_unique<Member>(link(), shape, random_of("member", i), history_, sees()));
        }
        for (std::int32_t i = 0; i < shape_.consumers; ++i) {
            const ConsumerShape shape{
                .group = shape_.is_mixed ? std::string(kGroup) : "consumer-group",
                .topic = std::string(kTopic),
                .partitions = shape_.partitions,
                .number = i,
                .is_static = i < shape_.static_consumers};
            ConsumerPorts ports{.link = link(), .other = link(), .sees = sees()};
            add(consumers_, std::make_unique<Consumer>(std::move(ports), shape,
                                                       random_of("consumer", i), history_));
        }
    }

    SeeCoordinator sees() {
        return [this](std::string_view group) { return coordinator_of(group); };
    }

    std::shared_ptr<const metadata::Image> newest_image() const {
        std::shared_ptr<const metadata::Image> newest;
        for (const auto& server : servers_) {
            auto image = server->image();
            const bool is_newer = image != nullptr &&
                                  (newest == nullptr ||
                                   image->provenance.last_offset > newest->provenance.last_offset);
            if (is_newer) newest = std::move(image);
        }
        return newest;
    }

    std::optional<CoordinatorSeen> coordinator_of(std::string_view group) const {
        const auto image = newest_image();
        const auto topic = image == nullptr ? nullptr : image->topics->find(kOffsetsTopic);
        if (topic == nullptr) return std::nullopt;
        const auto index = coordinator::coordinator_partition(
            group, static_cast<std::int32_t>(topic->partitions.size()));
        const auto* const partition = topic->partitions.find(index);
        if (partition == nullptr) return std::nullopt;
        for (const auto& server : servers_) {
            if (server->role().id == partition->leader.value)
                return CoordinatorSeen{server->name(), partition->leader_epoch.value};
        }
        return std::nullopt;
    }

    /// On every server's image.
    bool nothing_moves() const {
        const auto is_quiet = [](const auto& server) {
            const auto image = server->served_image();
            const auto topic = image == nullptr ? nullptr : image->topics->find(kTopic);
            if (topic == nullptr) return false;
            for (const auto& [index, partition] : topic->partitions) {
                if (!partition.adding_replicas.empty() || !partition.removing_replicas.empty())
                    return false;
            }
            return true;
        };
        return std::ranges::all_of(servers_, is_quiet);
    }

    /// Makes the topic, and waits until all servers know it.
    bool make_everywhere(const std::string& topic) {
        const auto make = [](TopicMaker& maker, const Shape& shape,
                             std::int16_t replicas) -> env::Task<void> {
            co_await maker.make({.partitions = shape.partitions,
                                 .segment_bytes = shape.segment_bytes,
                                 .replicas = replicas});
        };
        TopicMaker maker(maker_ports(), topic, random_of(topic, 0), history_);
        if (!world_.run(clients_, make(maker, shape_, shape_.layout.replicas()), kHealLimit)) {
            complain("I18", "no topic can be made");
            return false;
        }
        const auto is_known = [&](const auto& server) {
            const auto image = server->served_image();
            return image != nullptr && image->topics->find(topic) != nullptr;
        };
        const auto is_everywhere = [&] { return std::ranges::all_of(servers_, is_known); };
        if (comes_true(is_everywhere)) return true;
        complain("I18", "not all servers know " + topic);
        return false;
    }

    template <class Client>
    void add(std::vector<std::unique_ptr<Client>>& clients, std::unique_ptr<Client> client) {
        env::spawn(clients_.core(0), client->run());
        env::spawn(clients_.core(0), client->watch());
        clients.push_back(std::move(client));
    }

    /// Up to three faults are about at once; each is healed when its own time has come, so that a
    /// server may start while wires are cut.
    void strike_and_heal() {
        SeededRandom random = world_.random().fork("schedule");
        const env::Duration pause_max = random.chance(0.3) ? milliseconds(800) : seconds(4);
        const env::Instant end = world_.now() + shape_.duration;
        while (world_.now() < end) {
            heal_until(world_.now() + random.between(env::Duration(milliseconds(20)), pause_max));
            if (shape_.faults.empty() || struck_.size() == kTogetherMax) continue;
            const Fault& fault = *shape_.faults[random.below(shape_.faults.size())];
            LOG_INFO(log_, "fault strikes", kv("fault", fault.name));
            fault.strike(*stage_);
            watch_->compare_images();
            ++strikes_;
            struck_.emplace(
                world_.now() + random.between(env::Duration(milliseconds(10)), fault.lasts_max),
                &fault);
        }
        for (const Fault& fault : faults()) fault.heal(*stage_);
        for (const auto& server : servers_) server->machine().faults().clear();
        LOG_INFO(log_, "all faults are healed");
    }

    /// Runs, and heals what is due by then.
    void heal_until(env::Instant moment) {
        while (!struck_.empty() && struck_.begin()->first <= moment) {
            const auto [due, fault] = *struck_.begin();
            struck_.erase(struck_.begin());
            world_.run_for(std::max(due - world_.now(), env::Duration(0)));
            LOG_INFO(log_, "fault is healed", kv("fault", fault->name));
            fault->heal(*stage_);
        }
        world_.run_for(std::max(moment - world_.now(), env::Duration(0)));
    }

    /// Within the limit. A server whose disk had failed may end only now: it is started again, as
    /// an operator would.
    bool comes_true(const std::function<bool()>& what) {
        const env::Instant give_up = world_.now() + kHealLimit;
        while (world_.now() < give_up) {
            if (world_.run_until(what, seconds(1))) return true;
            if (stage_ != nullptr) start_servers(*stage_);
        }
        return false;
    }

    bool all_serve() {
        const auto serve = [this] {
            return std::ranges::all_of(servers_, [](const auto& one) { return one->is_serving(); });
        };
        if (comes_true(serve)) return true;
        for (const auto& server : servers_) {
            if (!server->is_serving()) {
                complain("I18", server->name() + " does not come to serve");
            }
        }
        return false;
    }

    /// Every writer writes once more and gets its answers.
    bool come_to_an_end() {
        start_servers(*stage_);
        if (!all_serve()) return false;
        for (const auto& one : writers_) one->finish();
        for (const auto& one : readers_) one->finish();
        for (const auto& one : makers_) one->finish();
        for (const auto& one : movers_) one->finish();
        for (const auto& one : members_) one->finish();
        for (const auto& one : consumers_) one->finish();
        const auto done = [this] {
            return std::ranges::all_of(writers_, [](const auto& one) { return one->is_done(); });
        };
        if (comes_true(done)) return moves_end() && groups_are_whole();
        for (const auto& writer : writers_) {
            if (!writer->is_done()) complain("I18", writer->text() + " is not answered");
        }
        return false;
    }

    bool moves_end() {
        if (comes_true([this] { return nothing_moves(); })) return true;
        complain("I18", "a move of replicas does not end");
        return false;
    }

    /// Everybody in it has settled in one generation or epoch, and somebody has each partition.
    class Wholeness {
    public:
        explicit Wholeness(std::int32_t partitions) : partitions_(partitions) {}
        void add(bool is_settled, std::int32_t epoch, std::size_t owned) {
            is_whole_ &= is_settled && epoch == epoch_.value_or(epoch);
            epoch_ = epoch;
            owned_ += static_cast<std::int32_t>(owned);
        }
        bool is_whole() const { return !epoch_ || (is_whole_ && owned_ == partitions_); }

    private:
        std::int32_t partitions_;
        bool is_whole_ = true;
        std::optional<std::int32_t> epoch_;
        std::int32_t owned_ = 0;
    };

    bool groups_are_whole() {
        const auto are_whole = [this] {
            std::map<std::string, Wholeness> groups;
            const auto group = [&](const std::string& name) -> Wholeness& {
                return groups.try_emplace(name, shape_.partitions).first->second;
            };
            for (const auto& one : members_)
                group(one->group()).add(one->is_settled(), one->generation(), one->owned().size());
            for (const auto& one : consumers_)
                group(one->group()).add(one->is_settled(), one->epoch(), one->owned().size());
            return std::ranges::all_of(groups,
                                       [](const auto& one) { return one.second.is_whole(); });
        };
        if (comes_true(are_whole)) return true;
        for (const auto& one : members_) complain("I18", "not settled: " + one->text());
        for (const auto& one : consumers_) complain("I18", "not settled: " + one->text());
        return false;
    }

    /// A topic can be made and is known everywhere, and all replicas have the whole log.
    bool metadata_works() {
        if (!make_everywhere("after-all")) return false;
        if (comes_true([this] { return watch_->is_everywhere(); })) return true;
        complain("I19", "not all replicas have what is committed");
        return false;
    }

    bool read_everything() {
        for (std::int32_t i = 0; i < shape_.partitions; ++i) {
            Reader reader(link(), place(i), random_of("last", i), history_);
            bool is_read = false;
            const auto task = [](Reader& all, bool& flag) -> env::Task<void> {
                flag = co_await all.read_all();
            };
            world_.run(clients_, task(reader, is_read), kHealLimit);
            if (is_read) continue;
            complain("I18", place(i).text() + " can't be read to its end");
            return false;
        }
        return true;
    }

    /// When they have had the time to fetch what is committed; whoever has not is the checker's.
    void look_at_replicas() {
        const env::Instant give_up = world_.now() + kHealLimit;
        while (!have_all() && world_.now() < give_up) {
            world_.run_for(milliseconds(200));
            start_servers(*stage_);
        }
    }

    bool have_all() {
        const auto image = servers_.front()->image();
        if (image == nullptr) return false;
        bool is_everywhere = true;
        for (auto& [place, partition] : history_.partitions) {
            partition.replicas = replica_logs(servers_, *image, place);
            for (const ReplicaLog& log : partition.replicas)
                is_everywhere &= log.end() >= partition.final_end();
        }
        return is_everywhere;
    }

    void complain(std::string_view invariant, std::string what) {
        found_.push_back({invariant, std::move(what)});
    }

    Report report() const {
        Report report{
            .seed = options_.seed,
            .shape = shape_.text(),
            .layout = std::string(shape_.layout.name()),
            .trace_hash = world_.trace_hash(),
            .simulated = world_.now().time_since_epoch(),
            .strikes = strikes_,
            .topic_steps = history_.topics.size(),
            .metadata_records = static_cast<std::uint64_t>(watch_->laws().committed_end()),
            .images = watch_->compared(),
            .violations = found_};
        for (const auto& one : movers_) report.moves += one->moves();
        for (const auto& [name, group] : history_.groups) {
            report.commits += group.commits();
            report.holds += group.holds.size();
        }
        for (const auto& [place, partition] : history_.partitions) {
            report.acknowledged += partition.acknowledged.size();
            report.replicas += partition.replicas.size();
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
    std::unique_ptr<QuorumWatch> watch_;
    std::unique_ptr<Stage> stage_;
    std::vector<std::unique_ptr<Writer>> writers_;
    std::vector<std::unique_ptr<Reader>> readers_;
    std::vector<std::unique_ptr<TopicMaker>> makers_;
    std::vector<std::unique_ptr<ReplicaMover>> movers_;
    std::vector<std::unique_ptr<Member>> members_;
    std::vector<std::unique_ptr<Consumer>> consumers_;
    std::uint64_t strikes_ = 0;
    /// What is about, by the moment when it is healed.
    std::multimap<env::Instant, const Fault*> struck_;
};

}  // namespace

std::string Report::text() const {
    return fmt::format(
        "{} violations; {} s simulated, {} strikes, {} records acknowledged, {} read, {} "
        "steps with topics, {} moves, {} commits, {} holds, {} records of metadata, {} images and "
        "{} "
        "replicas compared, "
        "trace {:016x}\n  {}",
        violations.size(), simulated / seconds(1), strikes, acknowledged, read, topic_steps, moves,
        commits, holds, metadata_records, images, replicas, trace_hash, shape);
}

Report run_seed(const RunOptions& options) {
    return Run(options).run();
}

}  // namespace milena::sim
