// SPDX-License-Identifier: Apache-2.0
// Words to calls of the cluster, one command a line.
#include "script.h"

#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cluster.h"

namespace milena::raft::test {

namespace {

class Runner {
public:
    std::string run(std::istringstream words) {
        std::string command;
        words >> command;
        if (command == "quiet") {
            std::string rest;
            std::getline(words, rest);
            run(std::istringstream(rest));
            return {};
        }
        if (command == "grep") {
            std::string word;
            std::string rest;
            words >> word;
            std::getline(words, rest);
            return lines_with(word, run(std::istringstream(rest)));
        }
        if (command == "cluster") {
            make_cluster(words);
            return {};
        }
        if (command == "state") return cluster_->state_text();
        if (command == "network") return network_text();
        if (!on_time(command, words) && !on_network(command, words)) on_node(command, words);
        return cluster_->take_trace();
    }

private:
    static std::string lines_with(const std::string& word, const std::string& text) {
        std::string found;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            if (line.find(word) != std::string::npos) found += line + "\n";
        }
        return found;
    }

    static std::set<BrokerId> ids(std::istringstream& words) {
        std::set<BrokerId> ids;
        for (int id = 0; words >> id;) ids.insert(BrokerId(id));
        return ids;
    }

    /// Nobody else hears or says anything meanwhile.
    void stand(BrokerId id) {
        while (cluster_->core(id).role() != Role::prospective) {
            while (!cluster_->network().empty()) cluster_->lose(0, false);
            cluster_->set_now(std::max(cluster_->now(), cluster_->wake_at(id)));
            cluster_->step(id, Tick{});
        }
    }

    void ask(BrokerId id, std::istringstream& words) {
        std::string what;
        int about = 0;
        words >> what >> about;
        const Voter voter = cluster_->voter(BrokerId(about));
        if (what.starts_with("add")) {
            cluster_->ask(id, AddVoterRequest{voter.key, voter.endpoints, what == "add"});
        } else if (what == "remove") {
            cluster_->ask(id, RemoveVoterRequest{voter.key});
        } else {
            cluster_->ask(id, UpdateVoterRequest{cluster_->core(id).view().epoch, voter});
        }
    }

    void make_cluster(std::istringstream& words) {
        Cluster::Options options;
        for (std::string word; words >> word;) {
            const std::size_t equals = word.find('=');
            const int number = std::stoi(word.substr(equals + 1));
            if (word.starts_with("voters")) options.voters = number;
            if (word.starts_with("observers")) options.observers = number;
            if (word.starts_with("discovers")) options.discovers = number > 0;
            if (word.starts_with("join")) options.auto_join = number > 0;
            if (word.starts_with("kraft"))
                options.kraft_version = static_cast<std::int16_t>(number);
        }
        cluster_ = std::make_unique<Cluster>(options);
    }

    bool on_time(const std::string& command, std::istringstream& words) {
        if (command == "settle") {
            cluster_->settle(ids(words));
            return true;
        }
        if (command != "time" && command != "run") return false;
        int ms = 0;
        words >> ms;
        if (command == "time") {
            cluster_->advance(std::chrono::milliseconds(ms));
        } else {
            cluster_->run(std::chrono::milliseconds(ms), ids(words));
        }
        return true;
    }

    bool on_network(const std::string& command, std::istringstream& words) {
        if (command != "deliver" && command != "lose") return false;
        int from = 0;
        int to = 0;
        std::string told;
        words >> from >> to >> told;
        const auto& network = cluster_->network();
        std::size_t index = 0;
        while (index < network.size() &&
               (network[index].from != BrokerId(from) || network[index].to != BrokerId(to))) {
            ++index;
        }
        if (index == network.size()) {
            ADD_FAILURE() << "nothing is on its way from " << from << " to " << to;
        } else if (command == "deliver") {
            cluster_->deliver(index);
        } else {
            cluster_->lose(index, told == "told");
        }
        return true;
    }

    void on_node(const std::string& command, std::istringstream& words) {
        int number = 0;
        words >> number;
        const BrokerId id(number);
        if (command == "start") return cluster_->start(id);
        if (command == "append") return cluster_->finish_append(id, cluster_->disk(id).end());
        if (command == "sync") return cluster_->finish_sync(id);
        if (command == "refused")
            return cluster_->step(id, LeaderRefused{cluster_->core(id).view().leader});
        if (command == "shutdown") return cluster_->step(id, Shutdown{});
        if (command == "fail") return cluster_->step(id, StorageFailed{"disk on fire"});
        if (command == "stand") return stand(id);
        if (command == "replace") return cluster_->replace(id);
        if (command == "move") return cluster_->move(id);
        if (command == "ask") return ask(id, words);
        if (on_snapshot(command, id)) return;
        if (command == "propose") {
            int records = 1;
            words >> records;
            return cluster_->propose(id, records);
        }
        if (command == "crash") {
            std::int64_t kept = cluster_->disk(id).durable_end.value;
            words >> kept;
            return cluster_->crash(id, Offset(kept));
        }
        ADD_FAILURE() << "no such command: " << command;
    }

    bool on_snapshot(const std::string& command, BrokerId id) {
        if (command == "snapshot") {
            EXPECT_TRUE(cluster_->take_snapshot(id)) << "nothing new";
        } else if (command == "clean") {
            const Disk& disk = cluster_->disk(id);
            cluster_->clean(
                id, static_cast<int>(std::ranges::count_if(
                        disk.snapshots,
                        [&](const auto& one) { return one.first.end_offset > disk.start; })) -
                        1);
        } else if (command == "load") {
            cluster_->finish_load(id);
        } else if (command == "no-room") {
            cluster_->refuse_snapshot(id);
        } else if (command == "wipe") {
            cluster_->wipe(id);
        } else {
            return false;
        }
        return true;
    }

    std::string network_text() const {
        std::string lines;
        for (const InFlight& one : cluster_->network()) lines += one.text() + "\n";
        return lines;
    }

    std::unique_ptr<Cluster> cluster_;
};

}  // namespace

std::string run_script(const std::string& script) {
    Runner runner;
    std::string real;
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("> ")) {
            real += line + "\n" + runner.run(std::istringstream(line.substr(2)));
        } else if (line.empty() || line.starts_with("#")) {
            real += line + "\n";
        }
    }
    return real;
}

}  // namespace milena::raft::test
